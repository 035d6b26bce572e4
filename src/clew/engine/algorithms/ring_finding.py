"""Rings among the nodes of given labels: cycles, and groups whose members are closely linked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise

import numpy as np

from clew.core.algorithms import Ring, RingForm, Rings
from clew.engine.algorithms.reading import Scope
from clew.graph.edge_graph import EdgeGraph, induced
from clew.graph.rings import STEP_BUDGET, cycles, dense_groups, density


def find_rings(
    scope: Scope, labels: Collection[str], *, smallest: int, largest: int, limit: int
) -> Rings:
    """Return cycles of `smallest` to `largest` nodes, and dense groups of at least max(3, `smallest`).

    A node counts if its label or kind is one of `labels`, whatever their case. A group whose
    members form a cycle already is left out. First comes what has the highest product of density
    and confidence, then the larger one.
    """
    whole = scope.whole()
    wanted = {label.casefold() for label in labels}
    names = {
        node.id: node.name
        for node in scope.nodes(whole.ids.tolist())
        if wanted & {(node.label or "").casefold(), node.kind.value}
    }
    graph = induced(whole, np.array(sorted(names), np.int64))
    surest = _surest(graph)
    found = cycles(graph, smallest=smallest, largest=largest)
    rings = [
        _ring(graph, names, cycle, RingForm.CYCLE, _around(surest, cycle)) for cycle in found.cycles
    ]
    in_cycles = {frozenset(cycle) for cycle in found.cycles}
    rings += [
        _ring(graph, names, group, RingForm.DENSE, _inside(graph, group))
        for group in dense_groups(graph, smallest=max(3, smallest))
        if frozenset(group) not in in_cycles
    ]
    rings.sort(key=lambda ring: (-ring.density * ring.confidence, -len(ring.members), ring.members))
    partial = [] if found.complete else [f"the search for cycles ended after {STEP_BUDGET} steps"]
    if len(rings) > limit:
        partial.append(
            f"{len(rings) - limit} more rings were left out; raise the limit to see them"
        )
    return Rings(tuple(rings[:limit]), tuple(partial))


def _ring(
    graph: EdgeGraph,
    names: Mapping[int, str],
    rows: Collection[int],
    form: RingForm,
    edges: Iterable[int],
) -> Ring:
    members = tuple(graph.ids[list(rows)].tolist())
    places = list(edges)
    return Ring(
        members=members,
        names=tuple(names[member] for member in members),
        form=form,
        edge_ids=tuple(graph.edge[places].tolist()),
        density=density(graph, list(rows)),
        confidence=float(graph.confidence[places].mean()),
    )


def _surest(graph: EdgeGraph) -> dict[tuple[int, int], int]:
    """Return the place of the surest edge of each ordered pair of rows, ties by edge id."""
    order = np.lexsort((-graph.edge, graph.confidence))
    pairs = zip(graph.source[order].tolist(), graph.target[order].tolist(), strict=True)
    return dict(zip(pairs, order.tolist(), strict=True))


def _around(surest: Mapping[tuple[int, int], int], cycle: tuple[int, ...]) -> list[int]:
    return [surest[pair] for pair in pairwise((*cycle, cycle[0]))]


def _inside(graph: EdgeGraph, group: Collection[int]) -> list[int]:
    rows = list(group)
    inside = np.isin(graph.source, rows) & np.isin(graph.target, rows)
    inside &= graph.source != graph.target
    return [int(place) for place in np.flatnonzero(inside)]
