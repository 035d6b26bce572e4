"""Authority, recency and supersession of documents in the ranking of passages.

score' = score + spread * (a * (2 authority - 1) + r * (2 recency - 1)), where spread is the
difference of the best and the last score: the same weight means the same in every mode, whatever
its scores. Recency halves every 365 days; what is unknown counts .5 and moves nothing. Then a
passage of a document that supersedes or amends another goes before what it replaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from posixpath import basename, dirname

import numpy as np

from clew.core.calibration import PairKind
from clew.core.documents import Document
from clew.core.ids import format_id
from clew.core.precedence import Precedence
from clew.core.query import Query, RetrievalMode
from clew.core.results import Result, Retrieval
from clew.retrieve.evidence_ranking import UNKNOWN, recency_weight
from clew.retrieve.parts import Parts
from clew.text.names import name_key

NEARNESS = 0.8
"""An amendment goes first where its passage is at least this share as near to the question as the
passage it amends: an amendment of one clause says nothing about the others."""


@dataclass(frozen=True, slots=True)
class PrecedenceWeights:
    """Weights of authority and recency, 0 or more; `supersession` switches the last step."""

    authority: float = 0.05
    recency: float = 0.05
    supersession: bool = True
    half_life_days: float = 365.0


def ordered_by_precedence(
    found: Retrieval, known: Precedence, *, parts: Parts, weights: PrecedenceWeights
) -> Retrieval:
    """Return the retrieval with its passages in the order of their standing, each part shown.

    Mode `dual` has weighed authority and recency itself; a question about a time in the past takes
    no recency, and no amendment that was published after that time.
    """
    query = found.query
    if not known or not found.results or query.mode is RetrievalMode.GLOBAL:
        return found
    documents = _documents(query, (result.document for result in found.results), parts)
    if (known.rated or known.dated) and query.mode is not RetrievalMode.DUAL:
        results = _weighed(found, documents, parts=parts, weights=weights)
        found = replace(found, results=results)
    if weights.supersession and (known.named or known.titled):
        return _superseded(found, known, documents, parts=parts)
    return found


def _weighed(
    found: Retrieval,
    documents: Mapping[int, Document],
    *,
    parts: Parts,
    weights: PrecedenceWeights,
) -> tuple[Result, ...]:
    scores = [result.score for result in found.results]
    spread = (max(scores) - min(scores)) or abs(max(scores)) or 1.0
    now = found.query.temporal_at or parts.clock()
    weighed = []
    for result in found.results:
        document = documents.get(result.document)
        authority = document.authority if document else None
        recency = recency_weight(
            document.published_at if document and not found.temporal.views else None,
            now=now,
            half_life_days=weights.half_life_days,
        )
        shown = {
            "relevance": result.score,
            "authority": UNKNOWN if authority is None else authority,
            "recency": recency,
        }
        gain = weights.authority * (2 * shown["authority"] - 1) + weights.recency * (
            2 * recency - 1
        )
        weighed.append(
            replace(
                result,
                score=result.score + spread * gain,
                score_parts={**result.score_parts, **shown},
            )
        )
    return tuple(sorted(weighed, key=lambda result: -result.score))


def _superseded(
    found: Retrieval, known: Precedence, documents: Mapping[int, Document], *, parts: Parts
) -> Retrieval:
    """Return the passages with each amendment before what it amends, and notes that say so."""
    query = found.query
    newer = _Newer(query, known, _asked_time(found), parts)
    chains = {identifier: newer.chain(document) for identifier, document in documents.items()}
    if not any(chains.values()):
        return found
    passages = _Passages(query, found.results, parts)
    placed: dict[int, Result] = {}
    notes: dict[str, None] = {}
    for result in found.results:
        if result.id in placed:
            continue
        replaced = False
        for document in chains.get(result.document, ()):
            passage = passages.best_of(document, instead_of=result)
            if passage is None:
                continue
            replaced = True
            notes[f"{_name(documents[result.document])} is superseded by {_name(document)}"] = None
            before = placed.get(passage.id, replace(passage, score=result.score))
            placed[passage.id] = _marked(before, "supersedes")
        placed[result.id] = _marked(result, "superseded") if replaced else result
    kept = tuple(placed.values())[: query.top_k]
    shown = {result.id for result in kept}
    return replace(
        found,
        results=kept,
        notes=(*found.notes, *notes),
        suppressed=tuple(row for row in found.suppressed if row.id not in shown),
    )


def _asked_time(found: Retrieval) -> datetime | None:
    """Return the moment up to which documents count, None for the present."""
    if found.query.temporal_at is not None:
        return found.query.temporal_at
    return found.temporal.end if found.temporal.views else None


@dataclass(frozen=True, slots=True)
class _Newer:
    """Finds the documents that supersede others."""

    query: Query
    known: Precedence
    asked: datetime | None
    parts: Parts

    def chain(self, document: Document) -> tuple[Document, ...]:
        """Return what supersedes a document, directly or through others, the newest first."""
        found: dict[str, Document] = {}
        frontier = [document]
        while frontier:
            sources = {source for held in frontier for source in self._sources(held)}
            fresh = sorted(sources - found.keys() - {document.source})
            frontier = self._read(fresh) if fresh else []
            found |= {held.source: held for held in frontier}
        return tuple(reversed(found.values()))

    def _sources(self, document: Document) -> Iterator[str]:
        keys = set(map(name_key, _references(document)))
        folder = dirname(document.source)
        for source, named in self.known.named.items():
            if not keys.isdisjoint(named):
                yield source
        for source, titled in self.known.titled.items():
            # Titles repeat from case to case: within one folder they speak of each other.
            if name_key(document.title) in titled and dirname(source) == folder:
                yield source

    def _read(self, sources: Sequence[str]) -> list[Document]:
        held = self.parts.chunks.documents(
            self.query.collection,
            sources=sources,
            filter=self.query.filter,
            principal=self.query.principal,
        )
        return [
            document
            for document in held
            if self.asked is None
            or document.published_at is None
            or document.published_at <= self.asked
        ]


class _Passages:
    """The passage of a document that is nearest to the question."""

    def __init__(self, query: Query, results: Sequence[Result], parts: Parts) -> None:
        self._query = query
        self._parts = parts
        self._vector = parts.embedder.embed_questions([query.text])[0]
        self._results = {result.id: result for result in results}
        self._nearness = self._measured(self._results)
        self._best: dict[int, Result | None] = {}

    def best_of(self, document: Document, *, instead_of: Result) -> Result | None:
        """Return it if it is near enough to go before a result, else None."""
        if document.id not in self._best:
            self._best[document.id] = self._search(document)
        best = self._best[document.id]
        if best is None:
            return None
        enough = NEARNESS * self._nearness.get(instead_of.id, 0.0)
        return best if self._nearness.get(best.id, 0.0) >= enough else None

    def _search(self, document: Document) -> Result | None:
        query, chunks = self._query, self._parts.chunks
        hits = chunks.search_vector(
            query.collection,
            self._vector,
            limit=1,
            filter=replace(query.filter, documents=frozenset({document.id})),
            principal=query.principal,
        )
        if not len(hits.ids):
            return None
        (identifier,) = hits.ids.tolist()
        known = self._results.get(identifier)
        if known is not None:
            return known
        held = chunks.chunks(query.collection, [identifier], principal=query.principal)
        if not held:
            return None
        cosine = float(hits.scores[0])
        self._nearness |= self._measured([identifier])
        return Result(
            identifier,
            document.id,
            held[0].text,
            0.0,
            similarity=cosine,
            calibrated=self._nearness[identifier],
            signals=("supersession",),
        )

    def _measured(self, ids: Iterable[int]) -> dict[int, float]:
        """Return calibrated cosines to the question by passage; none without vectors."""
        wanted = np.array(list(ids), np.int64)
        vectors = self._parts.chunks.vectors(self._query.collection, wanted)
        if not vectors.shape[1]:
            return {}
        spread = self._parts.embedder.calibration.apply(
            np.asarray(vectors @ self._vector, np.float32), PairKind.QUESTION_PASSAGE
        )
        return dict(zip(wanted.tolist(), spread.tolist(), strict=True))


def _documents(query: Query, ids: Iterable[int], parts: Parts) -> dict[int, Document]:
    held = parts.chunks.documents(query.collection, ids=sorted(set(ids)), principal=query.principal)
    return {document.id: document for document in held}


def _references(document: Document) -> tuple[str, ...]:
    """Return what other documents may call one."""
    source = document.source
    return tuple(filter(None, (source, basename(source), document.title, format_id(document.id))))


def _marked(result: Result, part: str) -> Result:
    return replace(result, score_parts={**result.score_parts, part: 1.0})


def _name(document: Document) -> str:
    return document.title or document.source
