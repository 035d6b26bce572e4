"""Stage 3 of the hybrid guide: semantic path scores.

path_score(p) = number of question terms in the names and relations along p, plus a bonus for each
strong relation. `relevance_score` is that score a node of the path, at most 1: one matching term a
node is full relevance, and a long path has to earn its length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from clew.core.knowledge import Edge
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import Query
from clew.core.results import Path, PathStep
from clew.graph.shortest_ways import Arc, Way
from clew.retrieve.expansion import WAYS_KEPT, Expansion, Traversal
from clew.retrieve.scope import document_scope, edges_in_scope
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
    edge_ids = sorted({arc.edge for way in ways for arc in way})
    edges = {edge.id: edge for edge in edges_in_scope(edge_ids, query, graph=graph, chunks=chunks)}
    node_ids = sorted({end for way in ways for arc in way for end in (arc.source, arc.target)})
    names = {
        node.id: node.name
        for node in graph.nodes(
            query.collection,
            node_ids,
            filter=document_scope(query),
            principal=query.principal,
        )
    }
    wanted = frozenset(question_terms)
    strong = frozenset(map(relation_stem, strong_relations))
    paths: dict[frozenset[int], Path] = {}
    for way in ways:
        steps = tuple(_steps(way, edges, names))
        if len(steps) == len(way):
            path = score_path(steps, wanted, strong)
            paths.setdefault(frozenset(step.edge for step in steps), path)
    if not query.semantic_path_scoring:
        return tuple(sorted(paths.values(), key=lambda path: len(path.steps)))[:PATHS_SHOWN]
    return tuple(sorted(paths.values(), key=_best_first))[:PATHS_SHOWN]


def score_path(
    steps: tuple[PathStep, ...], question_terms: frozenset[str], strong: frozenset[str]
) -> Path:
    """Return the path with its score, relevance and matching terms, in the path's order.

    Words compare by `text.stems`; `strong` holds `relation_stem` of the strong relations.
    """
    words = [steps[0].source_name]
    for step in steps:
        words += [step.relation.replace("_", " "), step.target_name]
    asked = {stem(term): term for term in sorted(question_terms)}
    stems = dict.fromkeys(stem(term) for term in terms(" ".join(words)))
    found = dict.fromkeys(asked[one] for one in stems if one in asked)
    bonus = EDGE_BONUS * sum(relation_stem(step.relation) in strong for step in steps)
    score = len(found) + bonus
    return Path(steps, score, min(1.0, score / (len(steps) + 1)), tuple(found))


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


def _steps(way: Way, edges: Mapping[int, Edge], names: Mapping[int, str]) -> Iterator[PathStep]:
    """Yield the steps; stops early at what is out of scope or out of sight."""
    for arc in way:
        edge = edges.get(arc.edge)
        if edge is None or arc.source not in names or arc.target not in names:
            return
        yield path_step(arc, edge, names)


def path_step(arc: Arc, edge: Edge, names: Mapping[int, str]) -> PathStep:
    """Return an arc in words, with the passage that states it best."""
    best = max(edge.evidence, key=lambda row: row.confidence, default=None)
    return PathStep(
        arc.source,
        arc.target,
        names[arc.source],
        names[arc.target],
        arc.edge,
        edge.kind,
        edge.relation,
        arc.forward,
        arc.confidence,
        best.chunk if best else None,
    )
