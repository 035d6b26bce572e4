"""The comparison of stores finds no difference where there is none, and each where there is one."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import Phase, settings

from clew.core.arrays import EdgeBatch, Floats, Hits, Ids, Matrix
from clew.core.batches import GraphBatch
from clew.core.knowledge import Node
from clew.core.query import ALL_RIGHTS, ANY_EDGE, NO_FILTER, EdgeFilter, Filter, Principal
from clew.stores.memory import MemoryStore
from clew.testing.store_agreement import Universe, require_agreement, require_alike
from clew.testing.store_machine import OPTIONS, compare_stores
from clew.testing.store_samples import (
    MAIN,
    NEW_YEAR,
    axis,
    edge,
    filed,
    id_array,
    mention,
    node_of,
    node_vectors,
    say,
    write,
)


def test_the_reference_agrees_with_itself() -> None:
    few = settings(OPTIONS, max_examples=5, stateful_step_count=8)
    compare_stores(MemoryStore, MemoryStore, options=few)


class ForgetsToErase(MemoryStore):
    def erase(self, collection: str, origin: int) -> dict[str, int]:
        return dict.fromkeys(("mentions", "claims", "merges", "edges", "nodes"), 0)


def test_random_operations_find_a_store_that_forgets_to_erase() -> None:
    unshrunk = settings(OPTIONS, stateful_step_count=8, phases=[Phase.generate], derandomize=True)
    with pytest.raises(AssertionError, match="expected"):
        compare_stores(MemoryStore, ForgetsToErase, options=unshrunk)


class ShowsSecretNodes(MemoryStore):
    def nodes(
        self,
        collection: str,
        ids: Sequence[int],
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> list[Node]:
        return super().nodes(collection, ids, filter=filter)


class FiltersAfterTopK(MemoryStore):
    def search_vector(
        self,
        collection: str,
        vector: Floats,
        *,
        limit: int,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Hits:
        best = super().search_vector(collection, vector, limit=limit)
        allowed = super().search_vector(
            collection, vector, limit=99, filter=filter, principal=principal
        )
        kept = [place for place, found in enumerate(best.ids) if found in allowed.ids]
        return Hits(best.ids[kept], best.scores[kept])


class ScoresKeywordsDifferently(MemoryStore):
    def search_text(
        self,
        collection: str,
        text: str,
        *,
        limit: int,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Hits:
        found = super().search_text(
            collection, text, limit=limit, filter=filter, principal=principal
        )
        return replace(found, scores=found.scores * 1.05)


class SwapsDirections(MemoryStore):
    def expand(
        self,
        collection: str,
        nodes: Ids,
        *,
        at: object = None,
        edge_filter: EdgeFilter = ANY_EDGE,
        limit: int | None = None,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> EdgeBatch:
        batch = super().expand(
            collection,
            nodes,
            edge_filter=edge_filter,
            limit=limit,
            filter=filter,
            principal=principal,
        )
        return replace(batch, forward=~batch.forward)


class RoundsVectors(MemoryStore):
    def vectors(self, collection: str, chunks: Ids) -> Matrix:
        return super().vectors(collection, chunks).round(1)


class LosesMentions(MemoryStore):
    def write_graph(self, collection: str, batch: GraphBatch) -> None:
        super().write_graph(collection, replace(batch, mentions=batch.mentions[:1]))


def _universe(*stores: MemoryStore) -> Universe:
    """Write the same to each store: an open and a secret document with an edge in each."""
    shown = filed("a.md", "ocean tide", "new york", title="Tide")
    secret = filed("b.md", "ocean", acl={"staff"})
    universe = Universe(("a.md", "b.md"), (node_of("Ada"), node_of("Bob")), ("Ada", "ocean"))
    universe.documents |= {shown.document.id, secret.document.id}
    universe.chunks |= {*shown.ids, *secret.ids}
    universe.edges.add(edge("Ada", "Bob").id)
    slanted = axis(1) * 0.96 + axis(2) * 0.28
    for store in stores:
        write(store, shown, secret, vectors=[axis(0), slanted, axis(3)])
        say(store, shown, mention(shown.chunks[0], "Ada"), mention(shown.chunks[1], "ADA"))
        say(store, secret, mention(secret.chunks[0], "Bob"), edge("Ada", "Bob", *secret.chunks))
        store.write_node_vectors(MAIN, node_vectors(shown.origin, Ada=(axis(0), axis(1))))
        store.retire(MAIN, [99], NEW_YEAR)
    return universe


@pytest.mark.parametrize(
    ("make_store", "read"),
    [
        (ShowsSecretNodes, "nodes"),
        (FiltersAfterTopK, "search_vector"),
        (ScoresKeywordsDifferently, "search_text"),
        (SwapsDirections, "expansion 0: forward"),
        (RoundsVectors, "vectors"),
        (LosesMentions, "counts"),
    ],
)
def test_a_difference_is_found_and_named(make_store: Callable[[], MemoryStore], read: str) -> None:
    expected, actual = MemoryStore(), make_store()
    universe = _universe(expected, actual)
    with pytest.raises(AssertionError, match=read):
        require_agreement(expected, actual, MAIN, universe)


def test_scores_may_differ_within_the_tolerance() -> None:
    expected, actual = MemoryStore(), MemoryStore()
    require_agreement(expected, actual, MAIN, _universe(expected, actual))
    first = Hits(id_array(1, 2), axis(0)[:2])
    require_alike("hits", first, replace(first, scores=first.scores + 5e-5))
    with pytest.raises(AssertionError, match="hits"):
        require_alike("hits", first, replace(first, scores=first.scores + 5e-4))
    with pytest.raises(AssertionError, match="to 1000000"):
        require_alike("hits to 1000000", first, replace(first, ids=id_array(1, 3)))
