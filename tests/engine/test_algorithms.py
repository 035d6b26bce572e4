"""Graph algorithms over both stores, on a small payment network worked out by hand."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime

import pytest

from clew.core.algorithms import RingForm
from clew.core.errors import NotFoundError, QueryError
from clew.core.knowledge import EdgeType, Period
from clew.core.query import Principal
from clew.engine.algorithms.algorithms import Algorithms
from clew.engine.algorithms.async_algorithms import AsyncAlgorithms
from clew.engine.async_clew import AsyncClew
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import edge, filed, mention, node_of, say, write
from tests.engine.stand_ins import open_clew

A, B, C, D, E, F, G = "Acct A", "Acct B", "Acct C", "Acct D", "Acct E", "Acct F", "Acct G"
MULE = "Mule"
STAFF = Principal(frozenset({"staff"}))
GUEST = Principal(frozenset({"guest"}))
LATER = datetime(2025, 6, 1, tzinfo=UTC)


@pytest.fixture(params=["memory", "embedded"])
def clew(request, tmp_path):
    """A, B, C pay in a circle; D, E, F, G are a clique without a circle; a mule pays from G to A."""
    store = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "s.clew")
    ledger = filed("ledger", "The ledger.")
    secret = filed("secret", "The other ledger.", acl={"staff"})
    write(store, ledger, secret, collection="default")
    (page,), (hidden,) = ledger.chunks, secret.chunks
    named = [mention(page, name, label="Account") for name in (A, B, C, D, E, F, G)]
    clique = [(D, E), (D, F), (D, G), (E, F), (E, G), (F, G)]
    say(
        store,
        ledger,
        *named,
        mention(page, MULE, label="Person"),
        edge(A, B, page, confidence=0.9),
        edge(B, C, page, confidence=0.8),
        edge(C, A, page, confidence=0.7),
        *(edge(one, other, page, confidence=0.5) for one, other in clique),
        edge(G, MULE, page, confidence=0.9, kind=EdgeType.CAUSES),
        edge(MULE, A, page, confidence=0.9, period=Period(valid_from=LATER)),
        collection="default",
    )
    say(
        store, secret, mention(hidden, G), edge(G, A, hidden, confidence=0.95), collection="default"
    )
    with open_clew(store) as opened:
        yield opened
    store.close()


def named(nodes):
    return [node.name for node in nodes]


def test_rings_are_the_circle_and_the_clique(clew):
    rings = clew.algorithms.fraud_ring_detection(entity_type="Account", min_ring_size=3)
    assert [ring.form for ring in rings] == [RingForm.CYCLE, RingForm.DENSE]
    circle, clique = rings
    assert set(circle.members) == {node_of(name) for name in (A, B, C)}
    assert circle.density == 1.0
    assert circle.confidence == pytest.approx((0.9 + 0.8 + 0.7) / 3)
    after = dict(zip(circle.names, (*circle.names[1:], circle.names[0]), strict=True))
    assert after == {A: B, B: C, C: A}
    assert len(circle.edge_ids) == 3
    assert set(clique.members) == {node_of(name) for name in (D, E, F, G)}
    assert (clique.density, clique.confidence) == (1.0, pytest.approx(0.5))
    assert len(clique.edge_ids) == 6
    assert rings.partial == ()


def test_rings_keep_to_type_size_and_kinds(clew):
    assert len(clew.algorithms.fraud_ring_detection("Account", 4)) == 1
    assert len(clew.algorithms.fraud_ring_detection("person")) == 0
    assert len(clew.algorithms.fraud_ring_detection("Account", kinds=["causes"])) == 0
    capped = clew.algorithms.fraud_ring_detection("account", limit=1)
    assert len(capped) == 1
    assert capped.partial == ("1 more rings were left out; raise the limit to see them",)


def test_ring_members_are_seeds(clew):
    rings = clew.algorithms.fraud_ring_detection("Account")
    members = [member for ring in rings for member in ring.members]
    found = clew.search("What was paid?", mode="hybrid", seed_node_ids=members)
    assert found.seed_fusion_stats.given_seeds > 0


def test_attack_paths_go_forward_by_risk(clew):
    """G - Mule - A is .81; D - G - Mule - A would be .405, D - E - G ... .2025."""
    found = clew.algorithms.attack_paths([D, G], A, limit=3)
    assert [path.nodes for path in found] == [
        tuple(map(node_of, way)) for way in ((G, A), (G, MULE, A), (D, G, A))
    ]
    assert [path.probability for path in found] == pytest.approx([0.95, 0.81, 0.5 * 0.95])
    assert len(clew.algorithms.attack_paths(A, D)) == 0
    before = datetime(2025, 1, 1, tzinfo=UTC)
    then = clew.algorithms.attack_paths(G, A, temporal_at=before, principal=GUEST)
    assert len(then) == 0


def test_a_principal_walks_what_it_may_see(clew):
    staff = clew.algorithms.attack_paths(G, A, limit=1, principal=STAFF)
    guest = clew.algorithms.attack_paths(G, A, limit=1, principal=GUEST)
    assert [len(found[0].nodes) for found in (staff, guest)] == [2, 3]


def test_cheapest_paths_weigh_confidence_against_hops(clew):
    """C to B: backwards over one edge of .8."""
    (best, second) = clew.algorithms.cheapest_paths(C, B, limit=2)
    assert best.nodes == (node_of(C), node_of(B))
    assert [step.forward for step in best.path.steps] == [False]
    assert best.path.description == f"{C} ← joins ← {B}"
    assert second.nodes == (node_of(C), node_of(A), node_of(B))
    assert second.probability == pytest.approx(0.7 * 0.9)
    within = clew.algorithms.cheapest_paths(C, B, limit=9, within=[node_of(C), node_of(B)])
    assert [path.nodes for path in within] == [best.nodes]


def test_paths_keep_to_a_retrieved_subgraph(clew):
    found = clew.search(f"What does {A} pay to {B}?", mode="hybrid")
    inside = clew.algorithms.cheapest_paths(A, B, within=found)
    assert inside[0].nodes == (node_of(A), node_of(B))


def test_pagerank_at_a_time(clew):
    """Before the mule paid, nothing but the circle reached it: A, B and C are alike by then."""
    before = datetime(2025, 1, 1, tzinfo=UTC)
    then = clew.algorithms.pagerank(temporal_at=before, principal=GUEST)
    scores = {node.name: node.score for node in then}
    assert scores[A] == pytest.approx(scores[B]) == pytest.approx(scores[C])
    assert sum(scores.values()) == pytest.approx(1.0)
    now = {node.name: node.score for node in clew.algorithms.pagerank(principal=GUEST)}
    assert now[A] > now[B] > now[C] > scores[A]
    assert named(clew.algorithms.pagerank(labels=["Person"])) == [MULE]
    assert len(clew.algorithms.pagerank(limit=2)) == 2


def test_the_walk_starts_at_the_named(clew):
    near = clew.algorithms.personalised_pagerank(B, limit=3, principal=GUEST)
    assert set(named(near)) == {A, B, C}
    assert near[0].name == B


def test_what_is_known_is_not_recommended(clew):
    found = named(clew.algorithms.recommend(B))
    assert set(found) == {D, E, F, G, MULE}
    assert found[0] in {G, MULE}
    assert named(clew.algorithms.recommend(B, labels=["Person"])) == [MULE]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda it: it.fraud_ring_detection(" "), QueryError),
        (lambda it: it.fraud_ring_detection("Account", 1), QueryError),
        (lambda it: it.pagerank(damping=1.0), QueryError),
        (lambda it: it.pagerank(limit=0), QueryError),
        (lambda it: it.pagerank(kinds=["mentions"]), QueryError),
        (lambda it: it.pagerank(temporal_at=datetime(2025, 1, 1)), QueryError),  # noqa: DTZ001
        (lambda it: it.recommend(), QueryError),
        (lambda it: it.cheapest_paths(A, A), QueryError),
        (lambda it: it.attack_paths([], A), QueryError),
        (lambda it: it.recommend("Nobody at all"), NotFoundError),
    ],
)
def test_what_is_wrong_is_said(clew, call, error):
    with pytest.raises(error):
        call(clew.algorithms)


def test_an_empty_collection_has_nothing():
    with open_clew(MemoryStore()) as clew:
        assert clew.algorithms.pagerank() == ()
        assert len(clew.algorithms.fraud_ring_detection("Account")) == 0


def test_the_awaited_ones_have_the_same_signatures():
    names = [name for name in vars(Algorithms) if not name.startswith("_")]
    assert len(names) == 6
    assert names == [name for name in vars(AsyncAlgorithms) if not name.startswith("_")]
    for name in names:
        plain, awaited = getattr(Algorithms, name), getattr(AsyncAlgorithms, name)
        assert inspect.iscoroutinefunction(awaited)
        assert inspect.signature(plain) == inspect.signature(awaited), name


@pytest.mark.asyncio
async def test_the_awaited_ones_give_the_same(clew):
    other, mine = AsyncClew(clew).algorithms, clew.algorithms
    assert await other.pagerank() == mine.pagerank()
    assert await other.personalised_pagerank(A) == mine.personalised_pagerank(A)
    assert await other.recommend(A, limit=2) == mine.recommend(A, limit=2)
    assert await other.cheapest_paths(A, D) == mine.cheapest_paths(A, D)
    assert await other.attack_paths(D, A) == mine.attack_paths(D, A)
    assert await other.fraud_ring_detection("Account", 4) == mine.fraud_ring_detection("Account", 4)
