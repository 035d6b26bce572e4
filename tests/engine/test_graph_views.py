"""Neighbours, edges and timelines over both stores, on a small graph written by hand."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime

import pytest

from clew.core.documents import Span
from clew.core.errors import NotFoundError, QueryError
from clew.core.knowledge import Claim, EdgeType, Period, Standing
from clew.core.query import Principal
from clew.engine.async_clew import AsyncClew
from clew.engine.graph_views.async_graph_views import AsyncGraphViews
from clew.engine.graph_views.graph_views import GraphViews
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import edge, filed, mention, node_of, say, write
from tests.engine.stand_ins import open_clew

GUEST = Principal(frozenset({"guest"}))
TEXT = "Acme owns Beta since 2001."


def year(number):
    return datetime(number, 1, 1, tzinfo=UTC)


@pytest.fixture(params=["memory", "embedded"])
def clew(request, tmp_path):
    """Acme owned Beta from 2001 to 2005 and sued Gamma in 2003; that it causes Delta is hidden, and
    Gamma has led Beta since 2010."""
    store = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "s.clew")
    news = filed("news", TEXT, title="News")
    secret = filed("secret", "Acme causes Delta.", acl={"staff"})
    write(store, news, secret, collection="default")
    (page,), (hidden,) = news.chunks, secret.chunks
    say(
        store,
        news,
        *(mention(page, name) for name in ("Acme", "Beta", "Gamma")),
        edge("Acme", "Beta", page, relation="owns", confidence=0.6, period=OWNED),
        edge("Acme", "Gamma", page, relation="sued", confidence=0.9, period=SUED),
        edge("Gamma", "Beta", page, relation="leads", period=LED),
        edge("Acme", "Acme", page, relation="names", confidence=0.1, standing=Standing.INFERRED),
        Claim(7, page.id, TEXT, Span(0, len(TEXT)), (node_of("Acme"),), Period(year(2002))),
        Claim(8, page.id, "Undated.", Span(0, 1), (node_of("Acme"),)),
        collection="default",
    )
    say(
        store,
        secret,
        mention(hidden, "Acme"),
        mention(hidden, "Delta"),
        edge(
            "Acme",
            "Delta",
            hidden,
            relation="causes",
            kind=EdgeType.CAUSES,
            confidence=0.8,
            period=Period(year(1999)),
        ),
        collection="default",
    )
    with open_clew(store) as opened:
        yield opened
    store.close()


OWNED = Period(valid_from=year(2001), valid_to=year(2005))
SUED = Period(year(2003))
LED = Period(valid_from=year(2010))


def ends(found):
    return [(one.edge.relation, one.node.name, one.forward) for one in found.neighbours]


def test_neighbours_are_those_of_both_directions_surest_first(clew):
    found = clew.graph.neighbours("Acme")
    assert ends(found) == [
        ("sued", "Gamma", True),
        ("causes", "Delta", True),
        ("owns", "Beta", True),
        ("names", "Acme", True),
    ]
    assert (found.node.name, found.degree) == ("Acme", 4)
    assert found.neighbours[0].quotation == "A"
    assert ends(clew.graph.neighbours("Beta")) == [
        ("leads", "Gamma", False),
        ("owns", "Acme", False),
    ]


def test_neighbours_can_be_cut_and_narrowed(clew):
    cut = clew.graph.neighbours("Acme", limit=1)
    assert (ends(cut), cut.degree) == ([("sued", "Gamma", True)], 4)
    assert ends(clew.graph.neighbours("Acme", kinds=["causes"])) == [("causes", "Delta", True)]
    assert ends(clew.graph.neighbours("Beta", temporal_at=year(2006))) == []
    assert ends(clew.graph.neighbours("Beta", temporal_at=year(2002))) == [("owns", "Acme", False)]


def test_what_a_principal_may_not_see_is_not_told(clew):
    found = clew.graph.neighbours("Acme", principal=GUEST)
    assert [name for _, name, _ in ends(found)] == ["Gamma", "Beta", "Acme"]
    assert found.degree == 3
    hidden = clew.graph.neighbours("Delta").neighbours[0].edge.id
    with pytest.raises(NotFoundError):
        clew.graph.edge(hidden, principal=GUEST)
    with pytest.raises(NotFoundError):
        clew.graph.neighbours("Delta", principal=GUEST)
    assert year(1999) not in {entry.at for entry in clew.graph.timeline(principal=GUEST)}


def test_an_edge_has_its_statements(clew):
    (owns,) = [
        one.edge for one in clew.graph.neighbours("Acme").neighbours if one.node.name == "Beta"
    ]
    found = clew.graph.edge(owns.id)
    assert found.edge == owns
    assert (found.source_name, found.target_name) == ("Acme", "Beta")
    (stated,) = found.statements
    assert (stated.title, stated.source, stated.text) == ("News", "news", "A")
    assert stated.confidence == pytest.approx(0.6)
    with pytest.raises(NotFoundError, match="no edge 0000000000000001"):
        clew.graph.edge(1)


def told(entries):
    return [(entry.at.year, entry.until and entry.until.year, entry.text) for entry in entries]


def test_a_timeline_is_in_the_order_of_time(clew):
    assert told(clew.graph.timeline("Acme")) == [
        (1999, None, "Acme → causes → Delta"),
        (2001, 2005, "Acme → owns → Beta"),
        (2002, None, TEXT),
        (2003, None, "Acme → sued → Gamma"),
    ]
    assert [text for _, _, text in told(clew.graph.timeline())] == [
        "Acme → causes → Delta",
        "Acme → owns → Beta",
        "Acme → sued → Gamma",
        "Gamma → leads → Beta",
    ]


@pytest.mark.parametrize(
    ("window", "years"),
    [
        ({"start": year(2004)}, [2001]),
        ({"start": year(2003)}, [2001, 2003]),
        ({"end": year(2001)}, [1999, 2001]),
        ({"start": year(2002), "end": year(2002)}, [2001, 2002]),
        ({"limit": 2}, [1999, 2001]),
        ({"start": year(2006)}, []),
    ],
)
def test_a_timeline_keeps_to_its_window(clew, window, years):
    assert [entry.at.year for entry in clew.graph.timeline("Acme", **window)] == years


def test_a_period_without_an_end_goes_on(clew):
    assert [entry.at.year for entry in clew.graph.timeline("Beta", start=year(2020))] == [2010]


@pytest.mark.parametrize(
    "call",
    [
        lambda it: it.neighbours("Acme", limit=0),
        lambda it: it.neighbours("Acme", kinds=["mentions"]),
        lambda it: it.neighbours("Acme", kinds=["nonsense"]),
        lambda it: it.neighbours("Acme", temporal_at=datetime(2025, 1, 1)),  # noqa: DTZ001
        lambda it: it.timeline(start=datetime(2025, 1, 1)),  # noqa: DTZ001
        lambda it: it.timeline(limit=10_001),
    ],
)
def test_what_is_wrong_is_said(clew, call):
    with pytest.raises(QueryError):
        call(clew.graph)


@pytest.mark.asyncio
async def test_the_awaited_ones_are_the_same(clew):
    names = [name for name in vars(GraphViews) if not name.startswith("_")]
    assert names == [name for name in vars(AsyncGraphViews) if not name.startswith("_")]
    for name in names:
        plain, awaited = getattr(GraphViews, name), getattr(AsyncGraphViews, name)
        assert inspect.iscoroutinefunction(awaited)
        assert inspect.signature(plain) == inspect.signature(awaited), name
    graph = AsyncClew(clew).graph
    found = await graph.neighbours("Acme")
    assert found == clew.graph.neighbours("Acme")
    assert await graph.timeline() == clew.graph.timeline()
    edge_id = found.neighbours[0].edge.id
    assert await graph.edge(edge_id) == clew.graph.edge(edge_id)
