"""A whole benchmark run over a small data set, with a stand-in whose rankings are known."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.report import table
from benchmarks.run import Options, run
from clew.core.errors import EvaluationError, QueryError
from clew.core.jobs import FileOutcome, FileReport, IngestReport
from clew.core.query import Query
from clew.core.results import Result, Retrieval

CORPUS = [
    {"title": "Lisbon", "text": "one"},
    {"title": "Tagus", "text": "two"},
    {"title": "Porto", "text": "three"},
]
QUESTIONS = [
    {"id": "q1", "question": "three two one", "gold_titles": ["Porto", "Tagus"]},
    {"id": "q2", "question": "three one two", "gold_titles": ["Porto", "Tagus"]},
]


class StandIn:
    """Ranks passages by where their text stands in the question; every passage is two chunks."""

    def __init__(self, documents, log):
        self.documents = documents
        self.log = log

    def add(self, source, *, progress=None):
        fresh = [record for record in source if record["source"] not in self.documents]
        for record in fresh:
            self.documents[record["source"]] = record
        self.log.append(("add", list(source)))
        files = tuple(
            FileReport(record["source"], FileOutcome.ADDED, document=1000 + row)
            for row, record in enumerate(source)
        )
        return IngestReport(files, chunks=2 * len(fresh), nodes=4, seconds={"embed": 0.5})

    def search(self, question, *, mode, top_k):
        self.log.append(("search", question, mode, top_k))
        texts = [record["text"] for record in self.documents.values()]
        order = [texts.index(word) for word in question.split() if word in texts]
        chunks = [
            Result(id=copy, document=1000 + row, content="", score=1.0)
            for row in order
            for copy in (0, 1)
        ]
        timings = {} if mode == "keyword" else {"embed": 1e9}
        return Retrieval(Query(question), tuple(chunks[:top_k]), timings=timings)

    def close(self):
        self.log.append(("close",))


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    for name, rows in (("corpus", CORPUS), ("questions", QUESTIONS)):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(json.dumps(row) for row in rows))
    return folder


@pytest.fixture
def log():
    return []


@pytest.fixture
def open_store(log):
    kept: dict[Path, dict[str, dict[str, str]]] = {}

    def open_(path):
        path.mkdir(parents=True, exist_ok=True)
        (path / "rows").write_bytes(bytes(250_000))
        log.append(("open", path))
        return StandIn(kept.setdefault(path, {}), log)

    return open_


def test_figures_by_hand(data, open_store, log):
    outcome = run(Options(data, ("keyword",)), open_store=open_store)
    keyword = outcome["modes"]["keyword"]
    # q1 ranks Porto, Tagus, Lisbon; q2 ranks Porto, Lisbon, Tagus.
    assert keyword["recall@2"] == 0.75
    assert keyword["recall@5"] == keyword["recall@10"] == 1.0
    assert keyword["all_gold@5"] == keyword["all_gold@8"] == 1.0
    assert keyword["mrr"] == 1.0
    assert keyword["intervals"]["recall@2"] == [0.5, 1.0]
    assert keyword["intervals"]["recall@5"] == [1.0, 1.0]
    assert 0 < keyword["p50_ms"] <= keyword["p95_ms"]
    assert keyword["p50_ms"] == keyword["p50_ms_without_embedding"]
    assert outcome["dataset"] == "tiny"
    assert (outcome["questions"], outcome["passages"]) == (2, 3)
    index = outcome["index"]
    assert index["seconds_by_stage"] == {"embed": 0.5}
    assert (index["chunks"], index["nodes"]) == (6, 4)
    assert index["disk_mb"] == 0.2
    assert index["passages_per_second"] > 0
    assert outcome["peak_memory_mb"]["process"] > 1
    assert outcome["machine"]["cores"] >= 1
    json.dumps(outcome)


def test_embedding_time_is_taken_off(data, open_store):
    outcome = run(Options(data, ("vector",)), open_store=open_store)
    figures = outcome["modes"]["vector_only"]
    assert figures["p50_ms"] > 0 > figures["p50_ms_without_embedding"]


def test_each_mode_gets_a_fresh_store_and_untimed_searches_first(data, open_store, log):
    run(Options(data, ("keyword", "hybrid"), limit=1, fetch=7), open_store=open_store)
    opened = [entry for entry in log if entry[0] == "open"]
    assert len(opened) == 3
    assert len([entry for entry in log if entry[0] == "close"]) == 3
    searches = [entry for entry in log if entry[0] == "search" and entry[2] == "hybrid"]
    assert searches[-1] == ("search", "three two one", "hybrid", 7)
    assert all("three" not in entry[1] for entry in searches[:-1])
    assert len(searches) > 1


def test_titles_are_hidden_even_where_they_are_ids(data, open_store, log):
    outcome = run(Options(data, ("keyword",), titles=False), open_store=open_store)
    (records,) = [entry[1] for entry in log if entry[0] == "add"]
    assert "Lisbon" not in json.dumps(records)
    assert [record["text"] for record in records] == ["one", "two", "three"]
    assert outcome["modes"]["keyword"]["recall@2"] == 0.75
    assert not outcome["titles"]


def test_titles_are_given(data, open_store, log):
    run(Options(data, ("keyword",)), open_store=open_store)
    (records,) = [entry[1] for entry in log if entry[0] == "add"]
    assert [record["title"] for record in records] == ["Lisbon", "Tagus", "Porto"]


def test_kept_store_reports_what_indexing_took_when_it_was_made(data, open_store, tmp_path):
    options = Options(data, ("keyword",), store=tmp_path / "kept.clew")
    first = run(options, open_store=open_store)["index"]
    second = run(options, open_store=open_store)["index"]
    assert not first["reused"]
    assert second == {**first, "reused": True}


def test_rankings_are_written(data, open_store, tmp_path):
    file = tmp_path / "rankings.jsonl"
    run(Options(data, ("keyword",), rankings=file), open_store=open_store)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert rows[1] == {
        "mode": "keyword",
        "id": "q2",
        "retrieved": ["Porto", "Lisbon", "Tagus"],
        "missing": [],
    }


def test_passage_that_was_not_indexed_stops_the_run(data, open_store, monkeypatch):
    def add(self, source, *, progress=None):
        files = [FileReport(record["source"], FileOutcome.ADDED, document=1) for record in source]
        files[1] = FileReport(source[1]["source"], FileOutcome.FAILED, reason="too odd")
        return IngestReport(tuple(files))

    monkeypatch.setattr(StandIn, "add", add)
    with pytest.raises(EvaluationError, match="passage 'Tagus' was not indexed: too odd"):
        run(Options(data, ("keyword",)), open_store=open_store)


def test_foreign_document_stops_the_run(data, open_store, monkeypatch):
    found = Result(id=1, document=0xABC, content="", score=1.0)
    monkeypatch.setattr(
        StandIn, "search", lambda self, question, **_: Retrieval(Query(question), (found,))
    )
    with pytest.raises(EvaluationError, match="document 0000000000000abc is none of this data"):
        run(Options(data, ("keyword",)), open_store=open_store)


def test_unknown_mode_is_refused_before_indexing(data, open_store, log):
    with pytest.raises(QueryError, match="unknown retrieval mode 'magic'"):
        run(Options(data, ("keyword", "magic")), open_store=open_store)
    assert log == []


def test_table_shows_every_mode_in_per_cent(data, open_store):
    text = table(run(Options(data, ("keyword", "hybrid")), open_store=open_store))
    lines = text.splitlines()
    assert lines[0] == "tiny: 2 questions, 3 passages with titles"
    assert "embed 0.5" in lines[1]
    assert lines[5].startswith("| keyword | 75.0 | 100.0 (100.0-100.0) | 100.0 | 100.0 | 100.0 |")
    assert lines[6].startswith("| hybrid | ")
    assert {line.count("|") for line in lines[3:]} == {12}
