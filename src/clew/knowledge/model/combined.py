"""Two extractors over the same texts: what either finds, each thing once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.core.documents import Span
from clew.core.extraction import Extraction, FoundName, StatedClaim, Triple
from clew.core.ports import Extractor
from clew.text.names import name_key
from clew.text.relations import relation_stem


class CombinedExtractor:
    """Implements `Extractor` with two of them. Of what both find, the surer one counts; of claims
    of one sentence, the first's words and both's subjects."""

    def __init__(self, first: Extractor, second: Extractor) -> None:
        self._first = first
        self._second = second

    @property
    def fingerprint(self) -> str:
        """Both fingerprints."""
        return f"{self._first.fingerprint} & {self._second.fingerprint}"

    def extract(
        self,
        texts: Sequence[str],
        *,
        language: str | None,
        titles: Sequence[str | None] = (),
    ) -> Iterator[Extraction]:
        """Yield one extraction a text, in order."""
        second = self._second.extract(texts, language=language, titles=titles)
        first = self._first.extract(texts, language=language, titles=titles)
        return (combined(one, other) for one, other in zip(first, second, strict=True))


def combined(first: Extraction, second: Extraction) -> Extraction:
    """Return what either of two extractions of one text holds."""
    notes = [note for note in (first.note, second.note) if note is not None]
    skipped = [each for each in (first.skipped, second.skipped) if each is not None]
    return Extraction(
        names=_names(first.names, second.names),
        triples=_triples((*first.triples, *second.triples)),
        claims=_claims((*first.claims, *second.claims)),
        note="; ".join(notes) or None,
        skipped="; ".join(skipped) or None,
        dropped={**first.dropped, **second.dropped},
    )


def _names(first: Sequence[FoundName], second: Sequence[FoundName]) -> tuple[FoundName, ...]:
    """Return the first's names, and those of the second where the first has none; a name that
    the first labels has that label everywhere."""
    taken = [name.span for name in first]
    labels = {name_key(name.surface): name.label for name in first if name.label is not None}
    added = [
        replace(name, label=labels.get(name_key(name.surface), name.label))
        for name in second
        if not any(_overlap(name.span, span) for span in taken)
    ]
    return tuple(sorted((*first, *added), key=lambda name: (name.span.start, name.span.end)))


def _triples(triples: Sequence[Triple]) -> tuple[Triple, ...]:
    """Return the surest of triples that say the same; one without a period says what one with a
    period says."""
    best: dict[tuple[str, str, str], dict[str, Triple]] = {}
    for triple in triples:
        said = (
            name_key(triple.subject),
            relation_stem(triple.relation),
            name_key(triple.object),
        )
        when = best.setdefault(said, {})
        held = when.get(triple.period.key())
        if held is None or triple.confidence > held.confidence:
            when[triple.period.key()] = triple
    kept = [
        triple
        for when in best.values()
        for period, triple in when.items()
        if period or len(when) == 1
    ]
    return tuple(sorted(kept, key=lambda triple: (triple.span.start, triple.span.end)))


def _claims(claims: Sequence[StatedClaim]) -> tuple[StatedClaim, ...]:
    kept: list[StatedClaim] = []
    for claim in claims:
        place = next(
            (row for row, held in enumerate(kept) if _overlap(held.span, claim.span)), None
        )
        if place is None:
            kept.append(claim)
            continue
        held = kept[place]
        known = {name_key(subject) for subject in held.subjects}
        more = tuple(one for one in claim.subjects if name_key(one) not in known)
        kept[place] = StatedClaim(
            held.text,
            held.span,
            (*held.subjects, *more),
            held.period,
            held.status,
            held.confidence,
        )
    return tuple(sorted(kept, key=lambda claim: (claim.span.start, claim.span.end)))


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
