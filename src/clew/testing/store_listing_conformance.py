"""What every `GraphStore` must keep: lists of nodes."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable

import pytest

from clew.core.knowledge import MentionRole, NodeType
from clew.core.listing import NodeOrder, NodeSelection
from clew.core.ports import Store
from clew.core.query import ALL_RIGHTS, Principal
from clew.testing.store_samples import (
    GUEST,
    MAIN,
    STAFF,
    MakeStore,
    compact,
    filed,
    leave_fresh,
    mention,
    say,
    write,
)

fresh_and_compacted = pytest.mark.parametrize("settle", [leave_fresh, compact])


class TestNodeLists:
    """A list shows the live, visible nodes that are wanted, page by page."""

    @staticmethod
    def filled(make_store: MakeStore) -> Store:
        store = make_store()
        a, b = filed("a", "one", "two"), filed("b", "three", acl=("staff",))
        write(store, a, b)
        one, two = a.chunks
        say(
            store,
            a,
            mention(one, "Ada", label="Person"),
            mention(one, "Ada", start=9, label="Person"),
            mention(two, "Bob", label="Person"),
            mention(two, "Ada", role=MentionRole.LINK),
            mention(one, "tide", kind=NodeType.CONCEPT),
        )
        say(
            store,
            b,
            mention(b.chunks[0], "Bobby", node="Bob", label="Person"),
            mention(b.chunks[0], "Cy", label="City"),
            mention(b.chunks[0], "Dee", role=MentionRole.LINK),
        )
        return store

    def names(
        self,
        store: Store,
        *,
        limit: int = 9,
        offset: int = 0,
        principal: Principal = ALL_RIGHTS,
        wanted: NodeSelection | None = None,
    ) -> list[tuple[str, int]]:
        found = store.list_nodes(
            MAIN,
            wanted=wanted or NodeSelection(),
            limit=limit,
            offset=offset,
            principal=principal,
        )
        return [(item.node.name, item.mentions) for item in found.nodes]

    @fresh_and_compacted
    def test_the_most_mentioned_come_first(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = self.filled(make_store)
        settle(store)
        assert self.names(store) == [("Ada", 2), ("Bobby", 2), ("Cy", 1), ("tide", 1)]

    def test_pages_tell_how_many_there_are_in_all(self, make_store: MakeStore) -> None:
        store = self.filled(make_store)
        found = store.list_nodes(MAIN, wanted=NodeSelection(), limit=2, offset=3)
        assert (found.total, [item.node.name for item in found.nodes]) == (4, ["tide"])
        assert self.names(store, limit=0) == []

    @pytest.mark.parametrize(
        ("wanted", "names"),
        [
            (NodeSelection(order=NodeOrder.NAME), ["Ada", "Bobby", "Cy", "tide"]),
            (NodeSelection(search="OB"), ["Bobby"]),
            (NodeSelection(prefix="bob"), ["Bobby"]),
            (NodeSelection(prefix="obb"), []),
            (NodeSelection(labels=frozenset({"City", "Person"})), ["Ada", "Bobby", "Cy"]),
            (NodeSelection(kinds=frozenset({NodeType.CONCEPT})), ["tide"]),
        ],
    )
    def test_it_shows_what_is_wanted(
        self, make_store: MakeStore, wanted: NodeSelection, names: list[str]
    ) -> None:
        store = self.filled(make_store)
        assert [name for name, _ in self.names(store, wanted=wanted)] == names

    def test_a_principal_sees_visible_names_and_counts(self, make_store: MakeStore) -> None:
        store = self.filled(make_store)
        assert self.names(store, principal=GUEST) == [("Ada", 2), ("Bob", 1), ("tide", 1)]
        assert self.names(store, principal=STAFF) == self.names(store)
        hidden = NodeSelection(search="bobby")
        assert self.names(store, principal=GUEST, wanted=hidden) == []

    def test_an_unknown_collection_lists_nothing(self, make_store: MakeStore) -> None:
        found = make_store().list_nodes("none", wanted=NodeSelection(), limit=9)
        assert (found.total, found.nodes) == (0, ())
