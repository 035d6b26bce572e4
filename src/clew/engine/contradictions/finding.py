"""Sources that contradict what an answer cites, each pair with the side that the ranking prefers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from clew.core.contradictions import (
    Contradiction,
    ContradictionKind,
    Position,
    Preference,
)
from clew.core.documents import Chunk, Document, Span
from clew.core.results import Answer, Result
from clew.engine.components import Components
from clew.engine.contradictions.sentences import Clash, Sentence, clashes, read_sentences
from clew.engine.contradictions.statements import StatedClash, stated_clashes
from clew.engine.indexing.supersession import relation_stems
from clew.reason.display import display_text
from clew.text.sentences import sentence_spans

MOST = 10
"""Contradictions that are reported at most."""


def with_contradictions(components: Components, answer: Answer) -> Answer:
    """Return the answer with the sources that contradict it.

    Looked at are the passages that were retrieved, and the statements of the graph on the things
    named in what is cited.

    Raises:
        StoreError: the store cannot be read.
    """
    if not (components.settings.answer.contradictions and answer.answered and answer.sources):
        return answer
    sources = _Sources(components, answer)
    found = [*sources.of_the_graph(), *sources.of_the_text()]
    once: dict[frozenset[tuple[int, Span]], Contradiction] = {}
    for each in found:
        sides = frozenset((side.chunk_id, side.span) for side in (each.preferred, each.other))
        once.setdefault(sides, each)
    return replace(answer, contradictions=tuple(once.values())[:MOST])


@dataclass(frozen=True, slots=True)
class _Side:
    value: str
    chunk: int
    span: Span


class _Sources:
    """The passages of an answer and what they say."""

    def __init__(self, components: Components, answer: Answer) -> None:
        self._components = components
        self._query = answer.retrieval.query
        self._results = {result.id: result for result in answer.retrieval.results}
        self._rank = {chunk: place for place, chunk in enumerate(self._results)}
        self._chunks: dict[int, Chunk] = {}
        self._documents: dict[int, Document] = {}
        self._read({*self._results, *(source.chunk_id for source in answer.sources)})
        self._cited = self._cited_spans(answer)

    def of_the_graph(self) -> Iterator[Contradiction]:
        """Yield values of relations that have but one, dates and denials."""
        stems = relation_stems(self._components.settings.knowledge.single_valued)
        found = list(stated_clashes(self._components.store, self._query, self._cited, stems))
        self._read({clash.other.chunk for clash in found})
        for clash in found:
            yield from self._judged(
                clash.kind,
                _Side(clash.cited.value, clash.cited.chunk, clash.cited.span),
                _Side(clash.other.value, clash.other.chunk, clash.other.span),
                clash,
            )

    def of_the_text(self) -> Iterator[Contradiction]:
        """Yield sentences that differ in a number or a denial."""
        sentences = [
            sentence
            for chunk in self._chunks.values()
            for sentence in read_sentences(chunk.id, chunk.text)
        ]
        cited = [each for each in sentences if self._is_cited(each)]
        for clash in clashes(cited, sentences):
            first, second = (_side_of(clash, each) for each in (clash.first, clash.second))
            yield from self._judged(clash.kind, first, second, None)

    def _judged(
        self, kind: ContradictionKind, first: _Side, second: _Side, stated: StatedClash | None
    ) -> Iterator[Contradiction]:
        """Yield the contradiction of two documents, nothing for one document or unseen ones."""
        one, other = self._position(first), self._position(second)
        if one is None or other is None or one.doc_id == other.doc_id:
            return
        preferred, reason = self._preferred(one, other)
        yield Contradiction(
            kind,
            preferred,
            other if preferred is one else one,
            reason,
            subject=stated.subject if stated else None,
            relation=stated.relation if stated else None,
        )

    def _preferred(self, one: Position, other: Position) -> tuple[Position, Preference]:
        marks = [self._parts_of(each) for each in (one, other)]
        for first, second, position in ((marks[0], marks[1], one), (marks[1], marks[0], other)):
            if "supersedes" in first and "superseded" in second:
                return position, Preference.SUPERSEDES
        for reason in (Preference.AUTHORITY, Preference.RECENCY):
            worth = [_standing(each, reason) for each in (one, other)]
            if None not in worth and worth[0] != worth[1]:
                return (one if worth[0] > worth[1] else other), reason  # type: ignore[operator]
        last = len(self._rank)
        ranks = [self._rank.get(each.chunk_id, last) for each in (one, other)]
        return (one if ranks[0] <= ranks[1] else other), Preference.RANK

    def _parts_of(self, position: Position) -> Mapping[str, float]:
        result: Result | None = self._results.get(position.chunk_id)
        return result.score_parts if result is not None else {}

    def _position(self, side: _Side) -> Position | None:
        chunk = self._chunks.get(side.chunk)
        document = self._documents.get(chunk.document) if chunk else None
        if chunk is None or document is None:
            return None
        span = _sentence_around(chunk.text, side.span)
        whole = chunk.span.start
        return Position(
            value=side.value,
            doc_id=document.id,
            chunk_id=chunk.id,
            title=display_text(document.title),
            source=document.source,
            snippet=display_text(chunk.text[span.start : span.end]),
            span=chunk.span
            if chunk.original is not None
            else Span(whole + span.start, whole + span.end),
            published_at=document.published_at,
            authority=document.authority,
        )

    def _read(self, chunks: Iterable[int]) -> None:
        store, query = self._components.store, self._query
        wanted = sorted(set(chunks) - self._chunks.keys())
        held = store.chunks(query.collection, wanted, principal=query.principal)
        self._chunks |= {chunk.id: chunk for chunk in held}
        owners = sorted({chunk.document for chunk in held} - self._documents.keys())
        for document in store.documents(query.collection, ids=owners, principal=query.principal):
            self._documents[document.id] = document

    def _cited_spans(self, answer: Answer) -> dict[int, list[Span]]:
        """Return what is cited of each passage, as spans of its text."""
        cited: dict[int, list[Span]] = {}
        for source in answer.sources:
            chunk = self._chunks.get(source.chunk_id)
            if chunk is None:
                continue
            whole = Span(0, len(chunk.text))
            start = chunk.span.start
            inside = Span(source.span.start - start, source.span.end - start)
            cited.setdefault(chunk.id, []).append(whole if chunk.original is not None else inside)
        return cited

    def _is_cited(self, sentence: Sentence) -> bool:
        spans: Sequence[Span] = self._cited.get(sentence.chunk, ())
        return any(
            sentence.span.start < span.end and span.start < sentence.span.end for span in spans
        )


def _side_of(clash: Clash, sentence: Sentence) -> _Side:
    if clash.kind is ContradictionKind.DENIAL:
        return _Side("denied" if sentence.denied else "stated", sentence.chunk, sentence.span)
    pairs = zip(clash.first.numbers, clash.second.numbers, strict=True)
    differing = [place for place, (one, other) in enumerate(pairs) if one != other]
    return _Side(
        ", ".join(sentence.numbers[place] for place in differing), sentence.chunk, sentence.span
    )


def _standing(position: Position, reason: Preference) -> float | None:
    """Return what tells two documents apart, None where it is unknown."""
    if reason is Preference.AUTHORITY:
        return position.authority
    return position.published_at.timestamp() if position.published_at is not None else None


def _sentence_around(text: str, span: Span) -> Span:
    """Return the sentence that a span lies in."""
    for sentence in sentence_spans(text):
        if sentence.start <= span.start < sentence.end:
            return sentence
    return span
