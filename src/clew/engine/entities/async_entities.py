"""`AsyncClew.entities`: the methods of `Clew.entities`, to be awaited."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterable

from clew.core.entities import EntityDetails, MergeReport, UnmergeReport
from clew.core.knowledge import NodeType
from clew.core.listing import NodeList, NodeOrder
from clew.core.query import ALL_RIGHTS, Principal
from clew.engine.entities.entities import Entities


class AsyncEntities:
    """`Entities` in threads. Arguments and errors are the same."""

    def __init__(self, entities: Entities) -> None:
        self._entities = entities

    async def list(
        self,
        *,
        search: str = "",
        prefix: str = "",
        kinds: Iterable[NodeType | str] = (),
        labels: Iterable[str] = (),
        order: NodeOrder | str = NodeOrder.MENTIONS,
        limit: int = 50,
        offset: int = 0,
        principal: Principal = ALL_RIGHTS,
    ) -> NodeList:
        """As `Entities.list`."""
        return await to_thread(
            self._entities.list,
            search=search,
            prefix=prefix,
            kinds=kinds,
            labels=labels,
            order=order,
            limit=limit,
            offset=offset,
            principal=principal,
        )

    async def show(
        self, name: str | int, *, limit: int = 20, principal: Principal = ALL_RIGHTS
    ) -> EntityDetails:
        """As `Entities.show`."""
        return await to_thread(self._entities.show, name, limit=limit, principal=principal)

    async def merge(self, kept: str | int, merged: str | int) -> MergeReport:
        """As `Entities.merge`."""
        return await to_thread(self._entities.merge, kept, merged)

    async def unmerge(self, name: str | int, other: str | int | None = None) -> UnmergeReport:
        """As `Entities.unmerge`."""
        return await to_thread(self._entities.unmerge, name, other)
