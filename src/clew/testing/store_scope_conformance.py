"""What every store must do with a filter on the graph: scope before limit, in every read."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from clew.core.ids import edge_id
from clew.core.knowledge import MentionRole, Standing
from clew.core.ports import Store
from clew.core.query import Filter
from clew.testing.store_samples import (
    GUEST,
    MAIN,
    STAFF,
    Filed,
    MakeStore,
    compact,
    edge,
    filed,
    id_array,
    leave_fresh,
    mention,
    node_of,
    say,
    write,
)

ADA, BOB, CY, DEE = (node_of(name) for name in ("Ada", "Bob", "Cy", "Dee"))
ONE = Filter(sources=frozenset({"one"}))
TWO = Filter(sources=frozenset({"two"}))
NONE = Filter(sources=frozenset({"three"}))
PEOPLE = Filter(labels=frozenset({"Person"}))


@dataclass(frozen=True)
class _Shelf:
    store: Store
    one: Filed
    two: Filed
    weak: int
    strong: int
    word: int


@pytest.fixture(params=[leave_fresh, compact], ids=["fresh", "compacted"])
def scoped_shelf(make_store: MakeStore, request: pytest.FixtureRequest) -> _Shelf:
    """Give document "one" (Ada, a person, and Bob; a weak edge) and "two", for staff (Ada as
    "Lady A", Cy; a strong edge), with an edge that a person assumed without any passage."""
    store = make_store()
    one, two = filed("one", "first text"), filed("two", "second text", acl={"staff"})
    write(store, one, two)
    weak = edge("Ada", "Bob", one.chunks[0], confidence=0.5)
    strong = edge("Ada", "Cy", two.chunks[0], confidence=0.9)
    word = edge("Ada", "Bob", standing=Standing.ASSUMED, relation="supposedly knows")
    say(store, one, mention(one.chunks[0], "Ada", label="Person"))
    say(store, one, mention(one.chunks[0], "Bob"), weak, word)
    say(store, one, mention(one.chunks[0], "Cy", role=MentionRole.LINK))
    for start in (0, 20):
        say(store, two, mention(two.chunks[0], "Lady A", node="Ada", start=start))
    say(store, two, mention(two.chunks[0], "Cy"), strong)
    settle: Callable[[Store], None] = request.param
    settle(store)
    return _Shelf(store, one, two, weak.id, strong.id, word.id)


def _knowledge(shelf: _Shelf, filter: Filter, **further: object) -> set[int]:
    found = shelf.store.expand(MAIN, id_array(ADA), filter=filter, **further)  # type: ignore[arg-type]
    return set(found.edge.tolist()) & {shelf.weak, shelf.strong, shelf.word}


class TestScopes:
    """A filter cuts nodes, names and edges to what documents in scope say."""

    def test_an_edge_needs_a_passage_in_scope(self, scoped_shelf: _Shelf) -> None:
        assert _knowledge(scoped_shelf, ONE) == {scoped_shelf.weak}
        assert _knowledge(scoped_shelf, TWO) == {scoped_shelf.strong}
        assert _knowledge(scoped_shelf, NONE) == set()
        assert _knowledge(scoped_shelf, Filter()) == {
            scoped_shelf.weak,
            scoped_shelf.strong,
            scoped_shelf.word,
        }

    def test_the_scope_comes_before_the_limit(self, scoped_shelf: _Shelf) -> None:
        """The strong edge alone would fill the limit."""
        found = scoped_shelf.store.expand(MAIN, id_array(BOB), filter=ONE, limit=2)
        mentions = edge_id(scoped_shelf.one.ids[0], BOB, "mentions", "")
        assert set(found.edge.tolist()) == {scoped_shelf.weak, mentions}

    def test_mentions_pass_with_their_passage(self, scoped_shelf: _Shelf) -> None:
        one, two = scoped_shelf.one.ids[0], scoped_shelf.two.ids[0]
        for scope, chunk in ((ONE, one), (TWO, two)):
            found = scoped_shelf.store.expand(MAIN, id_array(ADA), filter=scope)
            assert set(found.target.tolist()) & {one, two} == {chunk}
        leaving = scoped_shelf.store.expand(MAIN, id_array(one), filter=TWO)
        assert leaving.target.tolist() == []

    def test_labels_are_those_of_the_passages_things(self, scoped_shelf: _Shelf) -> None:
        """Ada is a person, and both passages mention Ada."""
        assert _knowledge(scoped_shelf, PEOPLE) == {scoped_shelf.weak, scoped_shelf.strong}
        assert _knowledge(scoped_shelf, Filter(labels=frozenset({"City"}))) == set()

    def test_filter_and_principal_both_hold(self, scoped_shelf: _Shelf) -> None:
        assert _knowledge(scoped_shelf, TWO, principal=GUEST) == set()
        assert _knowledge(scoped_shelf, TWO, principal=STAFF) == {scoped_shelf.strong}
        assert _knowledge(scoped_shelf, PEOPLE, principal=GUEST) == {scoped_shelf.weak}

    def test_a_passage_that_is_not_held_passes_no_filter(self, scoped_shelf: _Shelf) -> None:
        store = scoped_shelf.store
        lost = filed("lost", "a text that was never written")
        row = edge("Ada", "Dee", lost.chunks[0])
        say(store, lost, mention(lost.chunks[0], "Ada"), mention(lost.chunks[0], "Dee"), row)
        targets = {DEE, lost.ids[0]}
        for scope, expected in ((Filter(), targets), (PEOPLE, set()), (ONE, set())):
            found = store.expand(MAIN, id_array(ADA), filter=scope)
            assert set(found.target.tolist()) & targets == expected

    def test_names_are_those_of_the_scope(self, scoped_shelf: _Shelf) -> None:
        store = scoped_shelf.store
        (ada,) = store.nodes(MAIN, [ADA], filter=ONE)
        assert (ada.name, ada.aliases) == ("Ada", ())
        (lady,) = store.nodes(MAIN, [ADA], filter=TWO)
        assert (lady.name, lady.aliases) == ("Lady A", ())
        (both,) = store.nodes(MAIN, [ADA])
        assert (both.name, both.aliases) == ("Lady A", ("Ada",))

    def test_nodes_need_a_passage_in_scope_that_keeps_them_alive(
        self, scoped_shelf: _Shelf
    ) -> None:
        store = scoped_shelf.store
        every = [DEE, CY, BOB, ADA]
        assert [node.id for node in store.nodes(MAIN, every, filter=ONE)] == [BOB, ADA]
        assert [node.id for node in store.nodes(MAIN, every, filter=TWO)] == [CY, ADA]
        assert [node.id for node in store.nodes(MAIN, every, filter=PEOPLE)] == [ADA]
        assert store.nodes(MAIN, every, filter=TWO, principal=GUEST) == []

    def test_names_are_found_in_scope(self, scoped_shelf: _Shelf) -> None:
        store = scoped_shelf.store
        keys = ["lady a", "ada", "bob", "cy"]
        found = {
            scope.sources: dict(store.find_names(MAIN, keys, filter=scope)) for scope in (ONE, TWO)
        }
        assert found[ONE.sources] == {"ada": (ADA,), "bob": (BOB,)}
        # "ada" is the key of the node's own id, which the second document speaks of.
        assert found[TWO.sources] == {"lady a": (ADA,), "ada": (ADA,), "cy": (CY,)}
        assert dict(store.find_names(MAIN, keys, filter=PEOPLE)) == {
            "lady a": (ADA,),
            "ada": (ADA,),
        }
        assert dict(store.find_names(MAIN, keys, filter=TWO, principal=GUEST)) == {}
