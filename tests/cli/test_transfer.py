"""`clew export`, `clew import` and `clew reembed` from the command line."""

import json

import pytest

from clew.engine import components
from clew.testing.fakes import HashingEmbedder
from tests.exchange import foreign_folders


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_collection_goes_out_and_comes_in(clew, documents, tmp_path, format):
    clew("add", documents)
    out = tmp_path / "out"
    done = clew("export", out, "--format", format)
    assert str(out) in done.stdout
    assert "documents" in done.stdout
    report = clew.json("import", out, "--collection", "copy")
    assert report["format"] == format
    assert report["rows"]["documents"] == 2
    assert report["left_out"] == {}
    first = clew.json("status")["status"]
    second = clew.json("status", "--collection", "copy")["status"]
    for count in ("documents", "chunks", "nodes", "edges", "claims"):
        assert first[count] == second[count], count


def test_an_export_does_not_replace_what_is_there_unless_forced(clew, documents, tmp_path):
    clew("add", documents)
    out = tmp_path / "g.graphml"
    assert clew.json("export", out, "--format", "graphml")["rows"]["nodes"] > 0
    done = clew("export", out, "--format", "graphml", code=3)
    assert "is there already" in done.stderr
    clew("export", out, "--format", "graphml", "--force")


def test_groups_text_and_vectors_are_chosen(clew, documents, tmp_path):
    clew("add", documents, "--group", "board")
    clew("export", tmp_path / "staff", "--group", "staff")
    assert (tmp_path / "staff" / "documents.jsonl").read_text(encoding="utf-8") == ""
    clew("export", tmp_path / "bare", "--no-text", "--vectors")
    lines = (tmp_path / "bare" / "chunks.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[0])
    assert "text" not in row
    assert len(row["vector"]) == 256


def test_unknown_formats_and_places_are_bad_input(clew, documents, tmp_path):
    clew("add", documents)
    assert "graphml" in clew("export", tmp_path / "x", "--format", "dot", code=2).stderr
    assert "no folder" in clew("import", tmp_path / "nowhere", code=2).stderr
    assert clew("reembed", "--store", tmp_path / "none.clew", code=2).stdout == ""


def test_what_could_not_be_taken_over_is_told_on_stderr(clew, tmp_path):
    folder = foreign_folders.lightrag(tmp_path / "rag")
    done = clew("import", folder)
    assert "lightrag" in done.stdout
    assert "left out: 1 entities: they occur in no passage" in done.stderr
    assert "note: the vectors in vdb_" in done.stderr
    assert clew("search", "Who founded Harbour Tools?").stdout


def test_the_way_to_another_model(clew, documents, monkeypatch):
    clew("add", documents)
    assert "already" in clew("reembed").stdout
    monkeypatch.setattr(components, "_bundled_embedder", lambda settings: HashingEmbedder(64))
    assert "clew reembed" in clew("search", "Who leads Acme Corp?", code=3).stderr
    report = clew.json("reembed")
    assert (report["before"], report["after"]) == ("hashing-256", "hashing-64")
    assert report["chunks"] == 2
    assert clew("search", "Who leads Acme Corp?").stdout
