"""Traces as JSON, GraphML and HTML, also of documents that want to run scripts."""

from __future__ import annotations

import json

import pytest
from lxml import etree, html

from clew.core.errors import QueryError
from clew.core.ids import format_id, node_id
from clew.core.results import NO_SEEDS
from clew.engine.async_clew import AsyncClew
from clew.engine.trace.drawing import COLUMN_LIMIT, drawing
from clew.engine.trace.html_page import trace_html
from clew.engine.trace.trace import Trace, TraceEdge, TraceNode, TracePassage
from clew.engine.trace.writing import write_trace
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import open_clew

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>\x00\ud800'
QUESTION = "How is Ada Roe connected to Beta Labs?"
NAMESPACE = {"g": "http://graphml.graphdrawing.org/xmlns"}


@pytest.fixture(params=["memory", "embedded"])
def clew(request, tmp_path):
    store = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "s.clew")
    with open_clew(store) as opened:
        opened.add(
            {"source": "a", "title": "Notes 1", "text": "Ada Roe leads Acme Corp."},
            {"source": "b", "title": "Notes 2", "text": "Acme Corp sued Beta Labs."},
        )
        yield opened
    store.close()


def small_trace(**changes):
    values = {
        "question": "Why?",
        "mode": "hybrid",
        "collection": "default",
        "routing": None,
        "parameters": {"top_k": "5"},
        "seeds": NO_SEEDS,
        "nodes": (),
        "edges": (),
        "paths": (),
        "passages": (),
        "timings": {},
        "partial": (),
        "notes": (),
        "answer": None,
        "answered": None,
        "confidence": None,
    }
    return Trace(**(values | changes))


def test_a_trace_holds_what_the_answer_rests_on(clew):
    answer = clew.ask(QUESTION, mode="adaptive")
    trace = clew.trace(answer)
    assert (trace.question, trace.mode, trace.answer) == (QUESTION, "hybrid", answer.text)
    assert trace.routing is answer.retrieval.routing is not None
    assert [passage.id for passage in trace.passages if passage.rank] == [
        result.id for result in answer.retrieval.results
    ]
    assert {passage.title for passage in trace.passages} == {"Notes 1", "Notes 2"}
    cited = {source.chunk_id: source.marker for source in answer.sources}
    assert {p.id: p.markers[0] for p in trace.passages if p.markers} == cited
    assert {"Ada Roe", "Acme Corp", "Beta Labs"} <= {node.name for node in trace.nodes}
    (ada, acme, beta) = (node_id(key) for key in ("ada roe", "acme", "beta labs"))
    ends = {(edge.source, edge.target): edge.relation for edge in trace.edges}
    assert ends[ada, acme] == "LEADS"
    assert ends[acme, beta] == "SUED"
    assert len(trace.paths) == len(answer.paths)
    assert trace.timings == answer.timings
    assert trace.parameters["top_k"] == "10"


def test_the_three_files_say_the_same(clew, tmp_path):
    found = clew.search(QUESTION, mode="hybrid")
    files = [tmp_path / f"t.{ending}" for ending in ("json", "graphml", "HTML")]
    trace, *_ = [clew.trace(found, file=file) for file in files]
    record = json.loads(files[0].read_text(encoding="utf-8"))
    assert record["question"] == QUESTION
    nodes = {format_id(node.id): node.name for node in trace.nodes}
    assert {node["id"]: node["name"] for node in record["nodes"]} == nodes
    assert {edge["source"] for edge in record["edges"]} <= nodes.keys() | {
        passage["id"] for passage in record["passages"]
    }
    graph = etree.parse(files[1])
    held = {
        node.get("id"): node.findtext("g:data[@key='node_name']", namespaces=NAMESPACE)
        for node in graph.iterfind(".//g:node", NAMESPACE)
    }
    assert held == nodes | {format_id(p.id): p.title for p in trace.passages}
    ends = [
        (edge.get("source"), edge.get("target")) for edge in graph.iterfind(".//g:edge", NAMESPACE)
    ]
    assert all(end in held for pair in ends for end in pair)
    assert len(ends) >= len(trace.edges) > 0
    page = html.parse(files[2]).getroot()
    text = page.text_content()
    assert all(name in text for name in nodes.values())
    assert len(page.findall(".//rect")) == len(trace.nodes) + len(trace.passages)


def test_hostile_text_stays_text(tmp_path):
    """Every field that a document, a question or a model writes holds the attack."""
    store = MemoryStore()
    with open_clew(store) as clew:
        clew.add(
            {
                "source": EVIL[:-2],
                "title": EVIL[:-2],
                "text": f"Acme Corp sued Beta Labs. {EVIL[:-2]}",
            }
        )
        found = clew.search(f"Who sued Beta Labs? {EVIL}", mode="hybrid")
        trace = clew.trace(found)
    node = TraceNode(1, EVIL, 0, 1, 0.5, 3, True, (EVIL,))
    edge = TraceEdge(2, 1, 1, EVIL, EVIL, 0.5, None, (1,))
    passage = TracePassage(3, 1, 4, EVIL, EVIL, EVIL, 0.1, 0.2, (EVIL,), (1,), (1,))
    made = small_trace(
        question=EVIL,
        mode=EVIL,
        collection=EVIL,
        parameters={EVIL: EVIL},
        nodes=(node,),
        edges=(edge,),
        passages=(passage,),
        timings={EVIL: 1.0},
        partial=(EVIL,),
        notes=(EVIL,),
        answer=EVIL,
        answered=False,
        confidence=0.1,
    )
    for number, one in enumerate((trace, made)):
        for ending in ("html", "graphml", "json"):
            file = tmp_path / f"{number}.{ending}"
            from_text = _written(one, file)
            assert from_text
        page = html.parse(tmp_path / f"{number}.html").getroot()
        assert page.xpath("//script | //img | //iframe | //object | //link | //a") == []
        assert (
            page.xpath("//@*[starts-with(name(), 'on') or name() = 'src' or name() = 'href']") == []
        )
        policy = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
        assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]
        assert "<script>alert(1)</script>" in page.text_content()
        etree.parse(tmp_path / f"{number}.graphml")
        json.loads((tmp_path / f"{number}.json").read_text(encoding="utf-8"))


def _written(trace, file):
    write_trace(trace, file)
    return file.read_text(encoding="utf-8")


def test_the_page_asks_the_network_for_nothing(clew):
    page = trace_html(clew.trace(clew.search(QUESTION, mode="hybrid")))
    assert "http://" not in page
    assert "https://" not in page
    assert "url(" not in page
    assert "@import" not in page


def test_a_long_column_is_cut_and_counted():
    nodes = tuple(
        TraceNode(number, f"n{number}", 0, None, None, None, False, ())
        for number in range(COLUMN_LIMIT + 7)
    )
    svg, left_out = drawing(small_trace(nodes=nodes))
    assert svg.count("<rect") == COLUMN_LIMIT
    assert left_out == 7
    page = trace_html(small_trace(nodes=nodes))
    assert "7 more are named in the tables only." in page
    assert all(f">{node.name}<" in page for node in nodes)


def test_an_empty_trace_is_a_page():
    assert "<svg" in trace_html(small_trace())


@pytest.mark.parametrize("name", ["trace.txt", "trace", "missing/trace.json"])
def test_what_cannot_be_written_is_said(clew, tmp_path, name):
    found = clew.search("Who?", mode="keyword")
    with pytest.raises(QueryError, match="cannot be written"):
        clew.trace(found, file=tmp_path / name)


@pytest.mark.asyncio
async def test_the_awaited_one_gives_the_same(clew):
    found = clew.search(QUESTION, mode="hybrid")
    assert await AsyncClew(clew).trace(found) == clew.trace(found)
