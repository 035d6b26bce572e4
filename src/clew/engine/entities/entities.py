"""`Clew.entities`: which things the documents speak of, and which names are one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from clew.core.decisions import Decisions
from clew.core.entities import EntityDetails, MergeReport, UnmergeReport
from clew.core.errors import NotFoundError, QueryError
from clew.core.knowledge import Node, NodeType
from clew.core.listing import NodeList, NodeOrder, NodeSelection
from clew.core.query import ALL_RIGHTS, Principal
from clew.engine.components import Components
from clew.engine.entities.details import entity_details
from clew.engine.entities.merging import find_merge, merge_nodes, the_node, undo_merge
from clew.engine.entities.splitting import split_name
from clew.engine.indexing.node_vectors import refresh_nodes
from clew.engine.indexing.run import Run
from clew.engine.indexing.supersession import relation_stems
from clew.engine.ingest import ingest_run
from clew.engine.naming import find_nodes

MAX_LISTED = 10_000

Member = TypeVar("Member", bound=StrEnum)


class Entities:
    """The entities of a collection; `AsyncClew.entities` has the same methods, to be awaited."""

    def __init__(
        self,
        components: Components,
        *,
        writing: AbstractContextManager[object],
        clock: Callable[[], datetime],
        window: int,
    ) -> None:
        self._components = components
        self._writing = writing
        self._clock = clock
        self._window = window

    def list(
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
        """Return entities, most mentioned first or by name, and how many there are in all.

        `search` is a part of a name or alias, `prefix` the beginning of one.

        Raises:
            QueryError: a kind or the order is unknown, or a number is out of range.
        """
        if not 0 <= limit <= MAX_LISTED or offset < 0:
            raise QueryError(f"limit must lie in 0..{MAX_LISTED} and offset not below 0")
        wanted = NodeSelection(
            search,
            prefix,
            frozenset(_member(NodeType, kind) for kind in kinds),
            frozenset(labels),
            _member(NodeOrder, order),
        )
        with self._components.one_at_a_time():
            return self._components.store.list_nodes(
                self._components.collection,
                wanted=wanted,
                limit=limit,
                offset=offset,
                principal=principal,
            )

    def show(
        self, name: str | int, *, limit: int = 20, principal: Principal = ALL_RIGHTS
    ) -> EntityDetails:
        """Return names, passages, edges, merges and contradictions of an entity.

        A name that stands for several things shows the most mentioned one.

        Raises:
            NotFoundError: there is none; the message gives names that come near.
            QueryError: `limit` is below 0.
        """
        if limit < 0:
            raise QueryError(f"limit is {limit}; it must not be below 0")
        with self._components.one_at_a_time():
            store, collection = self._components.store, self._components.collection
            found = store.nodes(collection, self._nodes(name, principal)[:1], principal=principal)
            return entity_details(
                store,
                collection,
                found[0],
                limit=limit,
                principal=principal,
                single_valued=self._single_valued,
            )

    def merge(self, kept: str | int, merged: str | int) -> MergeReport:
        """Decide that two entities, given by name or id, are one, called what `kept` is called most.

        Nothing is lost: `unmerge` brings back both as they were. The decision outlives the
        documents, and holds for what is added later. Returns what contradicts itself in the result.

        Raises:
            NotFoundError: a name is unknown; the message gives names that come near.
            QueryError: both are one already, or a name stands for several.
        """
        with self._writing, self._components.one_at_a_time():
            store, collection = self._components.store, self._components.collection
            report = merge_nodes(
                store,
                collection,
                self._node(kept),
                self._node(merged),
                clock=self._clock,
                single_valued=self._single_valued,
            )
            self._refresh()
            return report

    def unmerge(self, name: str | int, other: str | int | None = None) -> UnmergeReport:
        """Take a merge back: that of `name` and `other`, or the newest one of `name`.

        If no person merged the two, but `other` is a name that resolution gave to the entity, the
        decision is that it is another thing: documents that use it are read again, now and
        whenever they come back.

        Raises:
            NotFoundError: a name is unknown, or there is nothing to take back.
            QueryError: `other` is the entity's own name, or a name stands for several.
        """
        with self._writing, self._components.one_at_a_time():
            store, collection = self._components.store, self._components.collection
            names = [name] if other is None else [name, other]
            decision = find_merge(store, collection, names, ())
            if decision is None:
                node = self._node(name)
                if other is None:
                    decision = find_merge(store, collection, names, (node.id,))
                elif isinstance(other, str):
                    return self._split(node, other)
            if decision is None:
                raise NotFoundError(
                    f"nobody merged anything into {name!r}; to take away a name that it was "
                    "given, name that too"
                )
            report = undo_merge(store, collection, decision)
            self._refresh()
            return report

    @property
    def _single_valued(self) -> frozenset[str]:
        return relation_stems(self._components.settings.knowledge.single_valued)

    def _split(self, node: Node, name: str) -> UnmergeReport:
        def make_run(decisions: Decisions) -> Run:
            return ingest_run(
                self._components, clock=self._clock, window=self._window, decisions=decisions
            )

        return split_name(
            self._components.store,
            self._components.collection,
            node,
            name,
            clock=self._clock,
            make_run=make_run,
        )

    def _refresh(self) -> None:
        """Describe anew what has lost its vectors; the model is loaded only if something has."""
        store, collection = self._components.store, self._components.collection
        if store.nodes_without_vectors(collection, limit=1):
            refresh_nodes(store, collection, self._components.embedder())

    def _node(self, name: str | int) -> Node:
        found = self._nodes(name, ALL_RIGHTS)
        return the_node(self._components.store, self._components.collection, found, name)

    def _nodes(self, name: str | int, principal: Principal) -> tuple[int, ...]:
        return find_nodes(
            self._components.store,
            self._components.collection,
            name,
            principal=principal,
            embedder=self._components.embedder,
        )


def _member(kind: type[Member], value: Member | str) -> Member:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(member.value for member in kind)
        raise QueryError(f"unknown {kind.__name__} {value!r}; choose one of: {known}") from None
