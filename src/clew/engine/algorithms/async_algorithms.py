"""`AsyncClew.algorithms`: the methods of `Clew.algorithms`, to be awaited."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterable
from datetime import datetime

from clew.core.algorithms import CostedPaths, RankedNode, Rings
from clew.core.knowledge import EdgeType
from clew.core.query import ALL_RIGHTS, Principal
from clew.core.results import Answer, Retrieval
from clew.engine.algorithms.algorithms import Algorithms, Name


class AsyncAlgorithms:
    """`Algorithms` in threads. Arguments and errors are the same."""

    def __init__(self, algorithms: Algorithms) -> None:
        self._algorithms = algorithms

    async def pagerank(
        self,
        *,
        limit: int = 20,
        labels: Iterable[str] = (),
        kinds: Iterable[EdgeType | str] = (),
        damping: float = 0.85,
        temporal_at: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[RankedNode, ...]:
        """As `Algorithms.pagerank`."""
        return await to_thread(
            self._algorithms.pagerank,
            limit=limit,
            labels=labels,
            kinds=kinds,
            damping=damping,
            temporal_at=temporal_at,
            principal=principal,
        )

    async def personalised_pagerank(
        self,
        *names: Name,
        limit: int = 20,
        labels: Iterable[str] = (),
        kinds: Iterable[EdgeType | str] = (),
        damping: float = 0.85,
        temporal_at: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[RankedNode, ...]:
        """As `Algorithms.personalised_pagerank`."""
        return await to_thread(
            self._algorithms.personalised_pagerank,
            *names,
            limit=limit,
            labels=labels,
            kinds=kinds,
            damping=damping,
            temporal_at=temporal_at,
            principal=principal,
        )

    async def recommend(
        self,
        *names: Name,
        limit: int = 10,
        labels: Iterable[str] = (),
        kinds: Iterable[EdgeType | str] = (),
        damping: float = 0.85,
        temporal_at: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[RankedNode, ...]:
        """As `Algorithms.recommend`."""
        return await to_thread(
            self._algorithms.recommend,
            *names,
            limit=limit,
            labels=labels,
            kinds=kinds,
            damping=damping,
            temporal_at=temporal_at,
            principal=principal,
        )

    async def cheapest_paths(
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
        """As `Algorithms.cheapest_paths`."""
        return await to_thread(
            self._algorithms.cheapest_paths,
            first,
            second,
            limit=limit,
            max_hops=max_hops,
            hop_cost=hop_cost,
            within=within,
            kinds=kinds,
            temporal_at=temporal_at,
            principal=principal,
        )

    async def attack_paths(
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
        """As `Algorithms.attack_paths`."""
        return await to_thread(
            self._algorithms.attack_paths,
            entries,
            targets,
            limit=limit,
            max_hops=max_hops,
            kinds=kinds,
            temporal_at=temporal_at,
            principal=principal,
        )

    async def fraud_ring_detection(
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
        """As `Algorithms.fraud_ring_detection`."""
        return await to_thread(
            self._algorithms.fraud_ring_detection,
            entity_type,
            min_ring_size,
            max_ring_size=max_ring_size,
            limit=limit,
            kinds=kinds,
            temporal_at=temporal_at,
            principal=principal,
        )
