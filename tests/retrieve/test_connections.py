"""How the things that a question names are connected."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pytest

from clew.core.knowledge import Period, Standing
from clew.core.query import Query
from clew.graph.shortest_ways import Way
from clew.retrieve.connections import find_connections, find_leads
from clew.retrieve.named_nodes import NamedNodes
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import GUEST, MAIN, edge
from tests.retrieve.worlds import ids_of, named, nobody_named, ready, tell

ASK = Query("how", collection=MAIN, max_hops=2)


def ways(store: MemoryStore, *names: str, query: Query = ASK) -> list[Way]:
    """Return the connections of names, the rarest first."""
    rows = ((name, 1.0 - place / 10) for place, name in enumerate(names))
    return find_connections(ready(query), named(*rows), graph=store)


def nodes_on(way: Way) -> list[int]:
    return [way[0].source, *(arc.target for arc in way)]


def chain(*names: str) -> MemoryStore:
    store = MemoryStore()
    tell(store, "s", names, *(edge(a, b) for a, b in pairwise(names)))
    return store


def test_two_names_that_touch() -> None:
    (way,) = ways(chain("A", "B"), "A", "B")
    assert nodes_on(way) == ids_of("A", "B").tolist()


@pytest.mark.parametrize(("hops", "count"), [(1, 0), (2, 1)])
def test_names_may_lie_twice_max_hops_apart(hops: int, count: int) -> None:
    store = chain("A", "B", "C", "D", "E")
    found = ways(store, "A", "E", query=replace(ASK, max_hops=hops))
    assert len(found) == count


def test_every_pair_of_the_three_rarest_names() -> None:
    store = MemoryStore()
    names = ["A", "B", "C", "D"]
    tell(store, "s", names, *(edge(a, b) for a in names for b in names if a < b))
    found = {frozenset(nodes_on(way)) for way in ways(store, *names)}
    assert found == {frozenset(ids_of(*pair).tolist()) for pair in ("AB", "AC", "BC")}


def test_at_most_three_ways_a_pair_surest_first() -> None:
    store = MemoryStore()
    rows = [edge("A", "B", relation=f"r{place}", confidence=place / 10) for place in range(1, 6)]
    tell(store, "s", ["A", "B"], *rows)
    found = ways(store, "A", "B")
    assert [way[0].edge for way in found] == [rows[4].id, rows[3].id, rows[2].id]


def test_short_ways_of_all_pairs_come_first() -> None:
    store = MemoryStore()
    tell(
        store,
        "s",
        ["A", "B", "C", "M"],
        edge("A", "M"),
        edge("M", "B"),
        edge("B", "C", confidence=0.1),
    )
    found = ways(store, "A", "B", "C")
    assert [len(way) for way in found] == [1, 2, 3]


def test_meanings_of_one_name_are_not_connected() -> None:
    """Two nodes that one name stands for are both its ends."""
    store = MemoryStore()
    tell(store, "s", ["A1", "A2", "B"], edge("A1", "A2"), edge("A2", "B"))
    found = find_connections(
        ready(ASK),
        NamedNodes(ids_of("A1", "A2", "B"), np.ones(3, np.float32), np.array([0, 0, 7])),
        graph=store,
    )
    assert [set(nodes_on(way)) for way in found] == [set(ids_of("A2", "B").tolist())]


def test_passages_do_not_connect() -> None:
    store = MemoryStore()
    tell(store, "s", ["A", "B"])
    assert ways(store, "A", "B") == []


def test_one_name_or_none() -> None:
    store = chain("A", "B")
    assert ways(store, "A") == []
    assert find_connections(ready(ASK), nobody_named(), graph=store) == []


def test_time() -> None:
    year = {number: datetime(number, 1, 1, tzinfo=UTC) for number in (2019, 2020, 2021)}
    store = MemoryStore()
    row = edge("A", "B", period=Period(valid_from=year[2020], valid_to=year[2021]))
    tell(store, "s", ["A", "B"], row)
    assert len(ways(store, "A", "B")) == 1
    assert len(ways(store, "A", "B", query=replace(ASK, temporal_at=year[2020]))) == 1
    assert ways(store, "A", "B", query=replace(ASK, temporal_at=year[2019])) == []
    assert ways(store, "A", "B", query=replace(ASK, temporal_at=year[2021])) == []


def test_principal() -> None:
    store = MemoryStore()
    tell(store, "open", ["A", "B"])
    tell(store, "shut", ["A", "B"], edge("A", "B"), acl=["staff"])
    assert len(ways(store, "A", "B")) == 1
    assert ways(store, "A", "B", query=replace(ASK, principal=GUEST)) == []


def test_inferred_edges_do_not_connect() -> None:
    store = MemoryStore()
    tell(store, "s", ["A", "B"], edge("A", "B", standing=Standing.INFERRED))
    assert ways(store, "A", "B") == []


def test_collections_do_not_mix() -> None:
    assert ways(chain("A", "B"), "A", "B", query=replace(ASK, collection="other")) == []


def leads(store: MemoryStore, name: str, *reached: str) -> list[list[int]]:
    found = find_leads(ready(ASK), named((name, 1.0)), ids_of(*reached), graph=store)
    return [nodes_on(way) for way in found]


def test_leads_join_a_name_with_what_was_reached_over_what_was_not() -> None:
    store = chain("A", "B", "C", "D")
    assert leads(store, "A", "C") == [ids_of("A", "B", "C").tolist()]


def test_the_name_itself_is_nothing_reached() -> None:
    assert leads(chain("A", "B"), "A", "A", "B") == [ids_of("A", "B").tolist()]


def test_leads_go_to_the_first_six() -> None:
    store = MemoryStore()
    others = [f"N{place}" for place in range(8)]
    tell(store, "s", ["A", *others], *(edge("A", other) for other in others))
    ends = {nodes[-1] for nodes in leads(store, "A", *others)}
    assert ends == set(ids_of(*others[:6]).tolist())


def test_without_names_there_are_no_leads() -> None:
    assert find_leads(ready(ASK), nobody_named(), ids_of("A"), graph=chain("A", "B")) == []
