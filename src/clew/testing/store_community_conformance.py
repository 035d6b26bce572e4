"""What every `GraphStore` must keep: communities, the vectors of their summaries, their scope."""

# ruff: noqa: S101, D102

from __future__ import annotations

import numpy as np
import pytest

from clew.core.arrays import Matrix
from clew.core.batches import CommunityBatch, Vectors, no_vectors
from clew.core.changes import Changes
from clew.core.documents import Span
from clew.core.errors import StoreError
from clew.core.knowledge import Community, Evidence
from clew.core.ports import Store
from clew.core.query import ALL_RIGHTS, Filter, Principal
from clew.testing.store_samples import (
    DIMENSIONS,
    GUEST,
    MAIN,
    NEW_YEAR,
    NOBODY,
    STAFF,
    MakeStore,
    axis,
    edge,
    filed,
    id_array,
    mention,
    node_of,
    say,
    write,
)


def _community(number: int, *chunks: int, level: int = 0, acl: tuple[str, ...] = ()) -> Community:
    return Community(
        number,
        level,
        f"level0_{number}",
        (node_of("Ada"),),
        title="Ada",
        summary=f"Summary {number}.",
        evidence=tuple(Evidence(chunk, Span(2, 7), 0.5) for chunk in chunks),
        acl=frozenset(acl),
    )


def _vectors(*rows: tuple[int, float]) -> Vectors:
    """Return unit vectors by id, each at a cosine to the first axis."""
    matrix = np.zeros((len(rows), DIMENSIONS), np.float32)
    for place, (_, cosine) in enumerate(rows):
        matrix[place, :2] = cosine, np.sqrt(1.0 - cosine**2)
    return Vectors(id_array(*(identifier for identifier, _ in rows)), matrix)


def _found(store: Store, **scope: object) -> list[int]:
    hits = store.search_communities(MAIN, axis(0), limit=9, **scope)  # type: ignore[arg-type]
    found: list[int] = hits.ids.tolist()
    return found


class TestCommunities:
    """Communities are replaced as a whole or in part, and searched by their summaries."""

    def test_every_field_comes_back(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two", acl=("staff", "law"))
        write(store, a)
        whole = _community(1, *a.ids, acl=("staff", "law"))
        store.write_communities(MAIN, CommunityBatch((whole,), no_vectors()))
        assert store.communities(MAIN) == [whole]

    def test_vectors_come_in_the_order_asked_for(self, make_store: MakeStore) -> None:
        store = make_store()
        held = _vectors((1, 0.5), (3, 1.0))
        rows = tuple(_community(number) for number in (1, 2, 3))
        store.write_communities(MAIN, CommunityBatch(rows, held))
        found = store.community_vectors(MAIN, id_array(3, 2, 1, 99))
        nothing: Matrix = np.zeros(DIMENSIONS, np.float32)
        expected = np.stack([held.matrix[1], nothing, held.matrix[0], nothing])
        np.testing.assert_allclose(found, expected)

    def test_a_part_is_replaced_and_the_rest_stays(self, make_store: MakeStore) -> None:
        store = make_store()
        rows = tuple(_community(number) for number in (1, 2, 3))
        store.write_communities(MAIN, CommunityBatch(rows, _vectors((1, 0.1), (2, 0.2), (3, 0.3))))
        moved = Community(3, 1, "level0_0.level1_0", (node_of("Bob"),), parent=2)
        new = _community(4)
        store.write_communities(
            MAIN, CommunityBatch((moved, new), _vectors((4, 0.4)), replaced=(1, 99))
        )
        assert store.communities(MAIN) == [rows[1], new, moved]
        assert _found(store) == [4, 3, 2], "what is given no vector keeps its own"

    def test_what_is_replaced_keeps_nothing(self, make_store: MakeStore) -> None:
        store = make_store()
        store.write_communities(MAIN, CommunityBatch((_community(1),), _vectors((1, 0.5))))
        for replaced in ((1,), None):
            batch = CommunityBatch((_community(1),), no_vectors(), replaced=replaced)
            store.write_communities(MAIN, batch)
            assert _found(store) == []

    def test_the_path_of_a_node_follows(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        say(store, a, mention(a.chunks[0], "Ada"))
        store.write_communities(MAIN, CommunityBatch((_community(1),), no_vectors()))
        moved = Community(1, 0, "level0_7", (node_of("Ada"),))
        store.write_communities(MAIN, CommunityBatch((moved,), no_vectors(), replaced=()))
        assert store.nodes(MAIN, [node_of("Ada")])[0].community == "level0_7"

    def test_searches_rank_by_cosine_and_keep_to_a_level(self, make_store: MakeStore) -> None:
        store = make_store()
        rows = (*(_community(number) for number in (1, 2, 3)), _community(4, level=1))
        held = _vectors((1, 0.1), (2, 0.9), (3, 0.9), (4, 0.5))
        store.write_communities(MAIN, CommunityBatch(rows, held))
        hits = store.search_communities(MAIN, axis(0), limit=3)
        assert hits.ids.tolist() == [2, 3, 4], "ties by id"
        np.testing.assert_allclose(hits.scores, [0.9, 0.9, 0.5], atol=1e-6)
        assert _found(store, level=0) == [2, 3, 1]
        assert _found(store, level=1) == [4]
        assert _found(store, level=2) == []
        assert store.search_communities(MAIN, axis(0), limit=0).ids.tolist() == []

    def test_the_limit_counts_what_is_in_scope(self, make_store: MakeStore) -> None:
        store = make_store()
        a, b = filed("a", "one", language="en"), filed("b", "two", language="pt")
        write(store, a, b)
        # 100 summaries that rest on b are nearer than the two that rest on a.
        numbers = range(1, 103)
        rows = tuple(_community(n, *(b.ids if n <= 100 else a.ids)) for n in numbers)
        cosines = _vectors(*((n, 1.0 - n / 200) for n in numbers))
        store.write_communities(MAIN, CommunityBatch(rows, cosines))
        scope = Filter(languages=frozenset({"en"}))
        hits = store.search_communities(MAIN, axis(0), limit=2, filter=scope)
        assert hits.ids.tolist() == [101, 102]

    def test_all_of_the_evidence_must_be_in_scope(self, make_store: MakeStore) -> None:
        store = make_store()
        a, b = filed("a", "one"), filed("b", "two")
        write(store, a, b)
        rows = (_community(1, *a.ids), _community(2, *a.ids, *b.ids), _community(3))
        held = _vectors((1, 0.9), (2, 0.8), (3, 0.7))
        store.write_communities(MAIN, CommunityBatch(rows, held))
        assert _found(store) == [1, 2, 3]
        assert _found(store, filter=Filter(sources=frozenset({"a"}))) == [1, 3]
        store.remove_chunks(MAIN, b.ids)
        assert _found(store) == [1, 3], "evidence is gone"
        assert [row.id for row in store.communities(MAIN)] == [1, 3]

    @pytest.mark.parametrize("principal", [ALL_RIGHTS, STAFF, GUEST, NOBODY])
    def test_principals(self, make_store: MakeStore, principal: Principal) -> None:
        store = make_store()
        public, secret = filed("public", "one"), filed("secret", "two", acl=("staff",))
        write(store, public, secret)
        rows = (
            _community(1, *public.ids),
            _community(2, *public.ids, *secret.ids, acl=("staff",)),
            _community(3, *secret.ids),
        )
        held = _vectors((1, 0.9), (2, 0.8), (3, 0.7))
        store.write_communities(MAIN, CommunityBatch(rows, held))
        # The third was made when its source was open to all: the source decides.
        shown = [1, 2, 3] if principal in (ALL_RIGHTS, STAFF) else [1]
        assert _found(store, principal=principal) == shown
        assert [row.id for row in store.communities(MAIN, principal=principal)] == shown

    def test_vectors_of_other_dimensions_are_refused(self, make_store: MakeStore) -> None:
        store = make_store()
        store.write_communities(MAIN, CommunityBatch((_community(1),), _vectors((1, 0.5))))
        short = np.ones(DIMENSIONS - 1, np.float32)
        with pytest.raises(StoreError, match=f"{DIMENSIONS}"):
            store.search_communities(MAIN, short, limit=1)
        batch = CommunityBatch(
            (_community(2),), Vectors(id_array(2), short[np.newaxis]), replaced=()
        )
        with pytest.raises(StoreError, match=f"{DIMENSIONS}"):
            store.write_communities(MAIN, batch)
        assert _found(store) == [1]

    def test_a_collection_sees_its_own(self, make_store: MakeStore) -> None:
        store = make_store()
        store.write_communities("other", CommunityBatch((_community(1),), _vectors((1, 0.5))))
        assert _found(store) == []
        assert store.communities(MAIN) == []
        assert store.community_vectors(MAIN, id_array(1)).shape[0] == 1


class TestRevision:
    """A revision tells whether documents, chunks or knowledge were written since."""

    def test_every_write_of_them_raises_it(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one")
        seen = [store.revision(MAIN)]

        def step() -> None:
            store.compact()
            seen.append(store.revision(MAIN))

        write(store, a)
        step()
        say(store, a, mention(a.chunks[0], "Ada"))
        step()
        write(store, filed("a", "one", acl=("staff",)))
        step()
        store.retire(MAIN, a.ids, NEW_YEAR)
        step()
        say(store, a, mention(a.chunks[0], "Ada"))
        step()
        store.erase(MAIN, a.origin)
        step()
        store.remove_document(MAIN, a.document.id)
        step()
        assert seen == sorted(set(seen))

    def test_nothing_else_does(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        before = store.revision(MAIN)
        store.compact()
        store.set_fact(MAIN, "model", "one")
        store.write_communities(MAIN, CommunityBatch((_community(1),), no_vectors()))
        write(store, filed("b", "two"), collection="other")
        store.compact()
        assert store.revision(MAIN) == before
        assert store.revision("gone") == 0

    def test_a_collection_made_anew_does_not_go_back(self, make_store: MakeStore) -> None:
        store = make_store()
        write(store, filed("a", "one"))
        before = store.revision(MAIN)
        store.drop(MAIN)
        write(store, filed("a", "one"))
        assert store.revision(MAIN) > before

    def test_changes_name_what_differs_or_are_unknown(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        (page,) = a.chunks
        joined = edge("Ada", "Bob", page)

        def since(revision: int) -> Changes:
            found = store.changes_since(MAIN, revision)
            everything = np.array(
                sorted({page.id, a.document.id, node_of("Ada"), node_of("Bob"), joined.id})
            )
            return found or Changes(everything, everything, everything, everything)

        start = store.revision(MAIN)
        assert not store.changes_since(MAIN, start)
        say(store, a, mention(page, "Ada"), mention(page, "Bob"), joined)
        said = since(start)
        assert page.id in said.chunks
        assert {node_of("Ada"), node_of("Bob")} <= set(said.nodes.tolist())
        assert joined.id in said.edges
        middle = store.revision(MAIN)
        store.erase(MAIN, a.origin)
        assert joined.id in since(middle).edges
        assert {node_of("Ada"), node_of("Bob")} <= set(since(middle).nodes.tolist())
        middle = store.revision(MAIN)
        write(store, filed("a", "one", acl=("staff",)))
        assert a.document.id in since(middle).documents

    def test_changes_of_a_collection_made_anew_are_unknown(self, make_store: MakeStore) -> None:
        store = make_store()
        write(store, filed("a", "one"))
        before = store.revision(MAIN)
        store.drop(MAIN)
        write(store, filed("b", "two"))
        assert store.changes_since(MAIN, before) is None
