import json
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from PIL import Image, ImageDraw, ImageFont

from clew.core.documents import Span
from clew.core.ids import parse_id
from clew.core.knowledge import EdgeType
from clew.core.results import Answer, PathStep, Provenance, Result, Retrieval, Source
from clew.core.results import Path as Way
from clew.engine import components, loading, retriever
from clew.testing.fakes import HashingEmbedder


def test_adding_says_what_became_of_the_sources(clew, documents):
    done = clew("add", documents)
    assert "Sources: 2 added" in done.stdout
    assert done.stderr == ""
    assert "Sources: 2 unchanged" in clew("add", documents).stdout


def test_adding_as_json_gives_the_report(clew, documents):
    report = clew.json("add", documents)
    assert [held["outcome"] for held in report["files"]] == ["added", "added"]
    assert all(parse_id(held["document"]) for held in report["files"])
    assert report["chunks"] == 2
    assert report["seconds"]["total"] > 0
    assert report["notes"] == []


def test_a_source_that_fails_gives_exit_code_one_and_its_reason_on_stderr(clew, documents):
    (documents / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (documents / "image.xyz").write_bytes(b"1")
    done = clew("add", documents, code=1)
    assert "2 added" in done.stdout
    assert "1 failed" in done.stdout
    assert "broken.pdf" in done.stderr
    assert "broken.pdf" not in done.stdout
    assert "skipped:" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_path_is_bad_input_in_one_line(clew):
    done = clew("add", "nowhere.md", code=2)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "nowhere.md" in done.stderr


def test_fields_of_records_are_mapped_and_metadata_typed(clew, tmp_path):
    file = tmp_path / "r.jsonl"
    file.write_text('{"id": 1, "corpo": "Acme Corp sued Beta Labs."}\n', encoding="utf-8")
    clew("add", file, "--map", "text=corpo", "--metadata", "year=2024", "--group", "board")
    (held,) = clew.json("documents")["documents"]
    assert held["metadata"] == {"year": 2024}
    assert held["acl"] == ["board"]
    assert held["source"].endswith("r.jsonl#1")
    assert clew.json("documents", "--group", "staff") == {"documents": []}


def test_pictures_are_read_only_with_ocr(clew, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    picture = Image.new("RGB", (900, 740), "white")
    font = ImageFont.load_default(40)
    ImageDraw.Draw(picture).text((30, 30), "Acme was founded in Oslo.", fill="black", font=font)
    picture.save(folder / "scan.png")
    (skipped,) = clew.json("add", folder)["files"]
    assert skipped["outcome"] == "skipped"
    assert "--ocr" in skipped["reason"]
    (added,) = clew.json("add", folder, "--ocr")["files"]
    assert added["outcome"] == "added"
    assert added["warnings"] == ["read by text recognition (OCR)"]
    (unread,) = clew.json("add", folder, "--no-ocr")["files"]
    assert unread["outcome"] == "skipped"


def test_options_that_are_not_written_as_pairs_are_refused(clew, documents):
    assert (
        "--map 'text' is not written KEY=VALUE"
        in clew("add", documents, "--map", "text", code=2).stderr
    )
    assert (
        "gives 'a' twice"
        in clew("add", documents, "--metadata", "a=1", "--metadata", "a=2", code=2).stderr
    )


def test_without_paths_add_finishes_what_is_left(clew):
    assert "Sources: none" in clew("add").stdout


def test_status_counts_for_people_and_as_json(clew, documents):
    clew("add", documents)
    text = clew("status").stdout
    assert "Documents" in text
    assert "hashing-256" in text
    status = clew.json("status")
    assert status["collections"] == ["default"]
    assert status["status"]["documents"] == 2
    assert status["status"]["pending"] == {}
    assert status["status"]["disk_bytes"] > 0


def test_a_path_is_shown_in_words_and_as_json(clew, documents):
    clew("add", documents)
    text = clew("path", "Acme", "Gamma Partners").stdout
    assert "Acme Corp → ACQUIRED → Beta Labs → SUPPLIES → Gamma Partners  (2 hops" in text
    found = clew.json("path", "Acme", "Gamma Partners")
    first = found["paths"][0]
    assert (found["from"], found["to"]) == ("Acme", "Gamma Partners")
    assert first["description"].startswith("Acme Corp → ACQUIRED")
    assert [step["relation"] for step in first["steps"]] == ["ACQUIRED", "SUPPLIES"]
    assert all(len(step[key]) == 16 for step in first["steps"] for key in ("source", "edge"))


def test_no_path_is_exit_code_four_and_an_unknown_name_two(clew, documents):
    (documents / "q.txt").write_text("Quartz Mine closed.", encoding="utf-8")
    clew("add", documents)
    assert "No path of at most 4 hops" in clew("path", "Acme", "Quartz Mine", code=4).stdout
    assert clew.json("path", "Acme", "Quartz Mine", code=4)["paths"] == []
    assert "Acme Trust" in clew("path", "Acme Trust", "Beta Labs", code=2).stderr


def test_removing_by_path_tells_what_went(clew, documents):
    clew("add", documents)
    assert "1 documents" in clew("remove", documents / "beta.txt").stdout
    receipt = clew.json("remove", documents / "acme.md")
    assert receipt["removed"]["documents"] == 1
    assert len(receipt["document"]) == 16
    assert clew.json("documents") == {"documents": []}
    assert "no document" in clew("remove", "beta.txt", code=2).stderr


def test_documents_are_listed_with_their_ids(clew, documents):
    clew("add", documents)
    lines = clew("documents").stdout.splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("acme.md  (Acme Corp)")
    held = clew.json("documents")["documents"][0]
    assert parse_id(held["id"])
    assert "text" not in held
    assert held["characters"] > 50


def test_a_missing_store_is_named_with_the_way_to_make_one(clew):
    for command in (
        ["status"],
        ["documents"],
        ["ask", "Who?"],
        ["remove", "x"],
        ["path", "a", "b"],
    ):
        done = clew(*command, code=2)
        assert "there is no store at" in done.stderr
        assert "clew add" in done.stderr


def test_a_corrupted_store_is_exit_code_three_without_a_traceback(clew, documents):
    clew("add", documents)
    database = clew.store / "clew.db"
    for wal in clew.store.glob("clew.db-*"):
        wal.unlink()
    database.write_bytes(b"this is no database at all" * 400)
    done = clew("status", code=3)
    assert done.stderr.startswith("clew: ")
    assert done.stderr.count("\n") == 1


def test_another_model_is_exit_code_three(clew, documents, monkeypatch):
    clew("add", documents)
    monkeypatch.setattr(components, "_bundled_embedder", lambda settings: HashingEmbedder(32))
    assert "hashing-256" in clew("add", documents, code=3).stderr


def test_modes_to_come_and_bad_parameters_are_exit_code_two(clew, documents):
    clew("add", documents)
    assert "hybrid" in clew("ask", "Who?", "--mode", "auto", code=2).stderr
    assert "max_hops is 9" in clew("ask", "Who?", "--max-hops", "9", code=2).stderr
    assert "--from 'May' is no date" in clew("search", "Who?", "--from", "May", code=2).stderr
    assert clew("ask", code=2).stdout == ""


class Answering:
    """Stands for retriever and answerer; remembers the last query."""

    answered = True
    query: ClassVar[Any] = None

    def __init__(self, **parts):
        self.parts = parts

    def retrieve(self, query):
        type(self).query = query
        (held, *_) = self.parts["chunks"].documents("default")
        (chunk, *_) = self.parts["chunks"].document_chunks("default", held.id)
        step = PathStep(1, 2, "A", "B", 3, EdgeType.CAUSES, "CAUSED", True, 0.5, chunk.id)
        return Retrieval(
            query,
            (Result(chunk.id, held.id, chunk.text, 0.5, signals=("vector",), nodes=(1, 2)),),
            paths=(Way((step,), 1.0, 0.5, ("x",)),),
            provenance=(Provenance(1, "A", 0.5, 2, False, 0, 1, 1.0, ("vector",)),),
            timings={"embed": 1.5},
            notes=("a note",),
        )

    def answer(self, retrieval, *, on_text=None):
        (result,) = retrieval.results
        source = Source(
            1,
            result.document,
            result.id,
            "Acme\x1b[31m",
            "acme.md",
            "a snippet",
            Span(0, 4),
            0.5,
            3,
        )
        return Answer(
            retrieval.query.text,
            "They did [1].",
            self.answered,
            (source, replace(source, snippet="another snippet")),
            0.61,
            ("A → CAUSED → B",),
            retrieval,
            {"total": 2.0},
        )


@pytest.fixture
def answering(clew, documents, monkeypatch):
    real = loading.load

    def load(place):
        return Answering if place.startswith(("clew.retrieve.", "clew.reason.")) else real(place)

    for module in (components, retriever):
        monkeypatch.setattr(module, "load", load)
    monkeypatch.setattr(Answering, "answered", True)
    clew("add", documents)
    return clew


def test_an_answer_shows_markers_sources_path_and_confidence(answering):
    text = answering("ask", "Who?").stdout
    assert text.startswith("They did [1].\n")
    assert "[1] Acme[31m, page 3 (acme.md)" in text
    assert "    a snippet\n    another snippet\n" in text
    assert text.count("acme.md") == 1
    assert "A → CAUSED → B" in text
    assert "Confidence 0.61" in text
    assert "\x1b" not in text
    assert "Milliseconds" not in text


def test_verbose_adds_provenance_and_timings(answering):
    text = answering("ask", "Who?", "--verbose").stdout
    assert "[seed#1] A (vec=0.50, deg=2)" in text
    assert "total 2.0" in text


def test_an_answer_as_json_has_public_ids_and_everything(answering):
    found = answering.json("ask", "Who?")
    assert found["answered"] is True
    assert found["answer"] == "They did [1]."
    assert found["confidence"] == 0.61
    assert found["mode"] == "hybrid"
    source = found["sources"][0]
    assert parse_id(source["doc_id"])
    assert parse_id(source["chunk_id"])
    assert source["span"] == {"start": 0, "end": 4}
    assert found["results"][0]["nodes"] == ["0000000000000001", "0000000000000002"]
    assert found["paths"][0]["description"] == "A → CAUSED → B"
    assert found["provenance"][0]["annotation"] == "[seed#1] A (vec=0.50, deg=2)"
    assert found["reasoning_path"] == ["A → CAUSED → B"]
    assert found["notes"] == ["a note"]
    assert found["timings"] == {"total": 2.0}


def test_not_answered_is_exit_code_four_and_still_shows_evidence(answering, monkeypatch):
    monkeypatch.setattr(Answering, "answered", False)
    assert "Nearest evidence" in answering("ask", "Who?", code=4).stdout
    assert answering.json("ask", "Who?", code=4)["answered"] is False


def test_options_reach_the_query(answering, documents):
    options = {
        "--mode": "keyword",
        "--top-k": 3,
        "--label": "ORG",
        "--language": "en",
        "--source": "docs/acme.md",
        "--from": "2020-01-01",
        "--to": "2021-01-01",
        "--where": "year=2024",
        "--as-of": "2019-05-05",
        "--max-hops": 3,
        "--seed-k": 4,
        "--max-nodes": 20,
        "--fusion-mode": "graph_first",
        "--fusion-alpha": 0.4,
        "--fusion-strategy": "reciprocal_rank",
        "--project": "north",
        "--time-limit": 500,
    }
    flags = ["--path-pruning", "--duplicates", "--no-rerank", "--fusion-weights", "0.25", "0.75"]
    answering("search", "Who?", *(part for pair in options.items() for part in pair), *flags)
    query = Answering.query
    assert (query.mode, query.top_k, query.max_hops, query.seed_k, query.max_nodes) == (
        "keyword",
        3,
        3,
        4,
        20,
    )
    assert (query.fusion_mode, query.alpha) == ("graph_first", 0.4)
    assert query.filter.labels == {"ORG"}
    assert query.filter.languages == {"en"}
    assert query.filter.sources == {(documents / "acme.md").as_posix()}
    assert query.filter.published_from.isoformat() == "2020-01-01T00:00:00+00:00"
    assert query.filter.published_to.year == 2021
    assert query.temporal_at.year == 2019
    assert (query.path_pruning, query.deduplicate, query.rerank) == (True, False, False)
    assert (query.time_limit_ms, query.fusion_weights) == (500, (0.25, 0.75))
    year, project = query.filter.metadata.parts
    (condition,) = year.parts
    assert (condition.field, condition.value) == ("year", ("2024", 2024))
    assert (project.field, project.value) == ("project", ("north",))


def test_a_search_shows_passages_with_their_documents(answering):
    text = answering("search", "Who?").stdout
    assert text.startswith("1. Acme Corp (")
    assert "[vector]" in text
    assert "Note: a note" in text
    found = answering.json("search", "Who?")
    assert found["results"][0]["signals"] == ["vector"]
    assert json.dumps(found)


def test_a_search_without_a_hit_is_exit_code_four(answering, monkeypatch):
    monkeypatch.setattr(Answering, "retrieve", lambda self, query: Retrieval(query, ()))
    assert "No passage matches." in answering("search", "Who?", code=4).stdout
