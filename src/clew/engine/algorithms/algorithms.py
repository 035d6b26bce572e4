"""`Clew.algorithms`: graph algorithms whose results may be given to a question as seeds."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from clew.core.algorithms import CostedPaths, RankedNode, Rings
from clew.core.errors import QueryError
from clew.core.knowledge import EdgeType
from clew.core.query import ALL_RIGHTS, Principal
from clew.core.results import Answer, Retrieval
from clew.engine.algorithms.reading import Scope, edges_of_kinds, nodes_of
from clew.engine.components import Components
from clew.engine.loading import load
from clew.engine.naming import find_nodes

MOST_RESULTS = 10_000
LONGEST_RING = 12
MOST_HOPS = 8
MOST_PATHS = 100

Name = str | int


class Algorithms:
    """The graph algorithms of a collection; `AsyncClew.algorithms` has the same methods.

    All read live knowledge edges that the principal may see; passages do not take part. Members,
    ids and `nodes` of the results may be given as `seed_node_ids` of `ask` and `search`. A name
    that stands for several things stands for all of them.
    """

    def __init__(self, components: Components) -> None:
        self._components = components

    def pagerank(
        self,
        *,
        limit: int = 20,
        labels: Iterable[str] = (),
        kinds: Iterable[EdgeType | str] = (),
        damping: float = 0.85,
        temporal_at: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[RankedNode, ...]:
        """Return the nodes of highest PageRank, at a time if one is given; the scores of all sum to 1.

        `labels` keeps to nodes so labelled, after ranking; `kinds` to these kinds of edges.

        Raises:
            QueryError: a number is out of range, or a kind is unknown.
        """
        _require("limit", limit, 1, MOST_RESULTS)
        _require_damping(damping)
        with self._components.one_at_a_time():
            found: tuple[RankedNode, ...] = load("clew.engine.algorithms.ranking:ranked_nodes")(
                self._scope(kinds, temporal_at, principal),
                limit=limit,
                labels=_labels(labels),
                damping=damping,
            )
            return found

    def personalised_pagerank(
        self,
        *names: Name,
        limit: int = 20,
        labels: Iterable[str] = (),
        kinds: Iterable[EdgeType | str] = (),
        damping: float = 0.85,
        temporal_at: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[RankedNode, ...]:
        """Return the nodes nearest to those named, by a walk that starts again at them.

        The walk goes along and against edges. A thing without an edge gives nothing.

        Raises:
            NotFoundError: a name is unknown; the message gives names that come near.
            QueryError: no name is given, a number is out of range, or a kind is unknown.
        """
        return self._near(
            names, limit, labels, kinds, damping, temporal_at, principal, skip_known=False
        )

    def recommend(
        self,
        *names: Name,
        limit: int = 10,
        labels: Iterable[str] = (),
        kinds: Iterable[EdgeType | str] = (),
        damping: float = 0.85,
        temporal_at: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[RankedNode, ...]:
        """Return what is near to the named things and not joined to them yet, nearest first.

        It is `personalised_pagerank` without the things and what an edge joins to one of them.

        Raises:
            NotFoundError: a name is unknown; the message gives names that come near.
            QueryError: no name is given, a number is out of range, or a kind is unknown.
        """
        return self._near(
            names, limit, labels, kinds, damping, temporal_at, principal, skip_known=True
        )

    def cheapest_paths(
        self,
        first: Name,
        second: Name,
        *,
        limit: int = 3,
        max_hops: int = 6,
        hop_cost: float = 0.1,
        within: Retrieval | Answer | Iterable[int] | None = None,
        kinds: Iterable[EdgeType | str] = (),
        temporal_at: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> CostedPaths:
        """Return the cheapest paths between two things, edges walked either way (A*, k paths).

        An edge costs `hop_cost` less the logarithm of its confidence. `within` keeps to the nodes
        of a retrieved subgraph, or to given ones.

        Raises:
            NotFoundError: a name is unknown; the message gives names that come near.
            QueryError: both are one thing, a number is out of range, or a kind is unknown.
        """
        inside = nodes_of(within) if isinstance(within, Retrieval | Answer) else within
        return self._paths(
            [first],
            [second],
            limit=limit,
            max_hops=max_hops,
            hop_cost=hop_cost,
            both_ways=True,
            within=inside,
            scope=(kinds, temporal_at, principal),
        )

    def attack_paths(
        self,
        entries: Name | Iterable[Name],
        targets: Name | Iterable[Name],
        *,
        limit: int = 5,
        max_hops: int = 6,
        kinds: Iterable[EdgeType | str] = (),
        temporal_at: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> CostedPaths:
        """Return the likeliest ways from an entry to a target, edges walked forward only.

        A step succeeds with its edge's confidence, so the cheapest path is the one whose
        `probability`, the product of them, is highest: the greatest risk comes first.

        Raises:
            NotFoundError: a name is unknown; the message gives names that come near.
            QueryError: entries and targets are the same, a number is out of range, or a kind is
                unknown.
        """
        return self._paths(
            _several(entries),
            _several(targets),
            limit=limit,
            max_hops=max_hops,
            hop_cost=0.0,
            both_ways=False,
            within=None,
            scope=(kinds, temporal_at, principal),
        )

    def fraud_ring_detection(
        self,
        entity_type: str | Iterable[str],
        min_ring_size: int = 3,
        *,
        max_ring_size: int = 8,
        limit: int = 100,
        kinds: Iterable[EdgeType | str] = (),
        temporal_at: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> Rings:
        """Return rings among the nodes of a label or kind: directed cycles, and dense groups.

        Cycles have at most `max_ring_size` members; a dense group may have more, and in it every
        link lies in at least `min_ring_size` - 2 triangles. `kinds` keeps to these kinds of edges.

        Raises:
            QueryError: no type is given, a number is out of range, or a kind is unknown.
        """
        labels = _labels(entity_type)
        if not labels or not all(label.strip() for label in labels):
            raise QueryError("entity_type is empty; give a label, such as Account")
        _require("min_ring_size", min_ring_size, 2, LONGEST_RING)
        _require("max_ring_size", max_ring_size, min_ring_size, LONGEST_RING)
        _require("limit", limit, 1, MOST_RESULTS)
        with self._components.one_at_a_time():
            found: Rings = load("clew.engine.algorithms.ring_finding:find_rings")(
                self._scope(kinds, temporal_at, principal),
                labels,
                smallest=min_ring_size,
                largest=max_ring_size,
                limit=limit,
            )
            return found

    def _near(
        self,
        names: tuple[Name, ...],
        limit: int,
        labels: Iterable[str],
        kinds: Iterable[EdgeType | str],
        damping: float,
        temporal_at: datetime | None,
        principal: Principal,
        *,
        skip_known: bool,
    ) -> tuple[RankedNode, ...]:
        if not names:
            raise QueryError("no name is given; name at least one thing to start from")
        _require("limit", limit, 1, MOST_RESULTS)
        _require_damping(damping)
        with self._components.one_at_a_time():
            found: tuple[RankedNode, ...] = load("clew.engine.algorithms.ranking:nodes_near")(
                self._scope(kinds, temporal_at, principal),
                self._nodes(names, principal),
                limit=limit,
                labels=_labels(labels),
                damping=damping,
                skip_known=skip_known,
            )
            return found

    def _paths(
        self,
        first: Iterable[Name],
        second: Iterable[Name],
        *,
        limit: int,
        max_hops: int,
        hop_cost: float,
        both_ways: bool,
        within: Iterable[int] | None,
        scope: tuple[Iterable[EdgeType | str], datetime | None, Principal],
    ) -> CostedPaths:
        _require("limit", limit, 1, MOST_PATHS)
        _require("max_hops", max_hops, 1, MOST_HOPS)
        _require("hop_cost", hop_cost, 0.0, 100.0)
        principal = scope[2]
        with self._components.one_at_a_time():
            starts, ends = self._nodes(first, principal), self._nodes(second, principal)
            if set(starts) & set(ends):
                raise QueryError("a path needs two different things, and these are the same")
            found: CostedPaths = load("clew.engine.algorithms.routes:costed_paths")(
                self._scope(*scope),
                starts,
                ends,
                max_hops=max_hops,
                limit=limit,
                hop_cost=hop_cost,
                both_ways=both_ways,
                within=None if within is None else list(within),
            )
            return found

    def _scope(
        self, kinds: Iterable[EdgeType | str], at: datetime | None, principal: Principal
    ) -> Scope:
        if at is not None and at.tzinfo is None:
            raise QueryError("temporal_at has no time zone; give one, such as +00:00")
        wanted = edges_of_kinds(_kind(kind) for kind in kinds)
        return Scope(self._components.store, self._components.collection, at, principal, wanted)

    def _nodes(self, names: Iterable[Name], principal: Principal) -> list[int]:
        found = [
            node
            for name in names
            for node in find_nodes(
                self._components.store,
                self._components.collection,
                name,
                principal=principal,
                embedder=self._components.embedder,
            )
        ]
        if not found:
            raise QueryError("no name is given; name at least one thing on either side")
        return list(dict.fromkeys(found))


def _several(names: Name | Iterable[Name]) -> list[Name]:
    return [names] if isinstance(names, str | int) else list(names)


def _labels(labels: str | Iterable[str]) -> frozenset[str]:
    return frozenset([labels] if isinstance(labels, str) else labels)


def _kind(name: EdgeType | str) -> EdgeType:
    known = [kind for kind in EdgeType if kind is not EdgeType.MENTIONS]
    for kind in known:
        if name == kind.value:
            return kind
    choices = ", ".join(kind.value for kind in known)
    raise QueryError(f"unknown kind of edge {name!r}; choose of: {choices}")


def _require(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise QueryError(f"{name} is {value}; it must lie in {low}..{high}")


def _require_damping(damping: float) -> None:
    if not 0.0 <= damping < 1.0:
        raise QueryError(f"damping is {damping}; it must lie in 0..1, below 1")
