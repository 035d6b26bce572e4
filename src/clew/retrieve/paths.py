"""Stage 3 of the hybrid guide: semantic path scores.

path_score(p) = number of question terms in the names and relations along p, plus a bonus for each
strong relation. `relevance_score` is that score a node of the path, at most 1: one matching term a
node is full relevance, and a long path has to earn its length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.core.knowledge import Edge
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import Query
from clew.core.results import Path, PathStep
from clew.retrieve.expansion import WAYS_KEPT, Expansion, Traversal, Way
from clew.retrieve.scope import edges_in_scope
from clew.text.tokens import terms

STRONG_RELATIONS = ("OWNS", "CONTROLS", "FOUNDED", "INVESTED_BY")
EDGE_BONUS = 0.1
PATHS_SHOWN = 20


def score_paths(
    query: Query,
    question_terms: Sequence[str],
    expansion: Expansion,
    *,
    graph: GraphStore,
    chunks: ChunkStore,
    strong_relations: Sequence[str] = STRONG_RELATIONS,
) -> tuple[Path, ...]:
    """Return the paths from seeds to what they reached, best first, at most twenty."""
    walks = [walk for traversal in expansion.traversals for walk in _walks(traversal)]
    if not walks:
        return ()
    edge_ids = sorted({way.edge for walk in walks for _, way in walk})
    edges = {edge.id: edge for edge in edges_in_scope(edge_ids, query, graph=graph, chunks=chunks)}
    node_ids = sorted(
        {node for walk in walks for target, way in walk for node in (target, way.source)}
    )
    names = {
        node.id: node.name
        for node in graph.nodes(query.collection, node_ids, principal=query.principal)
    }
    wanted = frozenset(question_terms)
    strong = frozenset(relation.upper() for relation in strong_relations)
    paths: dict[frozenset[int], Path] = {}
    for walk in walks:
        steps = tuple(_steps(walk, edges, names))
        if len(steps) == len(walk):
            path = score_path(steps, wanted, strong)
            paths.setdefault(frozenset(step.edge for step in steps), path)
    if not query.semantic_path_scoring:
        return tuple(sorted(paths.values(), key=lambda path: len(path.steps)))[:PATHS_SHOWN]
    return tuple(sorted(paths.values(), key=_best_first))[:PATHS_SHOWN]


def score_path(
    steps: tuple[PathStep, ...], question_terms: frozenset[str], strong: frozenset[str]
) -> Path:
    """Return the path with its score, relevance and matching terms (in the path's order)."""
    words = [steps[0].source_name]
    for step in steps:
        words += [step.relation.replace("_", " "), step.target_name]
    found = dict.fromkeys(term for term in terms(" ".join(words)) if term in question_terms)
    bonus = EDGE_BONUS * sum(step.relation.upper() in strong for step in steps)
    score = len(found) + bonus
    return Path(steps, score, min(1.0, score / (len(steps) + 1)), tuple(found))


def _best_first(path: Path) -> tuple[float, float, float, tuple[int, ...]]:
    confidence = min(step.confidence for step in path.steps)
    return (
        -path.score,
        -path.relevance_score,
        -confidence,
        tuple(step.edge for step in path.steps),
    )


def _walks(traversal: Traversal) -> Iterator[list[tuple[int, Way]]]:
    """Yield the shortest ways from the seed to each node, at most three a node."""
    for node, distance in traversal.distance.items():
        if distance == 0:
            continue
        for count, walk in enumerate(_back(traversal, node)):
            if count == WAYS_KEPT:
                break
            yield walk[::-1]


def _back(traversal: Traversal, node: int) -> Iterator[list[tuple[int, Way]]]:
    """Yield edge sequences from `node` back to the seed."""
    for way in traversal.ways[node]:
        if way.source == traversal.seed:
            yield [(node, way)]
        else:
            for rest in _back(traversal, way.source):
                yield [(node, way), *rest]


def _steps(
    walk: list[tuple[int, Way]], edges: dict[int, Edge], names: dict[int, str]
) -> Iterator[PathStep]:
    """Yield the steps; stops early at what the principal may not see."""
    for target, way in walk:
        edge = edges.get(way.edge)
        if edge is None or way.source not in names or target not in names:
            return
        best = max(edge.evidence, key=lambda row: row.confidence, default=None)
        yield PathStep(
            way.source,
            target,
            names[way.source],
            names[target],
            way.edge,
            edge.kind,
            edge.relation,
            way.forward,
            way.confidence,
            best.chunk if best else None,
        )
