"""The k cheapest simple paths under a limit of hops, by A* within Yen's scheme.

Sources: Hart, Nilsson and Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost
Paths (1968); Yen, Finding the K Shortest Loopless Paths in a Network (1971).
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from clew.graph.edge_graph import EdgeGraph

HOP_COST = 0.1
_LEAST_CONFIDENCE = 1e-6


@dataclass(frozen=True, slots=True)
class Link:
    """An edge as it may be walked, from row `source` to row `target`."""

    source: int
    target: int
    edge: int
    kind: int
    forward: bool
    confidence: float
    cost: float


@dataclass(frozen=True, slots=True)
class Route:
    """Links from a start to an end, with their cost in all."""

    links: tuple[Link, ...]
    cost: float

    @property
    def rows(self) -> tuple[int, ...]:
        """Return the rows that it passes, ends included."""
        return (self.links[0].source, *(link.target for link in self.links))


class Network:
    """The cheapest link of each ordered pair of rows.

    A link costs `hop_cost` - ln(confidence), so that the cheapest path without hop cost is the
    likeliest one, and a hop cost prefers short ones. `both_ways` allows to walk against an edge.
    """

    def __init__(self, graph: EdgeGraph, *, hop_cost: float, both_ways: bool) -> None:
        best: dict[tuple[int, int], Link] = {}
        columns = (graph.source, graph.target, graph.edge, graph.kind, graph.confidence)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for source, target, edge, kind, confidence in rows:
            cost = hop_cost - log(min(1.0, max(confidence, _LEAST_CONFIDENCE)))
            found = [Link(source, target, edge, kind, True, confidence, cost)]
            if both_ways:
                found.append(Link(target, source, edge, kind, False, confidence, cost))
            for link in found:
                known = best.get((link.source, link.target))
                if source != target and (known is None or _rank(link) < _rank(known)):
                    best[link.source, link.target] = link
        self.leaving: dict[int, list[Link]] = defaultdict(list)
        self.entering: dict[int, list[Link]] = defaultdict(list)
        for link in best.values():
            self.leaving[link.source].append(link)
            self.entering[link.target].append(link)
        self.least = min((link.cost for link in best.values()), default=0.0)


def cheapest_routes(
    network: Network,
    starts: Collection[int],
    ends: Collection[int],
    *,
    max_hops: int,
    limit: int,
) -> list[Route]:
    """Return at most `limit` simple routes from a start to an end, cheapest first.

    At equal cost the one with fewer hops comes first, then the smaller rows. A route starts at a
    start and stops at the first end that it meets; a row that is both gives none.
    """
    ends = set(ends)
    starts = sorted(set(starts) - ends)
    hops = _hops_to(network, ends, max_hops)
    chosen: list[Route] = []
    waiting: list[tuple[float, int, tuple[int, ...], Route]] = []
    known: set[tuple[int, ...]] = set()

    def offer(route: Route | None) -> None:
        if route is not None and route.rows not in known:
            known.add(route.rows)
            heapq.heappush(waiting, (route.cost, len(route.links), route.rows, route))

    barred: set[int] = set()
    first = _cheapest(network, starts, ends, hops, max_hops, barred, {})
    offer(first)
    # Each start is a branch of an unseen root before all of them: once one is used, the others
    # are tried without it.
    used_starts: set[int] = set()
    while waiting and len(chosen) < limit:
        route = heapq.heappop(waiting)[3]
        chosen.append(route)
        if route.rows[0] not in used_starts:
            used_starts.add(route.rows[0])
            rest = [row for row in starts if row not in used_starts]
            offer(_cheapest(network, rest, ends, hops, max_hops, barred, {}))
        for place in range(len(route.links)):
            root = route.links[:place]
            passed = route.rows[: place + 1]
            taken = _taken_after(passed, [*chosen, *(entry[3] for entry in waiting)])
            spur = _cheapest(
                network,
                [passed[-1]],
                ends,
                hops,
                max_hops - place,
                set(passed[:-1]),
                {passed[-1]: taken},
            )
            if spur is not None:
                links = (*root, *spur.links)
                offer(Route(links, sum(link.cost for link in links)))
    return chosen


def _taken_after(root: tuple[int, ...], routes: Iterable[Route]) -> set[int]:
    """Return the rows to which known routes with the same beginning go on."""
    length = len(root)
    return {
        route.rows[length]
        for route in routes
        if len(route.rows) > length and route.rows[:length] == root
    }


def _cheapest(
    network: Network,
    starts: Sequence[int],
    ends: Collection[int],
    hops: Mapping[int, int],
    max_hops: int,
    barred: Collection[int],
    taken: Mapping[int, Collection[int]],
) -> Route | None:
    """Return the cheapest route by A*; None if there is none within `max_hops`.

    A row's bound is its distance to an end in hops times the least cost of a link, which is never
    too high. A row is entered again with fewer hops only, since it may be too far away for a
    cheaper way to go on.
    """
    queue: list[tuple[float, int, tuple[int, ...], float]] = [
        (hops[row] * network.least, 0, (row,), 0.0)
        for row in starts
        if hops.get(row, max_hops + 1) <= max_hops and row not in barred
    ]
    heapq.heapify(queue)
    fewest: dict[int, int] = {}
    links: dict[tuple[int, ...], tuple[Link, ...]] = {entry[2]: () for entry in queue}
    while queue:
        _, length, rows, cost = heapq.heappop(queue)
        row = rows[-1]
        if row in ends and length:
            return Route(links[rows], cost)
        if fewest.get(row, max_hops + 1) <= length:
            continue
        fewest[row] = length
        for link in network.leaving[row]:
            following = link.target
            left = hops.get(following, max_hops + 1)
            if (
                length + 1 + left > max_hops
                or following in barred
                or following in rows
                or following in taken.get(row, ())
            ):
                continue
            way = (*rows, following)
            links[way] = (*links[rows], link)
            total = cost + link.cost
            heapq.heappush(queue, (total + left * network.least, length + 1, way, total))
    return None


def _hops_to(network: Network, ends: Collection[int], max_hops: int) -> dict[int, int]:
    """Return how many hops each row is away from the nearest end, those within `max_hops`."""
    found = dict.fromkeys(ends, 0)
    queue = deque(ends)
    while queue:
        row = queue.popleft()
        if found[row] == max_hops:
            continue
        for link in network.entering[row]:
            if link.source not in found:
                found[link.source] = found[row] + 1
                queue.append(link.source)
    return found


def _rank(link: Link) -> tuple[float, int]:
    return link.cost, link.edge
