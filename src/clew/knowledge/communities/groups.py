"""Communities as groups of rows: their path, their members and the chunks that name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.core.arrays import Ids
from clew.core.knowledge import Community
from clew.graph.leiden import NO_COMMUNITY, Hierarchy
from clew.knowledge.communities.collection_graph import CollectionGraph


@dataclass(frozen=True, slots=True)
class Group:
    """A community before it is told to anybody: rows of its members, of the chunks that name
    them, of `naming`, and of the relations between members.

    `children` are the places of its parts in the list of groups; the deepest level has none.
    """

    level: int
    path: str
    parent: int | None
    children: tuple[int, ...]
    nodes: Ids
    chunks: Ids
    naming: Ids
    relations: Ids


def group_communities(content: CollectionGraph, hierarchy: Hierarchy) -> list[Group]:
    """Return the communities of every level, parents before children, by path."""
    found: list[Group] = []
    above = np.full(len(content.nodes), 0, np.int64)
    above[hierarchy.labels[0] == NO_COMMUNITY] = NO_COMMUNITY
    places = [-1]
    for level, labels in enumerate(hierarchy.labels):
        whole = above * (int(labels.max(initial=0)) + 1) + labels
        whole[above == NO_COMMUNITY] = NO_COMMUNITY
        numbers, above_rows = np.unique(whole[whole != NO_COMMUNITY], return_inverse=True)
        row_of = np.full(len(whole), NO_COMMUNITY, np.int64)
        row_of[whole != NO_COMMUNITY] = above_rows
        level_start = len(found)
        for nodes, naming, relations in _parts(content, row_of, len(numbers)):
            parent = places[int(above[nodes[0]])]
            prefix = f"{found[parent].path}." if parent >= 0 else ""
            found.append(
                Group(
                    level,
                    f"{prefix}level{level}_{labels[nodes[0]]}",
                    parent if parent >= 0 else None,
                    (),
                    nodes,
                    np.unique(content.naming.chunk[naming]),
                    naming,
                    relations,
                )
            )
        places = list(range(level_start, len(found)))
        above = row_of
    return _with_children(found)


def former_labels(stored: Sequence[Community], nodes: Ids, *, levels: int) -> Ids | None:
    """Return the former community of each node by level, None where there was none at all."""
    if not stored:
        return None
    labels = np.full((levels, len(nodes)), NO_COMMUNITY, np.int64)
    numbers = {path: row for row, path in enumerate(sorted({one.path for one in stored}))}
    for community in stored:
        if community.level < levels:
            members = np.array(community.members, np.int64)
            known = members[np.isin(members, nodes)]
            labels[community.level, np.searchsorted(nodes, known)] = numbers[community.path]
    return labels


def _parts(content: CollectionGraph, row_of: Ids, count: int) -> Iterator[tuple[Ids, Ids, Ids]]:
    """Yield by group the rows of its nodes, of what names one, and of relations inside."""
    every = np.arange(len(row_of))
    member = row_of != NO_COMMUNITY
    owner = row_of[content.naming.node]
    named = np.flatnonzero(owner != NO_COMMUNITY)
    relations = content.relations
    inside = np.flatnonzero(row_of[relations.source] == row_of[relations.target])
    yield from zip(
        _grouped(row_of[member], every[member], count),
        _grouped(owner[named], named, count),
        _grouped(row_of[relations.source[inside]], inside, count),
        strict=True,
    )


def _grouped(owner: Ids, values: Ids, count: int) -> list[Ids]:
    """Return the values of each owner 0 .. count - 1, in order."""
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(count + 1))
    ordered = values[order]
    return [ordered[bounds[row] : bounds[row + 1]] for row in range(count)]


def _with_children(groups: Sequence[Group]) -> list[Group]:
    children: dict[int, list[int]] = {}
    for place, group in enumerate(groups):
        if group.parent is not None:
            children.setdefault(group.parent, []).append(place)
    return [
        replace(group, children=tuple(children.get(place, ())))
        for place, group in enumerate(groups)
    ]
