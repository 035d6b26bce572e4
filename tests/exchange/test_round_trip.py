"""What is exported and brought in elsewhere is the same, history and permissions included."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet
import pytest

from clew.core.batches import ChunkBatch, CommunityBatch, GraphBatch, Vectors
from clew.core.documents import Span, Stage
from clew.core.errors import IngestError, QueryError, StoreError
from clew.core.ids import edge_id, format_id, origin_id
from clew.core.knowledge import Community, Edge, EdgeType, Mention, MentionRole, Standing
from clew.core.query import Principal
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.corpus import corpus
from tests.engine.dump import differences, dump
from tests.engine.stand_ins import NOW, CountingEmbedder, open_clew

STAFF = Principal(frozenset({"staff"}))


@pytest.fixture(params=["memory", "embedded"])
def make_store(request, tmp_path):
    made: list[MemoryStore | EmbeddedStore] = []

    def make():
        memory = request.param == "memory"
        made.append(MemoryStore() if memory else EmbeddedStore(tmp_path / f"{len(made)}.clew"))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def lived_in(make_store):
    """A collection with new versions, superseded and guessed edges, communities and acls."""
    store = make_store()
    with open_clew(store) as clew:
        clew.add(*corpus(8), {"source": "s", "title": "Secret Mill", "text": SECRET, "acl": ["x"]})
        clew.add({"source": "doc-000", "title": "Acme Corp", "text": "Acme Corp sued Zeta Mills."})
    names = store.find_names("default", ["acme", "zeta mills", "delta works"])
    acme, zeta, delta = (names[key][0] for key in ("acme", "zeta mills", "delta works"))
    live = [
        edge
        for edge in store.edges("default", store.edge_ids("default").tolist())
        if edge.retired_at is None
    ]
    (fund,) = store.find_names("default", ["hidden fund"])["hidden fund"]
    (open_document,) = store.documents("default", sources=["doc-000"])
    chunk = store.document_chunks("default", open_document.id)[0]
    link = Mention(
        chunk.id, fund, "Fund", "hidden fund", Span(0, 4), confidence=0.5, role=MentionRole.LINK
    )
    guess = Edge(
        edge_id(acme, delta, EdgeType.CAUSES, "HURT"),
        acme,
        delta,
        EdgeType.CAUSES,
        "HURT",
        0.3,
        standing=Standing.INFERRED,
    )
    superseded = replace(live[0], retired_at=NOW, superseded_by=live[1].id, evidence=())
    store.write_graph(
        "default", GraphBatch(origin_id("doc-000"), mentions=(link,), edges=(guess, superseded))
    )
    community = Community(5, 0, "level0_5", tuple(sorted((acme, zeta))), summary="Two companies.")
    store.write_communities(
        "default",
        CommunityBatch(
            (community,), Vectors(np.array([5], np.int64), np.eye(1, 256, 3, np.float32))
        ),
    )
    store.set_fact("default", "metadata_schema", "[]")
    return store


SECRET = "Acme Corp sued Zeta Mills. Secret Mill pays Acme Corp. Hidden Fund owns Secret Mill."
"""Its first sentence stands in a document that everybody may see, too."""


def tables(store):
    """Return everything that a collection holds, statements and retired edges too."""
    edges = store.edge_ids("default").tolist()
    return {
        **dump(store),
        "every edge": store.edges("default", edges),
        "statements": store.statements("default", edges),
        "communities": store.communities("default"),
    }


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
@pytest.mark.parametrize("vectors", [True, False])
def test_an_export_comes_back_as_the_same_collection(
    lived_in, make_store, tmp_path, format, vectors
):
    with open_clew(lived_in) as clew:
        written = clew.export(tmp_path / "out", format=format, vectors=vectors)
    before = tables(lived_in)
    assert any(edge.superseded_by for edge in before["every edge"])
    assert any(edge.retired_at and not edge.superseded_by for edge in before["every edge"])
    assert any(row.chunk is None for row in before["statements"])
    assert any(row.retired_at for row in before["statements"])
    other = make_store()
    embedder = CountingEmbedder()
    with open_clew(other, embedder=embedder) as clew:
        report = clew.import_graph(tmp_path / "out")
        assert (report.left_out, report.replaced) == ({}, 0)
        for table in report.rows:
            assert report.rows[table] == written.rows[table]
        texts = [text for text in embedder.passages if "\n" in text]
        assert len(texts) == (0 if vectors else len(before["chunks"]))
        assert differences(before, tables(other)) == []
        again = clew.import_graph(tmp_path / "out")
        assert (again.left_out, again.replaced) == ({}, 0)
        assert differences(before, tables(other)) == []
        assert len([text for text in embedder.passages if "\n" in text]) == len(texts)
        other.erase("default", origin_id("doc-000"))
        lived_in.erase("default", origin_id("doc-000"))
    assert differences(tables(lived_in), tables(other)) == []


@pytest.mark.parametrize("format", ["jsonl", "parquet", "graphml"])
def test_what_may_not_be_seen_is_not_written(lived_in, tmp_path, format):
    with open_clew(lived_in) as clew:
        clew.export(tmp_path / "all", format=format, vectors=True)
        clew.export(tmp_path / "staff", format=format, vectors=True, principal=STAFF)
    whole, seen = (_words(tmp_path / name, format) for name in ("all", "staff"))
    (fund,) = lived_in.find_names("default", ["hidden fund"])["hidden fund"]
    (document,) = lived_in.documents("default", sources=["s"])
    (chunk,) = lived_in.document_chunks("default", document.id)
    for secret in ("Secret Mill", "Hidden Fund", format_id(fund), format_id(chunk.id)):
        assert secret in whole
        assert secret not in seen
    assert "Acme Corp" in seen


def _words(path, format):
    if format == "graphml":
        return path.read_text(encoding="utf-8")
    if format == "jsonl":
        return "".join(file.read_text(encoding="utf-8") for file in path.iterdir())
    return "".join(
        json.dumps(pyarrow.parquet.read_table(file).to_pylist(), default=str)
        for file in path.glob("*.parquet")
    )


def test_a_restricted_export_can_be_brought_in(lived_in, make_store, tmp_path):
    with open_clew(lived_in) as clew:
        clew.export(tmp_path / "staff", principal=STAFF)
        sources = [held.source for held in clew.documents(principal=STAFF)]
    with open_clew(make_store()) as other:
        report = other.import_graph(tmp_path / "staff")
        assert report.left_out == {}
        assert [held.source for held in other.documents()] == sources
        assert "s" not in sources


def test_without_text_no_text_is_written_and_it_does_not_come_back(lived_in, tmp_path):
    with open_clew(lived_in) as clew:
        clew.export(tmp_path / "out", text=False)
        assert "sued" not in _words(tmp_path / "out", "jsonl").replace("SUED", "")
        with pytest.raises(IngestError, match="without text"):
            clew.import_graph(tmp_path / "out")


def test_a_pending_passage_stays_pending(make_store, tmp_path):
    first, second = make_store(), make_store()
    with open_clew(first) as clew:
        clew.add({"source": "a", "title": "A", "text": "Acme Corp sued Beta Labs."})
    (document,) = first.document_ids("default")
    (chunk,) = first.document_chunks("default", document)
    first.write_chunks("default", ChunkBatch(stage=Stage.CHUNKED, staged=(chunk.id,)))
    with open_clew(first) as clew:
        clew.export(tmp_path / "out")
    with open_clew(second) as clew:
        clew.import_graph(tmp_path / "out")
        assert clew.status().pending == {"chunked": 1}
        assert not second.vectors("default", np.array([chunk.id])).any()
        clew.add()
        assert clew.status().pending == {}
        assert second.vectors("default", np.array([chunk.id])).any()


def test_another_version_of_a_source_gives_way(make_store, tmp_path):
    first, second = make_store(), make_store()
    with open_clew(first) as clew:
        clew.add({"source": "a", "title": "A", "text": "Acme Corp sued Beta Labs."})
        clew.export(tmp_path / "out")
    with open_clew(second) as clew:
        clew.add({"source": "a", "title": "A", "text": "Gamma Partners left Ghent."})
        report = clew.import_graph(tmp_path / "out")
        assert report.replaced == 1
        assert [held.text for held in clew.documents()] == ["Acme Corp sued Beta Labs."]
    assert second.find_names("default", ["gamma partners"]) == {}
    assert differences(tables(first), tables(second)) == []


def test_what_is_there_is_replaced_only_if_allowed(lived_in, tmp_path):
    target = tmp_path / "out"
    with open_clew(lived_in) as clew:
        clew.export(target)
        (target / "stale").write_text("old", encoding="utf-8")
        with pytest.raises(StoreError, match="is there already"):
            clew.export(target)
        clew.export(target, overwrite=True)
        clew.export(tmp_path / "g.graphml", format="graphml")
        with pytest.raises(StoreError, match="is there already"):
            clew.export(tmp_path / "g.graphml", format="graphml")
        clew.export(tmp_path / "g.graphml", format="graphml", overwrite=True)
    assert not (target / "stale").exists()
    assert sorted(path.name for path in tmp_path.iterdir() if "writing" in path.name) == []


def test_an_export_that_fails_leaves_what_was_there(lived_in, tmp_path, monkeypatch):
    target = tmp_path / "out"
    with open_clew(lived_in) as clew:
        clew.export(target)
        before = {file.name: file.read_bytes() for file in target.iterdir()}

        def break_off(collection, *, level=None, principal=None):
            raise StoreError("the disk is gone")

        monkeypatch.setattr(lived_in, "communities", break_off)
        with pytest.raises(StoreError, match="the disk is gone"):
            clew.export(target, overwrite=True)
    assert {file.name: file.read_bytes() for file in target.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".out")] == []


def test_unknown_formats_and_folders_are_refused(lived_in, tmp_path):
    with open_clew(lived_in) as clew:
        with pytest.raises(QueryError, match="unknown export format 'dot'"):
            clew.export(tmp_path / "x", format="dot")
        with pytest.raises(QueryError, match="unknown import format 'dot'"):
            clew.import_graph(tmp_path, format="dot")
        with pytest.raises(IngestError, match="no folder"):
            clew.import_graph(tmp_path / "nowhere")
        with pytest.raises(IngestError, match="does not hold an export"):
            clew.import_graph(tmp_path)


@pytest.mark.parametrize(
    ("file", "line", "problem"),
    [
        ("documents", "{", "documents.jsonl, line 1 is no row"),
        ("chunks", '{"id": "xyz"}', "chunks.jsonl, line 1 is no row"),
        ("mentions", '{"chunk": "00000000000000ff"}', "names the chunk 00000000000000ff"),
        ("edges", '{"id": "00000000000000ff", "kind": "odd"}', "unusable row: 'odd'"),
    ],
)
def test_a_damaged_export_is_named(lived_in, make_store, tmp_path, file, line, problem):
    with open_clew(lived_in) as clew:
        clew.export(tmp_path / "out")
    (tmp_path / "out" / f"{file}.jsonl").write_text(line + "\n", encoding="utf-8")
    with open_clew(make_store()) as clew, pytest.raises(IngestError, match=problem):
        clew.import_graph(tmp_path / "out")


def test_a_newer_export_is_refused(lived_in, tmp_path):
    with open_clew(lived_in) as clew:
        clew.export(tmp_path / "out")
        manifest = tmp_path / "out" / "manifest.json"
        told = json.loads(manifest.read_text(encoding="utf-8"))
        manifest.write_text(json.dumps({**told, "clew": 99}), encoding="utf-8")
        with pytest.raises(IngestError, match="newer Clew"):
            clew.import_graph(tmp_path / "out")
