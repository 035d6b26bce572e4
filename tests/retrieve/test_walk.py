"""The guided walk against exact personalised PageRank over transitions written as loops."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, identity
from scipy.sparse.linalg import spsolve

from clew.core.calibration import Calibration
from clew.core.documents import Chunk
from clew.core.query import NO_FILTER, Filter, Principal, Query
from clew.retrieve.anchors import Relevance
from clew.retrieve.named_nodes import rarity
from clew.retrieve.walk import Restart, WalkResult, WalkSettings, walk
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import GUEST, MAIN, filed, id_array, mention, node_of, say, write
from tests.retrieve.worlds import at_cosine, hits, ready, scores_of

SETTINGS = WalkSettings(
    damping=0.6,
    epsilon=1e-9,
    edge_budget=10_000,
    fan_out=100,
    page_boost=7.0,
    floor=0.1,
    confidence_power=2.0,
)
ASK = Query("who", collection=MAIN)
NAMES = ("Ada", "Bob", "Cy", "Dee", "Eve")


@dataclass
class Shelf:
    """One document a chunk; `mentions` holds the confidence by (chunk place, name)."""

    store: MemoryStore
    chunks: list[Chunk]
    mentions: dict[tuple[int, str], float]
    cosines: list[float]

    def transitions(
        self,
        settings: WalkSettings,
        *,
        relevance: bool = False,
        shut: frozenset[int] = frozenset(),
    ) -> tuple[list[int], NDArray[np.float64]]:
        """Return vertices (chunks, then nodes) and the chances to step from row to column.

        `shut` holds places of chunks that are out of scope: nothing leads to or from them.
        """
        vertices = [chunk.id for chunk in self.chunks] + [node_of(name) for name in NAMES]
        chance = np.zeros((len(vertices), len(vertices)))
        for (place, name), sure in self.mentions.items():
            row, column = place, len(self.chunks) + NAMES.index(name)
            count = sum(1 for _, other in self.mentions if other == name)
            if count > 1 and place not in shut:
                chance[row, column] = sure**settings.confidence_power * _rarity(count)
            weight = settings.page_boost if sure == 1.0 else sure
            if relevance:
                weight *= settings.floor + max(self.cosines[place] / max(self.cosines), 0.0)
            if place not in shut:
                chance[column, row] = weight
        for chances in chance:
            if chances.sum() > 0:
                chances /= chances.sum()
        return vertices, chance

    def exact(
        self,
        restart: Restart,
        settings: WalkSettings,
        *,
        relevance: bool = False,
        shut: frozenset[int] = frozenset(),
    ) -> dict[int, float]:
        """Return exact PageRank by vertex; mass that a vertex cannot pass on is lost."""
        vertices, chance = self.transitions(settings, relevance=relevance, shut=shut)
        mass = np.zeros(len(vertices))
        for ids, share in (
            (restart.chunks, restart.chunk_mass),
            (restart.nodes, restart.node_mass),
        ):
            for identifier, part in zip(ids.tolist(), share.tolist(), strict=True):
                mass[vertices.index(identifier)] += part
        system = identity(len(vertices), format="csc") - settings.damping * csc_matrix(chance.T)
        solved = np.atleast_1d(spsolve(system, (1 - settings.damping) * mass))
        return dict(zip(vertices, solved.tolist(), strict=True))

    def walk(
        self,
        restart: Restart,
        settings: WalkSettings = SETTINGS,
        *,
        query: Query = ASK,
        relevance: Relevance | None = None,
    ) -> WalkResult:
        return walk(
            ready(query),
            restart,
            relevance,
            chunks=self.store,
            graph=self.store,
            settings=settings,
        )


def _rarity(count: int) -> float:
    return float(rarity(id_array(count))[0])


def shelf(
    count: int,
    mentions: dict[tuple[int, str], float],
    *,
    cosines: list[float] | None = None,
    acls: dict[int, str] | None = None,
) -> Shelf:
    store = MemoryStore()
    held = cosines or [0.5] * count
    chunks: list[Chunk] = []
    for place in range(count):
        group = (acls or {}).get(place)
        entry = filed(f"doc{place}", f"text {place}", acl=[group] if group else [])
        write(store, entry, vectors=[at_cosine(held[place])])
        (chunk,) = entry.chunks
        chunks.append(chunk)
        say(
            store,
            entry,
            *(
                mention(chunk, name, confidence=sure)
                for (where, name), sure in mentions.items()
                if where == place
            ),
        )
    return Shelf(store, chunks, mentions, held)


def start_at(
    world: Shelf, *, chunks: dict[int, float] | None = None, nodes: dict[str, float] | None = None
) -> Restart:
    chunks, nodes = chunks or {}, nodes or {}
    return Restart(
        id_array(*(world.chunks[place].id for place in chunks)),
        np.array(list(chunks.values()), np.float32),
        id_array(*(node_of(name) for name in nodes)),
        np.array(list(nodes.values()), np.float32),
    )


def ranks(found: WalkResult) -> dict[int, float]:
    return scores_of(found.chunks) | scores_of(found.nodes)


def near(expected: dict[int, float], *, slack: float = 1e-6) -> object:
    """Return what compares equal to the positive ones of the expected ranks."""
    return pytest.approx({key: rank for key, rank in expected.items() if rank > slack}, abs=slack)


CROSS = {
    (0, "Ada"): 0.5,
    (0, "Bob"): 0.8,
    (1, "Ada"): 1.0,
    (1, "Cy"): 0.9,
    (2, "Bob"): 0.25,
    (2, "Cy"): 0.5,
    (3, "Cy"): 0.7,
    (3, "Dee"): 0.9,
}


class TestExact:
    def test_a_step_by_hand(self) -> None:
        """Two passages that share one name, from the first: .4 stays, .24 reaches the name ..."""
        world = shelf(2, {(0, "Ada"): 0.5, (1, "Ada"): 0.5})
        found = ranks(world.walk(start_at(world, chunks={0: 1.0})))
        d = 0.6
        # Let s0, s1, a be the ranks: s0 = .4 + d a / 2, a = d (s0 + s1), s1 = d a / 2.
        a = d * 0.4 / (1 - d * d)
        assert found == pytest.approx(
            {world.chunks[0].id: 0.4 + d * a / 2, world.chunks[1].id: d * a / 2, node_of("Ada"): a},
            abs=1e-6,
        )
        assert sum(found.values()) == pytest.approx(1.0, abs=1e-6)

    def test_by_structure(self) -> None:
        world = shelf(4, CROSS)
        restart = start_at(world, chunks={0: 0.5, 3: 0.25}, nodes={"Ada": 0.25})
        found = world.walk(restart)
        assert found.complete
        assert ranks(found) == near(world.exact(restart, SETTINGS))

    def test_guided_by_relevance(self) -> None:
        world = shelf(4, CROSS, cosines=[0.8, 0.2, 0.4, -0.5])
        restart = start_at(world, chunks={0: 0.7}, nodes={"Cy": 0.3})
        relevance = Relevance(at_cosine(1.0), Calibration(), 0.8, hits())
        found = world.walk(restart, relevance=relevance)
        assert ranks(found) == near(world.exact(restart, SETTINGS, relevance=True))

    def test_keywords_draw_the_walk(self) -> None:
        world = shelf(3, {(place, "Ada"): 0.5 for place in range(3)})
        restart = start_at(world, nodes={"Ada": 1.0})
        drawn = world.chunks[2].id
        relevance = Relevance(at_cosine(1.0), Calibration(), 1.0, hits((drawn, 4.0)))
        found = world.walk(restart, relevance=relevance)
        assert found.chunks.ids[0] == drawn
        assert found.chunks.scores[1] == pytest.approx(found.chunks.scores[2])

    def test_damping_zero_goes_nowhere(self) -> None:
        world = shelf(4, CROSS)
        restart = start_at(world, chunks={0: 0.75}, nodes={"Ada": 0.25})
        found = ranks(world.walk(restart, replace(SETTINGS, damping=0.0)))
        assert found == pytest.approx({world.chunks[0].id: 0.75, node_of("Ada"): 0.25})

    def test_a_name_that_no_other_passage_mentions_gets_nothing(self) -> None:
        world = shelf(2, {(0, "Ada"): 0.5, (1, "Ada"): 0.5, (0, "Bob"): 1.0})
        found = world.walk(start_at(world, chunks={0: 1.0}))
        assert node_of("Bob") not in found.nodes.ids

    def test_nowhere_to_start_gives_nothing(self) -> None:
        world = shelf(1, {(0, "Ada"): 0.5})
        found = world.walk(start_at(world))
        assert found.complete
        assert ranks(found) == {}

    def test_what_is_too_little_at_once_adds_up(self) -> None:
        """X gets .05 by Bob in the first round and .025 by Cy in the second, and .06 is enough."""
        mentions = dict.fromkeys([(0, "Bob"), (1, "Bob"), (0, "Cy"), (1, "Cy"), (2, "Cy")], 0.5)
        world = shelf(3, mentions)
        restart = start_at(world, chunks={2: 0.6}, nodes={"Bob": 0.4})
        found = world.walk(restart, replace(SETTINGS, damping=0.5, epsilon=0.06))
        # Passage 2 keeps .3, half of which goes to Cy and a third of a half of that to each passage.
        x, y, z = (chunk.id for chunk in world.chunks)
        assert scores_of(found.chunks) == pytest.approx({x: 0.075, y: 0.075, z: 0.3})
        assert scores_of(found.nodes) == pytest.approx({node_of("Bob"): 0.2, node_of("Cy"): 0.15})

    def test_hits_are_ordered_best_first_and_parted(self) -> None:
        world = shelf(4, CROSS)
        found = world.walk(start_at(world, chunks={0: 1.0}))
        assert set(found.chunks.ids.tolist()) <= {chunk.id for chunk in world.chunks}
        assert set(found.nodes.ids.tolist()) <= {node_of(name) for name in NAMES}
        assert np.all(np.diff(found.chunks.scores) <= 0)
        assert np.all(np.diff(found.nodes.scores) <= 0)


class TestBudget:
    def test_without_budget_only_the_restart_has_mass(self) -> None:
        world = shelf(4, CROSS)
        found = world.walk(start_at(world, chunks={0: 1.0}), replace(SETTINGS, edge_budget=1))
        assert not found.complete
        first = world.chunks[0].id
        assert found.chunks.ids.tolist() == [first]
        # Two edges were read, more than the budget: what they lead to is not expanded.
        assert found.nodes.ids.tolist() == []
        assert scores_of(found.chunks)[first] == pytest.approx(0.4)

    def test_a_budget_that_suffices_is_complete(self) -> None:
        world = shelf(4, CROSS)
        # Each of the eight mentions is read from both of its ends.
        found = world.walk(start_at(world, chunks={0: 1.0}), replace(SETTINGS, edge_budget=16))
        assert found.complete

    def test_fan_out_keeps_the_surest_edges(self) -> None:
        world = shelf(3, {(0, "Ada"): 0.9, (1, "Ada"): 0.2, (2, "Ada"): 0.5})
        found = world.walk(start_at(world, nodes={"Ada": 1.0}), replace(SETTINGS, fan_out=2))
        assert set(found.chunks.ids.tolist()) == {world.chunks[0].id, world.chunks[2].id}


class TestScope:
    def test_what_is_out_of_scope_gets_nothing_and_leads_nowhere(self) -> None:
        # Only passage 1 leads from Ada to Cy, and Cy to passage 3.
        mentions = {
            (0, "Ada"): 0.5,
            (1, "Ada"): 0.5,
            (1, "Cy"): 0.5,
            (3, "Cy"): 0.5,
            (2, "Ada"): 0.5,
        }
        world = shelf(4, mentions)
        restart = start_at(world, chunks={0: 1.0})
        open_documents = frozenset({"doc0", "doc2", "doc3"})
        query = replace(ASK, filter=Filter(sources=open_documents))
        found = world.walk(restart, query=query)
        assert ranks(found) == near(world.exact(restart, SETTINGS, shut=frozenset({1})))
        assert set(found.chunks.ids.tolist()) == {world.chunks[0].id, world.chunks[2].id}
        assert node_of("Cy") not in found.nodes.ids
        assert node_of("Cy") in world.walk(restart).nodes.ids

    def test_what_the_principal_may_not_see_is_not_crossed(self) -> None:
        mentions = {(0, "Ada"): 0.5, (1, "Ada"): 0.5, (1, "Cy"): 0.5, (2, "Cy"): 0.5}
        world = shelf(3, mentions, acls={1: "staff"})
        restart = start_at(world, chunks={0: 1.0})
        found = world.walk(restart, query=replace(ASK, principal=GUEST))
        assert found.chunks.ids.tolist() == [world.chunks[0].id]
        assert node_of("Cy") not in found.nodes.ids
        staff = replace(ASK, principal=Principal(frozenset({"staff"})))
        assert world.chunks[2].id in world.walk(restart, query=staff).chunks.ids

    def test_labels_restrict_passages(self) -> None:
        store = MemoryStore()
        entry = filed("s", "zero", "one", "two")
        write(store, entry)
        zero, one, two = entry.chunks
        say(
            store,
            entry,
            *(mention(chunk, "Ada", confidence=0.5) for chunk in entry.chunks),
            mention(zero, "Acme", label="Company", confidence=0.5),
            mention(two, "Acme", label="Company", confidence=0.5),
        )
        world = Shelf(store, list(entry.chunks), {}, [])
        query = replace(ASK, filter=Filter(labels=frozenset({"Company"})))
        found = world.walk(start_at(world, chunks={0: 1.0}), query=query)
        assert set(found.chunks.ids.tolist()) == {zero.id, two.id}
        assert one.id not in found.chunks.ids


mentions_of_shelves = st.dictionaries(
    st.tuples(st.integers(0, 4), st.sampled_from(NAMES)),
    st.sampled_from([0.25, 0.5, 0.8, 1.0]),
    min_size=1,
    max_size=16,
)


@given(mentions_of_shelves, st.data())
@settings(deadline=None, max_examples=60)
def test_push_is_below_exact_by_no_more_than_the_bound(
    mentions: dict[tuple[int, str], float], data: st.DataObject
) -> None:
    world = shelf(5, mentions)
    named = sorted({name for _, name in mentions})
    starts = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True))
    names = data.draw(st.lists(st.sampled_from(named), max_size=2, unique=True))
    share = 1.0 / (len(starts) + len(names))
    restart = start_at(
        world, chunks=dict.fromkeys(starts, share), nodes=dict.fromkeys(names, share)
    )
    shut = data.draw(st.frozensets(st.sampled_from(range(5)), max_size=4))
    scope = Filter(sources=frozenset(f"doc{place}" for place in range(5) if place not in shut))
    damping = data.draw(st.sampled_from([0.3, 0.5, 0.85]))
    epsilon = data.draw(st.sampled_from([1e-2, 1e-3, 1e-6]))
    chosen = replace(SETTINGS, damping=damping, epsilon=epsilon)
    query = replace(ASK, filter=scope if shut else NO_FILTER)

    found = world.walk(restart, chosen, query=query)

    exact = world.exact(restart, chosen, shut=shut)
    got = ranks(found)
    assert found.complete
    assert sum(got.values()) <= 1.0 + 1e-5
    errors = [rank - got.get(vertex, 0.0) for vertex, rank in exact.items()]
    assert min(errors) >= -1e-6
    # A residual of at most epsilon is left at each vertex, and each is worth 1 / (1 - damping).
    assert sum(errors) <= len(exact) * epsilon / (1 - damping) + 1e-5
    reached = {world.chunks[place].id for place in range(5) if place not in shut}
    assert set(found.chunks.ids.tolist()) <= reached | set(restart.chunks.tolist())
