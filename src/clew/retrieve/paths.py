"""Stage 3 of the hybrid guide: semantic path scores.

path_score(p) = number of question terms in the names and relations along p, plus a bonus for each
strong relation. `relevance_score` is that score a node of the path, at most 1: one matching term a
node is full relevance, and a long path has to earn its length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from clew.core.arrays import NO_CHUNK, EdgeLabels, Ids
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import Query
from clew.core.results import Path, PathStep
from clew.graph.shortest_ways import Arc, Way
from clew.retrieve.expansion import WAYS_KEPT, Expansion, Traversal
from clew.retrieve.scope import document_scope, labels_in_scope
from clew.text.relations import relation_stem
from clew.text.stems import stem
from clew.text.tokens import terms

STRONG_RELATIONS = ("OWNS", "CONTROLS", "FOUNDED", "INVESTED_BY")
EDGE_BONUS = 0.1
PATHS_SHOWN = 20


def score_paths(
    query: Query,
    question_terms: Sequence[str],
    expansion: Expansion,
    connections: Sequence[Way],
    *,
    graph: GraphStore,
    chunks: ChunkStore,
    strong_relations: Sequence[str] = STRONG_RELATIONS,
) -> tuple[Path, ...]:
    """Return the paths from seeds to what they reached, and the connections, best first.

    At most twenty, each set of edges once.
    """
    ways = [*connections, *(way for each in expansion.traversals for way in _ways(each))]
    if not ways:
        return ()
    edge_ids = np.unique(np.array([arc.edge for way in ways for arc in way], np.int64))
    words = words_of(labels_in_scope(edge_ids, query, graph=graph, chunks=chunks), edge_ids)
    ends = [end for way in ways for arc in way for end in (arc.source, arc.target)]
    names = graph.node_names(
        query.collection,
        np.unique(np.array(ends, np.int64)),
        filter=document_scope(query),
        principal=query.principal,
    )
    scorer = _Scorer(
        frozenset(question_terms), frozenset(map(relation_stem, strong_relations)), names, words
    )
    scored: dict[frozenset[int], _ScoredWay] = {}
    for way in ways:
        edges = frozenset([arc.edge for arc in way])
        if edges not in scored and scorer.knows(way):
            scored[edges] = scorer.score(way)
    if query.semantic_path_scoring:
        best = sorted(scored.values(), key=_way_rank)[:PATHS_SHOWN]
    else:
        best = sorted(scored.values(), key=lambda found: len(found.way))[:PATHS_SHOWN]
    return tuple(
        Path(
            tuple(path_step(arc, words[arc.edge], names) for arc in found.way),
            found.score,
            found.relevance,
            found.terms,
        )
        for found in best
    )


def words_of(labels: EdgeLabels, ids: Ids) -> dict[int, EdgeWords]:
    """Return relation and best passage of the edges that are known, by id."""
    columns = zip(
        ids.tolist(), labels.known.tolist(), labels.relations, labels.chunks.tolist(), strict=True
    )
    return {
        edge: EdgeWords(relation, None if chunk == NO_CHUNK else chunk)
        for edge, known, relation, chunk in columns
        if known
    }


def score_path(
    steps: tuple[PathStep, ...], question_terms: frozenset[str], strong: frozenset[str]
) -> Path:
    """Return the path with its score, relevance and matching terms, in the path's order.

    Words compare by `text.stems`; `strong` holds `relation_stem` of the strong relations.
    """
    matching = _Matching(question_terms)
    parts = [matching.terms_in(steps[0].source_name)]
    for step in steps:
        parts += [matching.terms_in(_spoken(step.relation)), matching.terms_in(step.target_name)]
    found = dict.fromkeys(chain.from_iterable(parts))
    score = _score(len(found), sum(relation_stem(step.relation) in strong for step in steps))
    return Path(steps, score, _relevance(score, len(steps)), tuple(found))


class EdgeWords(NamedTuple):
    """The relation of an edge, and the passage that states it best."""

    relation: str
    chunk: int | None


@dataclass(frozen=True, slots=True)
class _ScoredWay:
    way: Way
    score: float
    relevance: float
    terms: tuple[str, ...]


class _Matching:
    """Finds the terms of one question in names and relations, each looked at once."""

    def __init__(self, question_terms: frozenset[str]) -> None:
        self._asked = {stem(term): term for term in sorted(question_terms)}
        self._known: dict[str, tuple[str, ...]] = {}

    def terms_in(self, text: str) -> tuple[str, ...]:
        """Return the question's terms that stand in a text, in its order."""
        known = self._known.get(text)
        if known is None:
            stems = [stem(term) for term in terms(text)]
            known = tuple([self._asked[one] for one in stems if one in self._asked])
            self._known[text] = known
        return known


class _Scorer:
    """Scores ways before they become paths: most of them are not shown."""

    def __init__(
        self,
        question_terms: frozenset[str],
        strong: frozenset[str],
        names: Mapping[int, str],
        words: Mapping[int, EdgeWords],
    ) -> None:
        self._matching = _Matching(question_terms)
        self._names, self._words = names, words
        self._of_node = {node: self._matching.terms_in(name) for node, name in names.items()}
        self._of_edge = {
            edge: self._matching.terms_in(_spoken(said.relation)) for edge, said in words.items()
        }
        self._strong = {
            edge for edge, said in words.items() if relation_stem(said.relation) in strong
        }

    def knows(self, way: Way) -> bool:
        """Return whether all of a way is in scope and in sight."""
        names, words = self._names, self._words
        return way[0].source in names and all(
            arc.edge in words and arc.target in names for arc in way
        )

    def score(self, way: Way) -> _ScoredWay:
        """Return the way with its score; the formulas are those of `score_path`."""
        found = dict.fromkeys(self._of_node[way[0].source])
        for arc in way:
            found.update(dict.fromkeys(self._of_edge[arc.edge]))
            found.update(dict.fromkeys(self._of_node[arc.target]))
        score = _score(len(found), sum([arc.edge in self._strong for arc in way]))
        return _ScoredWay(way, score, _relevance(score, len(way)), tuple(found))


def _spoken(relation: str) -> str:
    return relation.replace("_", " ")


def _score(matching: int, strong: int) -> float:
    return matching + EDGE_BONUS * strong


def _relevance(score: float, hops: int) -> float:
    return min(1.0, score / (hops + 1))


def _way_rank(found: _ScoredWay) -> tuple[float, float, float, tuple[int, ...]]:
    confidence = min([arc.confidence for arc in found.way])
    return -found.score, -found.relevance, -confidence, tuple([arc.edge for arc in found.way])


def joined_paths(first: Sequence[Path], second: Sequence[Path]) -> tuple[Path, ...]:
    """Return the paths of both, each set of edges once, best first, at most twenty."""
    joined: dict[frozenset[int], Path] = {}
    for path in (*first, *second):
        joined.setdefault(frozenset(step.edge for step in path.steps), path)
    return tuple(sorted(joined.values(), key=_best_first))[:PATHS_SHOWN]


def _best_first(path: Path) -> tuple[float, float, float, tuple[int, ...]]:
    confidence = min(step.confidence for step in path.steps)
    return (
        -path.score,
        -path.relevance_score,
        -confidence,
        tuple(step.edge for step in path.steps),
    )


def _ways(traversal: Traversal) -> Iterator[Way]:
    """Yield the shortest ways from the seed to each node, at most three a node."""
    for node, distance in traversal.distance.items():
        if distance:
            yield from islice(_ways_to(traversal, node), WAYS_KEPT)


def _ways_to(traversal: Traversal, node: int) -> Iterator[Way]:
    for arc in traversal.arcs[node]:
        if arc.source == traversal.seed:
            yield (arc,)
        else:
            for way in _ways_to(traversal, arc.source):
                yield (*way, arc)


def path_step(arc: Arc, words: EdgeWords, names: Mapping[int, str]) -> PathStep:
    """Return an arc in words, with the passage that states it best."""
    return PathStep(
        arc.source,
        arc.target,
        names[arc.source],
        names[arc.target],
        arc.edge,
        arc.kind,
        words.relation,
        arc.forward,
        arc.confidence,
        words.chunk,
    )
