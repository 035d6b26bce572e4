"""Folders of microsoft/graphrag and LightRAG become collections that can be asked."""

import numpy as np
import pytest

from clew.core.documents import Stage
from clew.core.errors import IngestError, MissingExtraError
from clew.core.ids import node_id
from clew.core.knowledge import EdgeType, NodeType, Standing
from clew.exchange.graphml import NAMESPACE
from clew.exchange.mapping import confidence_of
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.dump import differences, dump
from tests.engine.stand_ins import CountingEmbedder, open_clew
from tests.exchange import foreign_folders
from tests.exchange.foreign_folders import FIRST, HARBOUR, SECOND, STORM
from tests.exchange.own_communities import write_community

OTTO, HARBOUR_TOOLS, QUAY = (
    node_id(key) for key in ("otto lindqvist", "harbour tools", "quay works")
)
VERSIONS = ["0.3", "1.0", "3.0"]


@pytest.fixture(params=["memory", "embedded"])
def store(request, tmp_path):
    made = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "kb.clew")
    yield made
    made.close()


def edges_of(store):
    """Return (source, relation, target) with confidence, standing and the words that state it."""
    found = {}
    for edge in store.edges("default", store.edge_ids("default").tolist()):
        names = {node.id: node.name for node in store.nodes("default", [edge.source, edge.target])}
        stated = []
        for evidence in edge.evidence:
            (chunk,) = store.chunks("default", [evidence.chunk])
            stated.append(chunk.text[evidence.span.start : evidence.span.end])
        key = names[edge.source], edge.relation, names[edge.target]
        found[key] = (round(edge.confidence, 4), edge.standing, stated)
        assert edge.kind is EdgeType.RELATED_TO
    return found


def claims_of(store):
    found = []
    for document in store.documents("default"):
        chunks = [chunk.id for chunk in store.document_chunks("default", document.id)]
        found += store.claims("default", chunks)
    return found


def test_weights_without_bound_become_confidences():
    assert [confidence_of(weight) for weight in (1.0, 3.0, 9.0)] == [0.5, 0.75, 0.9]
    assert [confidence_of(weight) for weight in (None, 0.0, -2.0)] == [0.5] * 3


@pytest.mark.parametrize("version", VERSIONS)
def test_graphrag_comes_in_with_evidence(store, tmp_path, version):
    folder = foreign_folders.graphrag(tmp_path / "output", version=version)
    with open_clew(store) as clew:
        report = clew.import_graph(folder)
        assert report.format == "graphrag"
        assert [(held.source, held.title, held.text) for held in clew.documents()] == [
            ("harbour.txt", "harbour.txt", HARBOUR),
            ("storm.txt", "storm.txt", STORM),
        ]
        assert clew.status().pending == {}
    first, second = store.document_chunks("default", store.document_ids("default")[0])
    assert (first.text, second.text) == (FIRST, SECOND)
    assert HARBOUR[second.span.start : second.span.end] == SECOND
    assert edges_of(store) == {
        ("Otto Lindqvist", "FOUNDED", "Harbour Tools"): (
            0.9,
            Standing.REPORTED,
            ["Otto Lindqvist founded Harbour Tools in 1984."],
        ),
        # The description names Harbour Tools first, though the table has it as target.
        ("Harbour Tools", "BOUGHT", "Quay Works"): (
            0.5,
            Standing.REPORTED,
            ["In spring Harbour Tools bought Quay Works."],
        ),
        # The name Storm of 1990 is not in the description, and no text unit is given.
        ("Storm of 1990", "RELATED_TO", "Quay Works"): (0.75, Standing.INFERRED, []),
    }
    nodes = {node.name: node for node in store.nodes("default", store.node_ids("default").tolist())}
    assert {name: (node.kind, node.label) for name, node in nodes.items()} == {
        "Harbour Tools": (NodeType.ENTITY, "ORGANIZATION"),
        "Otto Lindqvist": (NodeType.ENTITY, "PERSON"),
        "Quay Works": (NodeType.ENTITY, "ORGANIZATION"),
        "Storm of 1990": (NodeType.EVENT, "EVENT"),
    }
    assert report.left_out == {
        "documents: they have no text unit": 1,
        "entities: they occur in no passage of the export": 1,
        "relations: an end is no entity that occurs in a passage": 1,
        "descriptions of entities: they rest on several documents, and would outlive one": 1,
        "descriptions of relations: no passage is named that states them": 1,
        "communities: no member is a known entity": 1,
        **({"claims: they belong to no passage of the export": 1} if version == "3.0" else {}),
    }


def test_the_metadata_of_graphrag_keeps_plain_values(store, tmp_path):
    with open_clew(store) as clew:
        clew.import_graph(foreign_folders.graphrag(tmp_path / "output", version="1.0"))
        assert [dict(held.metadata) for held in clew.documents()] == [{"year": 1991}, {}]


@pytest.mark.parametrize("version", VERSIONS)
def test_descriptions_of_one_document_become_claims(store, tmp_path, version):
    with open_clew(store) as clew:
        clew.import_graph(foreign_folders.graphrag(tmp_path / "output", version=version))
    claims = {claim.text: claim for claim in claims_of(store) if claim.status == "described"}
    assert set(claims) == {
        "Harbour Tools makes anchors",
        "Quay Works repairs cranes",
        "A storm",
        "Otto Lindqvist founded Harbour Tools",
        "Harbour Tools bought Quay Works",
        # Of a relation to a thing that no passage mentions: said of the other end alone.
        "Unknown",
    }
    assert claims["Unknown"].subjects == (HARBOUR_TOOLS,)
    assert claims["Harbour Tools bought Quay Works"].subjects == (QUAY, HARBOUR_TOOLS)
    told = [claim for claim in claims_of(store) if claim.status != "described"]
    if version == "3.0":
        (claim,) = told
        assert (claim.text, claim.status) == ("The storm damaged the works", "true")
        assert STORM[claim.span.start : claim.span.end] == "The Storm of 1990 damaged Quay Works."
        assert claim.subjects == (node_id("storm of 1990"), QUAY)
        assert claim.period.valid_from is not None
        assert claim.period.valid_from.isoformat() == "1990-02-01T00:00:00+00:00"
        assert claim.period.valid_to is None
    else:
        assert told == []


@pytest.mark.parametrize("version", VERSIONS)
def test_communities_of_graphrag_keep_their_hierarchy_and_reports(store, tmp_path, version):
    with open_clew(store) as clew:
        clew.import_graph(foreign_folders.graphrag(tmp_path / "output", version=version))
    outer, inner = store.communities("default")
    assert (outer.level, outer.path, outer.parent) == (0, "level0_0", None)
    assert outer.members == tuple(sorted((HARBOUR_TOOLS, OTTO, QUAY)))
    assert outer.summary == "# The harbour\n\nFirms around the harbour.\n\n## Anchors"
    assert inner.members == tuple(sorted((HARBOUR_TOOLS, QUAY)))
    assert inner.summary == "Tools\nTwo firms."
    if version == "0.3":
        assert (inner.path, inner.parent) == ("level1_1", None)
    else:
        assert (inner.path, inner.parent) == ("level0_0.level1_1", outer.id)


@pytest.mark.parametrize("inner", ["", "output", "output/20240707-101010/artifacts"])
def test_a_project_folder_of_graphrag_is_understood(store, tmp_path, inner):
    foreign_folders.graphrag(tmp_path / "project" / inner / ".", version="1.0")
    with open_clew(store) as clew:
        assert clew.import_graph(tmp_path / "project").rows["documents"] == 2


@pytest.mark.parametrize("quoted", [True, False])
def test_lightrag_comes_in_with_evidence(store, tmp_path, quoted):
    folder = foreign_folders.lightrag(tmp_path / "rag", quoted=quoted)
    with open_clew(store) as clew:
        report = clew.import_graph(folder)
        assert report.format == "lightrag"
        texts = {held.source: held.text for held in clew.documents()}
        assert texts == {"doc-1" if quoted else "harbour.md": HARBOUR, "doc-2": STORM}
    assert edges_of(store) == {
        # Its description names neither; the first keyword stands in.
        ("Otto Lindqvist", "FOUNDING", "Harbour Tools"): (
            0.9,
            Standing.REPORTED,
            ["Otto Lindqvist founded Harbour Tools in 1984."],
        ),
        ("Harbour Tools", "BOUGHT", "Quay Works"): (
            round(16 / 17, 4),
            Standing.REPORTED,
            ["In spring Harbour Tools bought Quay Works."],
        ),
        ("Otto Lindqvist", "RELATED_TO", "Quay Works"): (0.5, Standing.INFERRED, []),
    }
    described = {claim.text for claim in claims_of(store)}
    assert {"It makes anchors", "It is old", "It repairs cranes", "He began it"} <= described
    assert report.left_out == {
        "entities: they occur in no passage of the export": 1,
        "relations: an end is no entity that occurs in a passage": 1,
        "descriptions of entities: they rest on several documents, and would outlive one": 1,
        "descriptions of relations: no passage is named that states them": 1,
    }
    assert len(report.notes) == 1
    assert "vdb_" in report.notes[0]


@pytest.mark.parametrize("make", [foreign_folders.lightrag, None])
def test_what_came_in_can_be_asked_in_every_mode(store, tmp_path, make):
    folder = (
        foreign_folders.graphrag(tmp_path / "x", version="3.0")
        if make is None
        else make(tmp_path / "x")
    )
    with open_clew(store) as clew:
        clew.import_graph(folder)
        assert store.nodes_without_vectors("default", limit=9) == []
        for mode in ("vector_only", "keyword", "kg_only", "hybrid"):
            found = clew.search("What did Harbour Tools buy?", mode=mode).results
            assert any("bought Quay Works" in result.content for result in found), mode
        best = clew.path("Otto Lindqvist", "Quay Works")
        assert any("BOUGHT" in path.description for path in best)


def test_a_second_import_changes_nothing_and_embeds_nothing(store, tmp_path):
    folder = foreign_folders.graphrag(tmp_path / "x", version="1.0")
    embedder = CountingEmbedder()
    with open_clew(store, embedder=embedder) as clew:
        clew.import_graph(folder)
        before = dump(store), store.communities("default")
        texts = len(embedder.passages)
        assert clew.import_graph(folder).replaced == 0
        assert differences(before[0], dump(store)) == []
        assert store.communities("default") == before[1]
        # The two summaries are embedded again, as they are written.
        assert len(embedder.passages) == texts + 2


def test_an_import_that_breaks_off_is_taken_up(store, tmp_path, monkeypatch):
    folder = foreign_folders.graphrag(tmp_path / "x", version="1.0")
    embedder = CountingEmbedder()
    with open_clew(store, embedder=embedder) as clew:
        with monkeypatch.context() as patched:
            patched.setattr(store, "write_statements", _fail)
            with pytest.raises(OSError, match="unplugged"):
                clew.import_graph(folder)
        assert len(clew.documents()) == 2
        texts = len([text for text in embedder.passages if "\n" in text])
        clew.import_graph(folder)
        assert len([text for text in embedder.passages if text.startswith("harbour")]) == 2
        assert texts == 3
    whole = MemoryStore()
    with open_clew(whole) as clew:
        clew.import_graph(folder)
    assert differences(dump(whole), dump(store)) == []


def _fail(*arguments):
    raise OSError("unplugged")


def test_removing_a_document_takes_along_what_rested_on_it(store, tmp_path):
    with open_clew(store) as clew:
        clew.import_graph(foreign_folders.graphrag(tmp_path / "x", version="3.0"))
        clew.remove("harbour.txt")
        names = {n.name for n in store.nodes("default", store.node_ids("default").tolist())}
        assert names == {"Otto Lindqvist", "Storm of 1990"}
        assert edges_of(store) == {}
        assert {claim.text for claim in claims_of(store)} == {
            "A storm",
            "The storm damaged the works",
        }
        assert store.communities("default") == []


def test_known_names_are_taken_for_what_they_are(store, tmp_path):
    """A name that the collection resolved to another node joins that node."""
    with open_clew(store) as clew:
        clew.add(
            {"source": "s", "title": "Notes", "text": "Harbour Machine Tools (QUAY WORKS) grew."}
        )
        known = store.find_names("default", ["quay works"])["quay works"]
        clew.import_graph(foreign_folders.lightrag(tmp_path / "x"))
        assert store.find_names("default", ["quay works"])["quay works"] == known


def test_communities_of_ones_own_are_kept(store, tmp_path):
    folder = foreign_folders.graphrag(tmp_path / "x", version="3.0")
    with open_clew(store) as clew:
        clew.add({"source": "s", "title": "Notes", "text": "Zeta Mills sued Acme Corp."})
        kept = write_community(store)
        report = clew.import_graph(folder)
    assert store.communities("default") == [kept]
    assert report.left_out["communities: the collection has communities of its own"] == 2


def test_texts_that_are_not_in_their_document_are_put_together(store, tmp_path):
    folder = foreign_folders.lightrag(tmp_path / "x")
    docs = folder / "kv_store_full_docs.json"
    docs.write_text('{"doc-1": {"content": "Other words."}}', encoding="utf-8")
    with open_clew(store) as clew:
        report = clew.import_graph(folder)
        texts = {held.source: held.text for held in clew.documents()}
    assert texts["harbour.md"] == f"{FIRST}\n\n{SECOND}"
    assert texts["doc-2"] == STORM
    assert any("put together" in note for note in report.notes)
    for identifier in store.document_ids("default"):
        (document,) = store.documents("default", ids=[identifier])
        for chunk in store.document_chunks("default", identifier):
            assert document.text[chunk.span.start : chunk.span.end] == chunk.text
        assert set(store.stages("default", identifier).values()) == {Stage.LINKED}


def test_vectors_are_those_of_the_embedder(store, tmp_path):
    embedder = CountingEmbedder()
    with open_clew(store, embedder=embedder) as clew:
        clew.import_graph(foreign_folders.lightrag(tmp_path / "x"))
    for document in store.documents("default"):
        for chunk in store.document_chunks("default", document.id):
            text = f"{document.title}\n{chunk.text}" if document.title else chunk.text
            (wanted,) = embedder.embed_passages([text])
            (found,) = store.vectors("default", np.array([chunk.id]))
            np.testing.assert_allclose(found, wanted, atol=1e-6)


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("kv_store_text_chunks.json", "[", "cannot be read"),
        ("kv_store_text_chunks.json", "[]", "no JSON object"),
        ("kv_store_full_docs.json", "{", "cannot be read"),
        ("graph_chunk_entity_relation.graphml", "<graphml", "cannot be read as GraphML"),
        (
            "graph_chunk_entity_relation.graphml",
            f'<graphml xmlns="{NAMESPACE}"><node id="a"><data key="d7"/></node></graphml>',
            "undeclared key 'd7'",
        ),
    ],
)
def test_damaged_files_of_lightrag_are_named(store, tmp_path, file, text, problem):
    folder = foreign_folders.lightrag(tmp_path / "x")
    (folder / file).write_text(text, encoding="utf-8")
    with open_clew(store) as clew, pytest.raises(IngestError, match=f"{file}.*{problem}"):
        clew.import_graph(folder)


def test_entities_that_xml_declares_are_not_resolved(store, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("do not read me", encoding="utf-8")
    folder = foreign_folders.lightrag(tmp_path / "x")
    path = folder / "graph_chunk_entity_relation.graphml"
    text = path.read_text(encoding="utf-8").split("\n", 1)[1]
    bomb = f'<!DOCTYPE graphml [<!ENTITY leak SYSTEM "{secret.as_uri()}">]>'
    path.write_text(bomb + text.replace("A founder", "A founder &leak;"), encoding="utf-8")
    with open_clew(store) as clew:
        clew.import_graph(folder)
    assert all("do not read me" not in claim.text for claim in claims_of(store))


def test_a_missing_table_of_graphrag_is_named(store, tmp_path):
    folder = foreign_folders.graphrag(tmp_path / "x", version="3.0")
    (folder / "text_units.parquet").unlink()
    with open_clew(store) as clew, pytest.raises(IngestError, match=r"no text_units\.parquet"):
        clew.import_graph(folder)


def test_a_damaged_table_of_graphrag_is_named(store, tmp_path):
    folder = foreign_folders.graphrag(tmp_path / "x", version="3.0")
    (folder / "entities.parquet").write_bytes(b"PAR1 nothing")
    with open_clew(store) as clew, pytest.raises(IngestError, match=r"entities\.parquet cannot"):
        clew.import_graph(folder)


def test_without_pyarrow_the_extra_is_named(store, tmp_path, monkeypatch):
    folder = foreign_folders.graphrag(tmp_path / "x", version="3.0")
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    with open_clew(store) as clew:
        with pytest.raises(MissingExtraError, match=r"pip install 'clew\[parquet\]'"):
            clew.import_graph(folder)
        with pytest.raises(MissingExtraError, match=r"pip install 'clew\[parquet\]'"):
            clew.export(tmp_path / "out", format="parquet")
    assert not (tmp_path / "out").exists()


def test_a_given_format_must_be_there(store, tmp_path):
    folder = foreign_folders.lightrag(tmp_path / "x")
    with open_clew(store) as clew:
        with pytest.raises(IngestError, match="does not hold an export in the format graphrag"):
            clew.import_graph(folder, format="graphrag")
        assert clew.import_graph(folder, format="lightrag").rows["documents"] == 2
