"""What every store must hide: each read shows a principal only what rests on visible documents."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from clew.core.batches import CommunityBatch, no_vectors
from clew.core.ids import edge_id
from clew.core.knowledge import Community, MentionRole, Standing
from clew.core.ports import Store
from clew.core.query import ALL_RIGHTS, Filter, Principal
from clew.testing.store_samples import (
    GUEST,
    MAIN,
    NOBODY,
    STAFF,
    Filed,
    MakeStore,
    axis,
    compact,
    edge,
    filed,
    id_array,
    leave_fresh,
    mention,
    node_of,
    node_vectors,
    replace_evidence,
    say,
    write,
)

ADA, BOB, CY = (node_of(name) for name in ("Ada", "Bob", "Cy"))
EVERYONE = (ALL_RIGHTS, STAFF, GUEST, NOBODY)


@dataclass(frozen=True)
class _Shelf:
    store: Store
    public: Filed
    secret: Filed


@pytest.fixture(params=[leave_fresh, compact], ids=["fresh", "compacted"])
def shelf(make_store: MakeStore, request: pytest.FixtureRequest) -> _Shelf:
    """Give a public document on Ada and Bob, and one for staff on Ada (as "Lady A") and Cy."""
    store = make_store()
    public = filed("public", "river one", title="Open")
    secret = filed("secret", "river two", title="Closed", acl={"staff", "board"})
    write(store, public, secret, vectors=[axis(0), axis(1)])
    say(store, public, mention(public.chunks[0], "Ada", label="Person"))
    say(store, public, mention(public.chunks[0], "Bob"))
    say(store, public, mention(public.chunks[0], "Cy", role=MentionRole.LINK))
    for start in (0, 20):
        say(store, secret, mention(secret.chunks[0], "Lady A", node="Ada", start=start))
    say(store, secret, mention(secret.chunks[0], "Cy", label="Person"))
    row = (axis(2), axis(3))
    store.write_node_vectors(MAIN, node_vectors(public.origin, Ada=row, Bob=row, Cy=row))
    settle: Callable[[Store], None] = request.param
    settle(store)
    return _Shelf(store, public, secret)


def _sees_secret(principal: Principal) -> bool:
    return principal in (ALL_RIGHTS, STAFF)


@pytest.mark.parametrize("principal", EVERYONE, ids=["all", "staff", "guest", "nobody"])
class TestPrincipals:
    """Every read takes a principal, and shows what it may see."""

    def test_documents_and_chunks(self, shelf: _Shelf, principal: Principal) -> None:
        shown = [shelf.public, shelf.secret] if _sees_secret(principal) else [shelf.public]
        documents = shelf.store.documents(MAIN, principal=principal)
        assert documents == [entry.document for entry in shown]
        ids = [*shelf.secret.ids, *shelf.public.ids]
        chunks = shelf.store.chunks(MAIN, ids, principal=principal)
        assert {chunk.id for chunk in chunks} == {entry.ids[0] for entry in shown}
        secret = [shelf.secret.document.id]
        found = shelf.store.documents(MAIN, ids=secret, principal=principal)
        assert len(found) == _sees_secret(principal)

    def test_searches_of_chunks(self, shelf: _Shelf, principal: Principal) -> None:
        shown = {*shelf.public.ids, *(shelf.secret.ids if _sees_secret(principal) else ())}
        by_text = shelf.store.search_text(MAIN, "river", limit=9, principal=principal)
        by_vector = shelf.store.search_vector(MAIN, axis(1), limit=9, principal=principal)
        assert set(by_text.ids.tolist()) == set(by_vector.ids.tolist()) == shown
        best = shelf.store.search_vector(MAIN, axis(1), limit=1, principal=principal)
        expected = shelf.secret.ids if _sees_secret(principal) else shelf.public.ids
        assert best.ids.tolist() == expected, "the principal applies before top-k"
        scope = Filter(sources=frozenset({"secret"}))
        some = shelf.store.search_text(MAIN, "two", limit=9, filter=scope, principal=principal)
        assert len(some.ids) == _sees_secret(principal)

    def test_nodes_are_named_by_what_is_visible(self, shelf: _Shelf, principal: Principal) -> None:
        nodes = shelf.store.nodes(MAIN, [ADA, BOB, CY], principal=principal)
        if _sees_secret(principal):
            assert [(node.name, node.aliases) for node in nodes] == [
                ("Lady A", ("Ada",)),
                ("Bob", ()),
                ("Cy", ()),
            ]
        else:
            assert [(node.name, node.aliases) for node in nodes] == [("Ada", ()), ("Bob", ())]

    def test_names(self, shelf: _Shelf, principal: Principal) -> None:
        found = shelf.store.find_names(MAIN, ["ada", "bob", "lady a", "cy"], principal=principal)
        shown = {"ada": (ADA,), "bob": (BOB,)}
        if _sees_secret(principal):
            shown |= {"lady a": (ADA,), "cy": (CY,)}
        assert found == shown

    def test_searches_of_nodes(self, shelf: _Shelf, principal: Principal) -> None:
        shown = {ADA, BOB, CY} if _sees_secret(principal) else {ADA, BOB}
        for by_name in (False, True):
            found = shelf.store.search_nodes(
                MAIN, axis(3), limit=9, by_name=by_name, principal=principal
            )
            assert set(found.ids.tolist()) == shown
        found = shelf.store.search_nodes(
            MAIN,
            axis(3),
            limit=9,
            filter=Filter(sources=frozenset({"secret"})),
            principal=principal,
        )
        assert set(found.ids.tolist()) == ({ADA, CY} if _sees_secret(principal) else set())

    def test_expansion_of_mentions(self, shelf: _Shelf, principal: Principal) -> None:
        open_chunk, closed_chunk = shelf.public.ids[0], shelf.secret.ids[0]
        pairs = {(open_chunk, ADA), (open_chunk, BOB)}
        if _sees_secret(principal):
            pairs |= {(open_chunk, CY), (closed_chunk, ADA), (closed_chunk, CY)}
        for frontier in ((open_chunk, closed_chunk), (ADA, BOB, CY)):
            found = shelf.store.expand(MAIN, id_array(*frontier), principal=principal)
            assert set(found.edge.tolist()) == {
                edge_id(chunk, node, "mentions", "") for chunk, node in pairs
            }

    def test_edges_need_visible_evidence_and_ends(
        self, shelf: _Shelf, principal: Principal
    ) -> None:
        store, public, secret = shelf.store, shelf.public, shelf.secret
        stated = edge("Ada", "Bob", *public.chunks, relation="open", confidence=0.5)
        hidden = edge("Ada", "Bob", *secret.chunks, relation="closed")
        both = edge("Ada", "Bob", *public.chunks, *secret.chunks, relation="both")
        dangling = edge("Ada", "Cy", *public.chunks)
        word = edge("Ada", "Bob", relation="word", standing=Standing.ASSUMED)
        far = edge("Ada", "Cy", relation="far", standing=Standing.ASSUMED)
        say(store, public, stated, dangling)
        say(store, secret, hidden)
        say(store, public, replace_evidence(both, 0))
        say(store, secret, replace_evidence(both, 1))
        say(store, filed("person"), word, far)
        every = [stated, hidden, both, dangling, word, far]
        shown = every if _sees_secret(principal) else [stated, both, word]
        found = store.edges(MAIN, [item.id for item in every], principal=principal)
        assert [item.id for item in found] == [item.id for item in shown]
        chunks = {chunk for item in found for chunk in (row.chunk for row in item.evidence)}
        assert chunks == {*public.ids, *(secret.ids if _sees_secret(principal) else ())}
        for end in (ADA, BOB, CY):
            batch = store.expand(MAIN, id_array(end), principal=principal)
            knowledge = {item.id for item in every} & set(batch.edge.tolist())
            assert knowledge == {item.id for item in shown if end in (item.source, item.target)}
        assert store.degrees(MAIN, id_array(ADA)).tolist() == [6], "degrees are the collection's"

    def test_communities(self, shelf: _Shelf, principal: Principal) -> None:
        open_one = Community(1, 0, "level0_0", (ADA,))
        closed = Community(2, 0, "level0_1", (CY,), acl=frozenset({"staff"}))
        shelf.store.write_communities(MAIN, CommunityBatch((open_one, closed), no_vectors()))
        found = shelf.store.communities(MAIN, principal=principal)
        assert found == ([open_one, closed] if _sees_secret(principal) else [open_one])

    def test_an_acl_changes_with_its_document(self, shelf: _Shelf, principal: Principal) -> None:
        opened = filed("secret", "river two", title="Closed")
        write(shelf.store, opened)
        assert len(shelf.store.documents(MAIN, principal=principal)) == 2
        found = shelf.store.search_text(MAIN, "river", limit=9, principal=principal)
        assert len(found.ids) == 2
        nodes = shelf.store.nodes(MAIN, [ADA, BOB, CY], principal=principal)
        assert [node.name for node in nodes] == ["Lady A", "Bob", "Cy"]
        by_meaning = shelf.store.search_nodes(MAIN, axis(3), limit=9, principal=principal)
        assert len(by_meaning.ids) == 3

    def test_what_rests_on_unknown_chunks_needs_all_rights(
        self, shelf: _Shelf, principal: Principal
    ) -> None:
        store = shelf.store
        store.remove_document(MAIN, shelf.public.document.id)
        sees_all = principal is ALL_RIGHTS
        nodes = store.nodes(MAIN, [BOB], principal=principal)
        assert len(nodes) == sees_all
        assert len(store.find_names(MAIN, ["bob"], principal=principal)) == sees_all
        from_node = store.expand(MAIN, id_array(BOB), principal=principal)
        from_chunk = store.expand(MAIN, id_array(*shelf.public.ids), principal=principal)
        assert len(from_node.edge) == sees_all
        assert (len(from_chunk.edge) > 0) == sees_all
