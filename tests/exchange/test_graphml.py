"""GraphML: well formed, every key declared and typed, and the graph that holds now."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from lxml import etree

from clew.core.batches import GraphBatch
from clew.core.documents import Span
from clew.core.ids import edge_id, format_id, origin_id
from clew.core.knowledge import Edge, EdgeType, Evidence, Period
from clew.exchange.graphml import NAMESPACE
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import NOW, open_clew

TYPES: dict[str, Callable[[str], object]] = {
    "string": str,
    "int": int,
    "double": float,
    "boolean": {"true": True, "false": False}.__getitem__,
}


def read_graphml(path):
    """Return nodes and edges with typed values, by the rules of the GraphML primer.

    A second reading by networkx is described in docs/exchange.md.
    """
    root = etree.parse(str(path)).getroot()
    assert root.tag == f"{{{NAMESPACE}}}graphml"
    (graph,) = root.findall("{*}graph")
    assert graph.get("edgedefault") == "directed"
    order = [etree.QName(child).localname for child in root]
    assert order == ["key"] * (len(order) - 1) + ["graph"]
    keys = {key.get("id"): key for key in root.findall("{*}key")}
    assert len(keys) == len(order) - 1
    nodes = {node.get("id"): _values(node, keys) for node in graph.findall("{*}node")}
    edges = {}
    for edge in graph.findall("{*}edge"):
        assert {edge.get("source"), edge.get("target")} <= nodes.keys()
        ends = edge.get("source"), edge.get("target")
        edges[edge.get("id")] = (*ends, _values(edge, keys))
    assert len(nodes) == len(graph.findall("{*}node"))
    assert len(edges) == len(graph.findall("{*}edge"))
    return nodes, edges


def _values(element, keys):
    domain = etree.QName(element).localname
    values = {}
    for data in element.findall("{*}data"):
        key = keys[data.get("key")]
        assert key.get("for") == domain
        values[key.get("attr.name")] = TYPES[key.get("attr.type")](data.text or "")
    return values


@pytest.fixture
def store():
    made = MemoryStore()
    with open_clew(made) as clew:
        clew.add(
            {"source": "a", "title": "Acme Corp", "text": 'Acme Corp sued Beta <& "Labs".'},
            {"source": "b", "title": "Notes", "text": "ACME CORP runs Gamma Partners."},
        )
    return made


def test_the_graph_that_holds_now_is_written(store, tmp_path):
    acme, gamma = (store.find_names("default", [k])[k][0] for k in ("acme", "gamma partners"))
    chunk = store.document_chunks("default", store.document_ids("default")[1])[0]
    dated = Edge(
        edge_id(acme, gamma, EdgeType.CAUSES, "RUINED", "x"),
        acme,
        gamma,
        EdgeType.CAUSES,
        "RUINED",
        0.25,
        negated=True,
        period=Period(valid_from=datetime(1990, 1, 1, tzinfo=UTC)),
        recorded_at=NOW,
        evidence=(Evidence(chunk.id, Span(2, 7), 0.25),),
    )
    store.write_graph("default", GraphBatch(origin_id("b"), edges=(dated,)))
    path = tmp_path / "deep" / "graph.graphml"
    with open_clew(store) as clew:
        report = clew.export(path, format="graphml")
        nodes, edges = read_graphml(path)
        assert report.rows == {"nodes": len(nodes), "edges": len(edges)}
        assert len(nodes) == clew.status().nodes
        assert len(edges) == clew.status().edges
    told = nodes[format_id(acme)]
    assert told["name"] == "Acme Corp"
    assert json.loads(told["aliases"]) == ["ACME CORP"]
    assert (told["kind"], told["label"], told["mentions"]) == ("entity", "ORG", 2)
    source, target, values = edges[format_id(dated.id)]
    assert (source, target) == (format_id(acme), format_id(gamma))
    assert values == {
        "relation": "RUINED",
        "kind": "causes",
        "confidence": 0.25,
        "standing": "reported",
        "negated": True,
        "valid_from": "1990-01-01T00:00:00+00:00",
        "recorded_at": NOW.isoformat(),
        "evidence": json.dumps([[format_id(chunk.id), 2, 7, 0.25]]),
    }


def test_retired_edges_are_left_out(store, tmp_path):
    chunks = [
        chunk.id
        for document in store.document_ids("default")
        for chunk in store.document_chunks("default", document)
    ]
    before = store.counts("default")["edges"]
    store.retire("default", chunks[:1], NOW)
    with open_clew(store) as clew:
        clew.export(tmp_path / "g", format="graphml")
    _, edges = read_graphml(tmp_path / "g")
    assert 0 < len(edges) < before


def test_characters_that_xml_cannot_hold_are_replaced(tmp_path):
    store = MemoryStore()
    with open_clew(store) as clew:
        clew.add({"source": "a", "title": "Bell\x07 <Tower> & \ud83d\udd14", "text": "It rang."})
        clew.export(tmp_path / "g", format="graphml")
    nodes, _ = read_graphml(tmp_path / "g")
    (name,) = {values["name"] for values in nodes.values() if "Tower" in values["name"]}
    assert "<Tower> &" in name
    assert "\x07" not in name


def test_a_principal_gets_what_it_may_see(store, tmp_path):
    with open_clew(store) as clew:
        clew.add(
            {"source": "c", "title": "Board", "text": "Acme Corp owes Hidden Fund.", "acl": ["x"]}
        )
        clew.export(tmp_path / "all", format="graphml")
    whole, _ = read_graphml(tmp_path / "all")
    assert "Hidden Fund" in {values["name"] for values in whole.values()}
