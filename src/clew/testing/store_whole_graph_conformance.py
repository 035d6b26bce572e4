"""What every `GraphStore` must give of the whole graph at once: each knowledge edge, one row."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import numpy as np
import pytest

from clew.core.knowledge import EDGE_TYPE_CODES, EdgeType, Period, Standing
from clew.core.ports import Store
from clew.core.query import EdgeFilter
from clew.testing.store_samples import (
    GUEST,
    MAIN,
    NEW_YEAR,
    STAFF,
    MakeStore,
    compact,
    edge,
    filed,
    leave_fresh,
    mention,
    say,
    write,
)


@pytest.mark.parametrize("settle", [leave_fresh, compact])
class TestKnowledgeEdges:
    """All live, visible edges come once, forward, by id; no MENTIONS edge does."""

    def test_each_edge_comes_once_by_id(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        town = filed("town", "Everybody lives here.")
        write(store, town)
        say(store, town, *(mention(town.chunks[0], name) for name in ("Ada", "Bob", "Cy")))
        stated = [
            edge("Ada", "Bob", *town.chunks, confidence=0.25),
            edge("Cy", "Ada", *town.chunks, confidence=0.75, kind=EdgeType.CAUSES),
            edge("Bob", "Bob", *town.chunks),
            edge("Ada", "Cy", standing=Standing.INFERRED),
            edge("Ada", "Nobody", *town.chunks),
        ]
        say(store, town, *stated[:2])
        settle(store)
        say(store, town, *stated[2:])
        live = sorted(stated[:3], key=lambda item: item.id)
        found = store.knowledge_edges(MAIN)
        assert found.edge.tolist() == [item.id for item in live]
        assert found.source.tolist() == [item.source for item in live]
        assert found.target.tolist() == [item.target for item in live]
        assert found.kind.tolist() == [EDGE_TYPE_CODES[item.kind] for item in live]
        np.testing.assert_allclose(found.confidence, [item.confidence for item in live])
        assert found.forward.all()
        every_standing = store.knowledge_edges(
            MAIN, edge_filter=EdgeFilter(standings=frozenset(Standing))
        )
        assert sorted(every_standing.edge.tolist()) == sorted(item.id for item in stated[:4])

    def test_kinds_and_times_filter(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        town = filed("town", "Everybody lives here.")
        write(store, town)
        say(store, town, *(mention(town.chunks[0], name) for name in ("Ada", "Bob", "Cy")))
        spring = Period(valid_from=NEW_YEAR, valid_to=NEW_YEAR + timedelta(days=90))
        dated = edge("Ada", "Bob", *town.chunks, period=spring)
        undated = edge("Bob", "Cy", *town.chunks, kind=EdgeType.CAUSES)
        say(store, town, dated, undated)
        settle(store)

        def edges(day: int | None = None, *kinds: EdgeType) -> set[int]:
            found = store.knowledge_edges(
                MAIN,
                at=None if day is None else NEW_YEAR + timedelta(days=day),
                edge_filter=EdgeFilter(kinds=frozenset(kinds) or None),
            )
            return set(found.edge.tolist())

        assert edges() == edges(0) == edges(89) == {dated.id, undated.id}
        assert edges(-1) == edges(90) == {undated.id}
        assert edges(None, EdgeType.CAUSES, EdgeType.MENTIONS) == {undated.id}
        assert edges(None, EdgeType.MENTIONS) == set()

    def test_a_principal_sees_what_visible_passages_state(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        public, secret = filed("public", "river"), filed("secret", "sea", acl={"staff"})
        write(store, public, secret)
        for entry in (public, secret):
            say(store, entry, *(mention(entry.chunks[0], name) for name in ("Ada", "Bob")))
        shown, hidden = (
            edge("Ada", "Bob", *public.chunks, relation="knows"),
            edge("Ada", "Bob", *secret.chunks, relation="pays"),
        )
        say(store, public, shown)
        say(store, secret, hidden)
        settle(store)
        as_guest = store.knowledge_edges(MAIN, principal=GUEST)
        as_staff = store.knowledge_edges(MAIN, principal=STAFF)
        assert as_guest.edge.tolist() == [shown.id]
        assert as_staff.edge.tolist() == sorted([shown.id, hidden.id])

    def test_an_unknown_collection_has_none(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        settle(store)
        found = store.knowledge_edges("never written")
        assert len(found.edge) == 0
        assert found.edge.dtype == np.int64
