"""Stage 4: why each node is in the context, in the hybrid guide's words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.core.calibration import Calibration
from clew.core.query import Query
from clew.core.results import Provenance
from clew.retrieve.expansion import expand_seeds
from clew.retrieve.provenance import explain_nodes
from clew.retrieve.seeds import find_seeds
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import GUEST, MAIN, edge, node_of
from tests.retrieve.worlds import no_hits, nobody_named, place, ready, tell

ASK = Query("who", collection=MAIN, seed_k=1, fusion_alpha=0.0, max_hops=2)


def explained(
    store: MemoryStore, query: Query, *, calibration: Calibration | None = None
) -> tuple[Provenance, ...]:
    question = ready(query)
    seeds = find_seeds(question, nobody_named(), no_hits(), graph=store)
    expansion = expand_seeds(
        question,
        seeds.fused.ids,
        graph=store,
        calibration=calibration or Calibration(),
    )
    return explain_nodes(query, seeds, expansion, graph=store)


@pytest.fixture
def store() -> MemoryStore:
    """Acme with 47 edges, Beta with 12, among 60 nodes: Acme is in the top six by degree, and
    five others have more edges than Beta."""
    made = MemoryStore()
    leaves = [f"Leaf{number}" for number in range(46)]
    big = [f"Big{number}" for number in range(5)]
    rows = [edge("Acme Corp", "Beta Inc")]
    rows += [edge("Acme Corp", name) for name in leaves]
    rows += [edge("Beta Inc", name) for name in leaves[:11]]
    rows += [edge(name, leaf) for name in big for leaf in leaves[:20]]
    names = ["Acme Corp", "Beta Inc", *big, *leaves, *(f"Lone{number}" for number in range(7))]
    entry = tell(made, "s", names, *rows)
    place(made, entry, {"Acme Corp": 0.92, "Beta Inc": 0.71})
    return made


class TestAnnotations:
    def test_as_the_guide_writes_them(self, store: MemoryStore) -> None:
        seed, neighbour = explained(store, ASK)
        assert seed.annotation == "[seed#1] Acme Corp (vec=0.92, deg=47, hub)"
        assert neighbour.annotation == "[hop=1] Beta Inc (vec=0.71, deg=12)"

    def test_a_hub_that_is_no_seed(self) -> None:
        row = Provenance(1, "VC Fund A", 0.634, 31, hub=True, hop_distance=2)
        assert row.annotation == "[hop=2] VC Fund A (vec=0.63, deg=31, hub)"

    def test_fields(self, store: MemoryStore) -> None:
        seed, neighbour = explained(store, ASK)
        assert (seed.node, seed.seed_rank, seed.hop_distance) == (node_of("Acme Corp"), 1, 0)
        assert seed.fused_score == pytest.approx(1.0)
        assert seed.signals == ("vector", "degree")
        assert (neighbour.seed_rank, neighbour.hop_distance) == (None, 1)
        assert neighbour.fused_score is None
        assert neighbour.signals == ("graph",)

    def test_vector_score_is_the_calibrated_value(self, store: MemoryStore) -> None:
        seed, _ = explained(store, ASK, calibration=Calibration(question_node=0.6))
        assert seed.vector_score == pytest.approx((0.92 - 0.6) / 0.4, abs=1e-5)


class TestHubs:
    def test_hubs_are_the_top_tenth_by_degree(self) -> None:
        """Of twenty nodes the two with most edges are hubs, and what ties with the second."""
        made = MemoryStore()
        leaves = [f"L{number}" for number in range(17)]
        rows = [edge("One", name) for name in leaves[:6]]
        rows += [edge("Two", name) for name in leaves[:5]]
        rows += [edge("Three", name) for name in leaves[:4]] + [edge("One", "Two")]
        tell(made, "s", ["One", "Two", "Three", *leaves], *rows)
        query = replace(
            ASK,
            vector_expansion=False,
            seed_node_ids=(node_of("One"), node_of("Three")),
            seed_k=2,
        )
        hubs = {row.name for row in explained(made, query) if row.hub}
        assert hubs == {"One", "Two"}


class TestOrder:
    def chain(self) -> MemoryStore:
        made = MemoryStore()
        entry = tell(
            made,
            "s",
            ["Far", "Near", "Seed", "Side"],
            edge("Seed", "Near"),
            edge("Seed", "Side"),
            edge("Near", "Far"),
        )
        place(made, entry, {"Seed": 0.9, "Near": 0.5, "Side": 0.7, "Far": 0.8})
        return made

    def test_by_hop_then_similarity(self) -> None:
        rows = explained(self.chain(), ASK)
        assert [row.name for row in rows] == ["Seed", "Side", "Near", "Far"]
        assert [row.hop_distance for row in rows] == [0, 1, 1, 2]

    def test_seeds_by_rank(self) -> None:
        rows = explained(self.chain(), replace(ASK, seed_k=3))
        assert [(row.name, row.seed_rank) for row in rows] == [
            ("Seed", 1),
            ("Far", 2),
            ("Side", 3),
            ("Near", None),
        ]

    def test_distance_counts_from_the_nearest_seed(self) -> None:
        given = (node_of("Seed"), node_of("Far"))
        rows = explained(self.chain(), replace(ASK, seed_node_ids=given, seed_k=2))
        assert {row.name: row.hop_distance for row in rows} == {
            "Seed": 0,
            "Far": 0,
            "Side": 1,
            "Near": 1,
        }

    def test_a_given_seed_that_no_signal_found_has_no_fused_score(self) -> None:
        rows = explained(self.chain(), replace(ASK, seed_node_ids=(node_of("Near"),)))
        assert rows[0].annotation == "[seed#1] Near (vec=0.50, deg=2, hub)"
        assert rows[0].fused_score is None
        assert rows[0].signals == ("given",)

    def test_max_nodes_bounds_the_context_and_keeps_the_nearest(self) -> None:
        made = MemoryStore()
        names = [f"N{number}" for number in range(8)]
        rows = [edge("S1", name) for name in names[:4]] + [edge("S2", name) for name in names[4:]]
        entry = tell(made, "s", ["S1", "S2", *names], *rows)
        place(
            made, entry, {"S1": 1.0, "S2": 0.95} | {f"N{row}": 0.9 - row / 10 for row in range(6)}
        )
        rows_shown = explained(made, replace(ASK, seed_k=2, max_nodes=5))
        assert [row.name for row in rows_shown] == ["S1", "S2", "N0", "N1", "N2"]


class TestPrincipal:
    def test_names_come_from_what_the_principal_sees(self) -> None:
        made = MemoryStore()
        tell(made, "open", ["Acme"])
        tell(made, "more", ["Acme"])
        secret = tell(made, "secret", ["Hidden"], edge("Acme", "Hidden"), acl=["staff"])
        place(made, secret, {"Acme": 0.9, "Hidden": 0.99})
        rows = explained(made, replace(ASK, principal=GUEST, seed_k=5))
        assert [row.name for row in rows] == ["Acme"]
