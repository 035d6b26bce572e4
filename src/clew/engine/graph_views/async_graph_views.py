"""`AsyncClew.graph`: the methods of `Clew.graph`, to be awaited."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterable
from datetime import datetime

from clew.core.graph_views import EdgeDetails, Neighbours, TimelineEntry
from clew.core.knowledge import EdgeType
from clew.core.query import ALL_RIGHTS, Principal
from clew.engine.graph_views.graph_views import GraphViews


class AsyncGraphViews:
    """`GraphViews` in threads. Arguments and errors are the same."""

    def __init__(self, graph: GraphViews) -> None:
        self._graph = graph

    async def neighbours(
        self,
        name: str | int,
        *,
        limit: int = 20,
        kinds: Iterable[EdgeType | str] = (),
        temporal_at: datetime | None = None,
        known_as_of: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> Neighbours:
        """As `GraphViews.neighbours`."""
        return await to_thread(
            self._graph.neighbours,
            name,
            limit=limit,
            kinds=kinds,
            temporal_at=temporal_at,
            known_as_of=known_as_of,
            principal=principal,
        )

    async def edge(
        self,
        edge: int,
        *,
        known_as_of: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> EdgeDetails:
        """As `GraphViews.edge`."""
        return await to_thread(self._graph.edge, edge, known_as_of=known_as_of, principal=principal)

    async def timeline(
        self,
        name: str | int | None = None,
        *,
        start: datetime | None = None,
        end: datetime | None = None,
        limit: int = 100,
        known_as_of: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[TimelineEntry, ...]:
        """As `GraphViews.timeline`."""
        return await to_thread(
            self._graph.timeline,
            name,
            start=start,
            end=end,
            limit=limit,
            known_as_of=known_as_of,
            principal=principal,
        )
