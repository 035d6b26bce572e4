"""`Clew.graph`: neighbours, edges and timelines, as a principal sees them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from clew.core.errors import QueryError
from clew.core.graph_views import EdgeDetails, Neighbours, TimelineEntry
from clew.core.knowledge import EdgeType
from clew.core.query import ALL_RIGHTS, Principal
from clew.engine.asking import nodes_named
from clew.engine.components import Components
from clew.engine.graph_views.edges import edge_details
from clew.engine.graph_views.neighbours import KNOWLEDGE_KINDS, neighbours_of
from clew.engine.graph_views.timeline import timeline_of

MAX_LISTED = 10_000


class GraphViews:
    """Looks at the graph of a collection; `AsyncClew.graph` has the same methods, to be awaited."""

    def __init__(self, components: Components) -> None:
        self._components = components

    def neighbours(
        self,
        name: str | int,
        *,
        limit: int = 20,
        kinds: Iterable[EdgeType | str] = (),
        temporal_at: datetime | None = None,
        known_as_of: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> Neighbours:
        """Return what a thing, given by name or id, is joined to; surest edges first.

        `kinds` keeps to kinds of edges (none: all), `temporal_at` to what held then.

        Raises:
            NotFoundError: there is no such thing; the message gives names that come near.
            QueryError: a kind is unknown, or `limit` is out of range.
        """
        _require_limit(limit)
        _require_zone("temporal_at", temporal_at)
        wanted = [_edge_type(kind) for kind in kinds]
        with self._components.as_known(known_as_of) as components:
            node = nodes_named(components, name, principal=principal)[0]
            return neighbours_of(
                components.store,
                components.collection,
                node,
                limit=limit,
                kinds=wanted,
                at=temporal_at,
                principal=principal,
            )

    def edge(
        self,
        edge: int,
        *,
        known_as_of: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> EdgeDetails:
        """Return an edge, also a retired one, with each passage that states it.

        Raises:
            NotFoundError: there is none of that id.
        """
        with self._components.as_known(known_as_of) as components:
            return edge_details(components.store, components.collection, edge, principal=principal)

    def timeline(
        self,
        name: str | int | None = None,
        *,
        start: datetime | None = None,
        end: datetime | None = None,
        limit: int = 100,
        known_as_of: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[TimelineEntry, ...]:
        """Return what is dated, earliest first: edges and claims of a thing, or all edges.

        Raises:
            NotFoundError: there is no such thing; the message gives names that come near.
            QueryError: a time has no zone, or `limit` is out of range.
        """
        _require_limit(limit)
        _require_zone("start", start)
        _require_zone("end", end)
        with self._components.as_known(known_as_of) as components:
            node = None if name is None else nodes_named(components, name, principal=principal)[0]
            return timeline_of(
                components.store,
                components.collection,
                node,
                start=start,
                end=end,
                limit=limit,
                principal=principal,
            )


def _require_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_LISTED:
        raise QueryError(f"limit is {limit}; it must lie in 1..{MAX_LISTED}")


def _require_zone(name: str, moment: datetime | None) -> None:
    if moment is not None and moment.tzinfo is None:
        raise QueryError(f"{name} has no time zone; give one, such as +00:00")


def _edge_type(kind: EdgeType | str) -> EdgeType:
    if kind not in KNOWLEDGE_KINDS:
        known = ", ".join(sorted(KNOWLEDGE_KINDS))
        raise QueryError(f"unknown kind of edge {kind!r}; choose one of: {known}")
    return EdgeType(kind)
