"""Order of things along what precedes what, and in time where that leaves a choice."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CausalSequence:
    """Nodes in order. `cycles` are the groups that precede each other in a circle; `against_time`
    are the pairs whose stated order their dates contradict: (earlier by statement, later)."""

    nodes: tuple[int, ...]
    cycles: tuple[tuple[int, ...], ...]
    against_time: tuple[tuple[int, int], ...]


def causal_sequence(
    nodes: Sequence[int],
    precedes: Sequence[tuple[int, int]],
    times: Mapping[int, datetime],
) -> CausalSequence:
    """Return distinct `nodes` in topological order of `precedes`, then by time, then as given.

    A node without time takes the earliest of what it must precede, so that it does not hold that
    back; pairs with other ends than `nodes` are left out. Within a cycle, where no order exists,
    time decides and then the given order.
    """
    place = {node: index for index, node in enumerate(dict.fromkeys(nodes))}
    pairs = sorted({(a, b) for a, b in precedes if a in place and b in place and a != b})
    group = _groups(place, pairs)
    onward: dict[int, set[int]] = {each: set() for each in group.values()}
    for a, b in pairs:
        if group[a] != group[b]:
            onward[group[a]].add(group[b])
    members: dict[int, list[int]] = {}
    for node in place:
        members.setdefault(group[node], []).append(node)
    for held in members.values():
        held.sort(key=lambda node: (times.get(node, _NEVER), place[node]))
    ordered = _merged(onward, members, times, place)
    return CausalSequence(
        tuple(node for each in ordered for node in members[each]),
        tuple(tuple(members[each]) for each in ordered if len(members[each]) > 1),
        tuple((a, b) for a, b in pairs if a in times and b in times and times[a] > times[b]),
    )


def _groups(place: Mapping[int, int], pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return the strongly connected component of each node."""
    if not place:
        return {}
    rows = [place[a] for a, _ in pairs]
    columns = [place[b] for _, b in pairs]
    matrix = coo_array((np.ones(len(pairs)), (rows, columns)), shape=(len(place), len(place)))
    _, labels = connected_components(matrix.tocsr(), directed=True, connection="strong")
    return dict(zip(place, labels.tolist(), strict=True))


def _merged(
    onward: Mapping[int, set[int]],
    members: Mapping[int, list[int]],
    times: Mapping[int, datetime],
    place: Mapping[int, int],
) -> list[int]:
    """Return the groups in topological order, the earliest of those that are free first."""
    waiting = dict.fromkeys(onward, 0)
    for held_back in onward.values():
        for each in held_back:
            waiting[each] += 1
    rank = _deadlines(onward, members, times, dict(waiting))
    key = {each: (rank[each], min(place[node] for node in members[each])) for each in onward}
    free = [(*key[each], each) for each, count in waiting.items() if not count]
    heapq.heapify(free)
    ordered: list[int] = []
    while free:
        each = heapq.heappop(free)[-1]
        ordered.append(each)
        for following in sorted(onward[each]):
            waiting[following] -= 1
            if not waiting[following]:
                heapq.heappush(free, (*key[following], following))
    return ordered


def _deadlines(
    onward: Mapping[int, set[int]],
    members: Mapping[int, list[int]],
    times: Mapping[int, datetime],
    waiting: dict[int, int],
) -> dict[int, datetime]:
    """Return the earliest time of each group and all that it must precede."""
    order = [each for each, count in waiting.items() if not count]
    for each in order:
        for following in sorted(onward[each]):
            waiting[following] -= 1
            if not waiting[following]:
                order.append(following)
    earliest: dict[int, datetime] = {}
    for each in reversed(order):
        own = [times[node] for node in members[each] if node in times]
        earliest[each] = min([*own, *(earliest[one] for one in onward[each])], default=_NEVER)
    return earliest
