"""Figures of the time benchmark, worked out by hand."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.temporal import main
from benchmarks.temporal_questions import f1, load_labelled, scores
from benchmarks.timeqa import half_of, load_pages


def lines(file: Path, rows: list[dict[str, object]]) -> None:
    with gzip.open(file, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)


def test_scores() -> None:
    pairs = [("a", "a"), ("a", "b"), ("b", "b"), ("b", "b"), (None, "a")]
    found = scores(pairs)
    assert found["accuracy"] == 0.75
    assert found["f1"] == {"a": round(2 / 3, 4), "b": 0.8}
    assert found["macro_f1"] == pytest.approx((2 / 3 + 0.8) / 2, abs=1e-4)


def test_a_label_that_is_never_right_counts_0() -> None:
    assert f1([("a", "b")], "a") == 0.0


def test_labels_and_intervals_are_normalised(tmp_path: Path) -> None:
    sparql = (
        'FILTER (?d >= xsd:dateTime("1998-01-01T00:00:00Z") && '
        '?d <= xsd:dateTime("1998-12-31T23:59:59Z"))'
    )
    lines(
        tmp_path / "x.jsonl.gz",
        [
            {
                "TEXT": "in 1998?",
                "TEMPORAL_SIGNAL": ["OVERPAL"],
                "TYPE": ["Explicit"],
                "SPARQL": sparql,
            },
            {"Question": "first?", "Temporal signal": ["ORDINAL,OVERLAP"], "Type": ["Ordinal"]},
            {"Question": "who?", "Temporal signal": ["No Signal"], "Type": []},
        ],
    )
    first, second, third = load_labelled(tmp_path / "x.jsonl.gz")
    assert (first.signal, first.kind) == ("overlap", "explicit")
    assert first.interval == (datetime(1998, 1, 1, tzinfo=UTC), datetime(1999, 1, 1, tzinfo=UTC))
    assert (second.signal, second.kind, second.interval) == ("ordinal", "ordinal", None)
    assert (third.signal, third.kind) == ("none", None)


def test_halves_of_pages(tmp_path: Path) -> None:
    answer = {"para": 1, "from": 0, "end": 1, "answer": "x"}
    nothing = {"para": 0, "from": 0, "end": 0, "answer": ""}
    lines(
        tmp_path / "human_annotated_test.jsonl.gz",
        [
            {"link": "/wiki/A_B", "paras": ["A B", "x", " "], "questions": [["q1", [answer]]]},
            {"link": "/wiki/C", "paras": ["C"], "questions": [["q2", [nothing]]]},
        ],
    )
    pages = load_pages(tmp_path)
    assert [(row["title"], row["text"]) for row in pages.records] == [
        ("A B", "A B"),
        ("A B", "x"),
        ("C", "C"),
    ]
    (tuning,) = half_of(pages.questions, "tuning")
    (report,) = half_of(pages.questions, "report")
    assert tuning.gold == {pages.records[1]["source"]}
    assert report.gold == frozenset()
    assert half_of(pages.questions, "all") == list(pages.questions)


@pytest.mark.data("temporal-questions")
def test_real_questions(data_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    assert main(["--questions", str(data_folder / "temporal-questions"), "--json", str(file)]) == 0
    found = json.loads(file.read_text(encoding="utf-8"))["questions"]
    assert found["timequestions_dev"]["kind"]["accuracy"] > 0.9
    assert found["tiq_dev"]["signal"]["accuracy"] > 0.9
    assert found["tempquestions"]["signal"]["accuracy"] > 0.9
    assert found["tempqa-wd_dev"]["interval_match"] > 0.8
