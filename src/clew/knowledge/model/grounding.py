"""From a model's answer to knowledge that stands in the chunk: what cannot be found is dropped.

A triple or claim points to a sentence by its number. It counts where its names are found: one end
of a triple in that sentence, the other there too, or elsewhere in the chunk, or as the title of
the page (a pronoun stood for it). Where the number is wrong and another sentence holds both ends,
that sentence is taken. The span of a triple is what lies between its ends, of a claim its sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clew.core.documents import Span
from clew.core.extraction import Extraction, FoundName, StatedClaim, Triple
from clew.core.knowledge import NO_PERIOD, EdgeType, NodeType, Period
from clew.knowledge.lexicon import relation_label
from clew.knowledge.model.prompt import NumberedSentences
from clew.text.dates import find_periods
from clew.text.locating import locate
from clew.text.names import name_key, title_names
from clew.text.pronouns import opens_with_pronoun
from clew.text.relations import relation_stem
from clew.text.stop_words import STOP_WORDS
from clew.text.tokens import folded_words

NOT_IN_TEXT = "not in the text"
NO_NAME = "no name (a pronoun, date or number)"
NO_RELATION = "without a relation"
REPEATED = "said twice"

_NAMED = 0.85
_CERTAINTY = {"stated": 1.0, "denied": 1.0, "reported": 0.85, "hedged": 0.6}
_STATED = 0.85
_ELSEWHERE = 0.8
"""Factor where one end stands in another sentence than the statement, as for a pronoun."""
_LONGEST_NAME = 120
_CONCEPT = "CONCEPT"
_EVENT = "EVENT"


@dataclass(slots=True)
class Grounding:
    """Collects what is found in one chunk, and counts by reason what is dropped.

    `dropped` counts triples and claims, and entities whose name is not in the text.
    """

    sentences: NumberedSentences
    title: str | None = None
    names: dict[Span, FoundName] = field(default_factory=dict[Span, FoundName])
    triples: dict[tuple[str, str, str, str], Triple] = field(
        default_factory=dict[tuple[str, str, str, str], Triple]
    )
    claims: dict[Span, StatedClaim] = field(default_factory=dict[Span, StatedClaim])
    dropped: Counter[str] = field(default_factory=Counter[str])

    def take(self, answer: Mapping[str, Any]) -> int:
        """Take in one answer of the model; return how much of it is new."""
        before = len(self.names) + len(self.triples) + len(self.claims)
        labels = {name_key(entity["name"]): entity["label"] for entity in answer["entities"]}
        for entity in answer["entities"]:
            self._entity(entity["name"], entity["label"])
        for triple in answer["triples"]:
            self._triple(triple, labels)
        for claim in answer["claims"]:
            self._claim(claim)
        return len(self.names) + len(self.triples) + len(self.claims) - before

    def extraction(self, *, skipped: str | None = None) -> Extraction:
        """Return all that was found, in the order of the text; `skipped` says what cut it short."""
        return Extraction(
            tuple(name for _, name in sorted(self.names.items(), key=_place)),
            tuple(
                sorted(
                    self.triples.values(), key=lambda triple: (triple.span.start, triple.span.end)
                )
            ),
            tuple(claim for _, claim in sorted(self.claims.items(), key=_place)),
            skipped=skipped,
            dropped=dict(self.dropped),
        )

    def _entity(self, surface: str, label: str) -> None:
        if not _is_name(surface):
            self.dropped[NO_NAME] += 1
        elif not self._mention(surface, label) and not self._is_title(surface):
            self.dropped[NOT_IN_TEXT] += 1

    def _mention(self, surface: str, label: str | None) -> bool:
        """Note every place of a name that no longer name covers; return whether there is one."""
        text = self.sentences.text
        spans = locate(text, surface)
        for span in spans:
            inside = [held for held in self.names if _overlap(held, span)]
            if any(_length(held) >= _length(span) for held in inside):
                continue
            for held in inside:
                del self.names[held]
            written = text[span.start : span.end]
            self.names[span] = FoundName(written, span, _kind(written, label), label, _NAMED)
        return bool(spans)

    def _triple(self, raw: Mapping[str, Any], labels: Mapping[str, str]) -> None:
        ends = (raw["subject"], raw["object"])
        if not all(map(_is_name, ends)) or name_key(ends[0]) == name_key(ends[1]):
            self.dropped[NO_NAME] += 1
            return
        denied = raw["status"] == "denied"
        relation = relation_label(raw["relation"], negated=denied)
        if not relation_label(raw["relation"]):
            self.dropped[NO_RELATION] += 1
            return
        place = self._place_of(raw["sentence"], ends)
        if place is None:
            self.dropped[NOT_IN_TEXT] += 1
            return
        sentence, found, factor = place
        surfaces = [self._written(end, span) for end, span in zip(ends, found, strict=True)]
        held = [span for span in found if span is not None and _within(span, sentence)]
        period = self._period(raw["date"], sentence)
        key = (name_key(surfaces[0]), relation_stem(relation), name_key(surfaces[1]), period.key())
        if key in self.triples:
            self.dropped[REPEATED] += 1
            return
        self.triples[key] = Triple(
            surfaces[0],
            relation,
            surfaces[1],
            EdgeType(raw["kind"]),
            _joined(held) if len(held) == len(ends) else sentence,
            round(_STATED * factor * _CERTAINTY[raw["status"]], 4),
            denied,
            period,
        )
        for end in ends:
            self._mention(end, labels.get(name_key(end)))

    def _claim(self, raw: Mapping[str, Any]) -> None:
        span = self._sentence(raw["sentence"])
        subject = raw["subject"]
        known = _is_name(subject) and (
            bool(locate(self.sentences.text, subject)) or self._is_title(subject)
        )
        if span is None or not known:
            self.dropped[NOT_IN_TEXT] += 1
            return
        held = self.claims.get(span)
        subjects = (subject,) if held is None else (*held.subjects, subject)
        period = self._period(raw["date"], span)
        if period == NO_PERIOD:
            period = held.period if held is not None else self._first_period(span)
        status = raw["status"] if held is None else held.status
        self.claims[span] = StatedClaim(
            self.sentences.text[span.start : span.end],
            span,
            tuple({name_key(one): one for one in reversed(subjects)}.values())[::-1],
            period,
            status,
            _CERTAINTY[status],
        )

    def _place_of(
        self, number: int, ends: Sequence[str]
    ) -> tuple[Span, list[Span | None], float] | None:
        """Return the sentence that states a triple, where its ends stand, and how sure that is."""
        text = self.sentences.text
        where = [locate(text, end) for end in ends]
        told = self._sentence(number)
        others = [span for span in self.sentences.spans if span != told]
        for sentence in [*([told] if told is not None else []), *others]:
            inside = [_first_within(spans, sentence) for spans in where]
            if all(inside):
                return sentence, inside, 1.0
        if told is None:
            return None
        inside = [_first_within(spans, told) for spans in where]
        if not any(inside):
            return None
        anywhere = [
            near or (spans[0] if spans else None) for near, spans in zip(inside, where, strict=True)
        ]
        known = all(
            span is not None or self._is_title(end)
            for span, end in zip(anywhere, ends, strict=True)
        )
        return (told, anywhere, _ELSEWHERE) if known else None

    def _sentence(self, number: int) -> Span | None:
        spans = self.sentences.spans
        return spans[number - 1] if 1 <= number <= len(spans) else None

    def _written(self, end: str, span: Span | None) -> str:
        """Return an end as the text writes it, the title where only that holds it."""
        return end.strip() if span is None else self.sentences.text[span.start : span.end]

    def _is_title(self, surface: str) -> bool:
        if self.title is None:
            return False
        return name_key(surface) in {name_key(name) for name in title_names(self.title)}

    def _period(self, date: str, sentence: Span) -> Period:
        """Return the period that the model's date words name, if the sentence says them."""
        text = self.sentences.text[sentence.start : sentence.end]
        spots = locate(text, date)
        if not spots:
            return NO_PERIOD
        near = (
            found
            for found in find_periods(text)
            if any(_overlap(found.span, spot) for spot in spots)
        )
        first = next(near, None)
        return first.period if first is not None else NO_PERIOD

    def _first_period(self, sentence: Span) -> Period:
        found = find_periods(self.sentences.text[sentence.start : sentence.end])
        return found[0].period if found else NO_PERIOD


def _is_name(surface: str) -> bool:
    """Return whether a surface is more than a pronoun, a date, a number or function words."""
    words = folded_words(surface)
    if not words or len(surface) > _LONGEST_NAME or not any(map(str.isalpha, surface)):
        return False
    if len(words) == 1 and opens_with_pronoun(surface):
        return False
    without_dates = surface
    for found in find_periods(surface):
        without_dates = without_dates.replace(found.text, " ")
    return any(word not in STOP_WORDS for word in folded_words(without_dates))


def _kind(surface: str, label: str | None) -> NodeType:
    if label == _EVENT:
        return NodeType.EVENT
    if label == _CONCEPT or (label is None and surface.islower()):
        return NodeType.CONCEPT
    return NodeType.ENTITY


def _first_within(spans: Sequence[Span], outer: Span) -> Span | None:
    return next((span for span in spans if _within(span, outer)), None)


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _joined(spans: Sequence[Span]) -> Span:
    return Span(min(span.start for span in spans), max(span.end for span in spans))


def _length(span: Span) -> int:
    return span.end - span.start


def _place(item: tuple[Span, Any]) -> tuple[int, int]:
    return item[0].start, item[0].end
