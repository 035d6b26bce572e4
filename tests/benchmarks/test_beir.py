"""The SciFact benchmark over a tiny copy: its command line and nDCG worked out by hand."""

import gzip
import json
from math import log2
from pathlib import Path

import pytest

from benchmarks.beir import main, parse
from benchmarks.run import Options
from clew import Clew
from tests.benchmarks.test_run import StandIn


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "scifact"
    folder.mkdir()
    corpus = [
        {"id": str(place), "title": f"T{place}", "sentences": [word]}
        for place, word in enumerate(("one", "two", "three"))
    ]
    claims = [
        {"id": "5", "split": "dev", "claim": "three two one", "cited_doc_ids": ["2", "0"]},
        {"id": "6", "split": "dev", "claim": "three one two", "cited_doc_ids": ["1"]},
    ]
    for name, rows in (("corpus", corpus), ("claims", claims)):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(map(json.dumps, rows)))
    return folder


def test_options():
    line = "--data d --modes keyword --limit 5 --json j --store s"
    assert parse(line.split()) == Options(
        Path("d"), ("keyword",), limit=5, json=Path("j"), store=Path("s")
    )


def test_ndcg_of_known_rankings(data, tmp_path, monkeypatch, capsys):
    documents: dict[str, object] = {}
    monkeypatch.setattr(Clew, "open", lambda path: StandIn(documents, []))
    file = tmp_path / "figures.json"
    store = tmp_path / "kb.clew"
    store.mkdir()
    code = main(
        ["--data", str(data), "--modes", "keyword", "--store", str(store), "--json", str(file)]
    )
    assert code == 0
    figures = json.loads(file.read_text(encoding="utf-8"))["modes"]["keyword"]
    # First: gold at ranks 1 and 3 of two. Second: gold at rank 3 of one.
    first = (1 + 1 / log2(4)) / (1 + 1 / log2(3))
    second = 1 / log2(4)
    assert figures["ndcg@10"] == pytest.approx((first + second) / 2, abs=1e-4)
    printed = capsys.readouterr().out
    assert "nDCG@10" in printed
    assert f"| keyword | {100 * (first + second) / 2:.1f} (" in printed


def test_a_folder_of_something_else_is_an_error(tmp_path, capsys):
    assert main(["--data", str(tmp_path)]) == 1
    assert "corpus" in capsys.readouterr().err
