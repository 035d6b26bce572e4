"""The command line of the benchmark."""

import json
from pathlib import Path

import pytest

import benchmarks.multihop
from benchmarks.multihop import main, parse
from benchmarks.run import Options
from clew import Clew

OUTCOME = {
    "dataset": "tiny",
    "titles": False,
    "questions": 1,
    "passages": 2,
    "modes": {},
    "index": {
        "seconds": 1.0,
        "seconds_by_stage": {},
        "passages_per_second": 2.0,
        "disk_mb": 1.0,
        "peak_memory_mb": {"process": 5.0},
        "reused": False,
    },
}


def test_defaults_are_the_four_modes_with_titles():
    assert parse(["--data", "x"]) == Options(
        Path("x"), ("vector_only", "keyword", "kg_only", "hybrid")
    )


def test_every_option():
    line = "--data d --modes keyword,hybrid --no-titles --limit 5 --json j --store s --fetch 40"
    assert parse([*line.split(), "--rankings", "r"]) == Options(
        data=Path("d"),
        modes=("keyword", "hybrid"),
        titles=False,
        limit=5,
        json=Path("j"),
        store=Path("s"),
        rankings=Path("r"),
        fetch=40,
    )


def test_data_is_required():
    with pytest.raises(SystemExit) as caught:
        parse([])
    assert caught.value.code == 2


def test_main_prints_the_table_and_writes_json(tmp_path, capsys, monkeypatch):
    seen = []

    def run(options, *, open_store):
        seen.append(open_store)
        return OUTCOME

    monkeypatch.setattr(benchmarks.multihop, "run", run)
    file = tmp_path / "figures.json"
    assert main(["--data", "x", "--json", str(file)]) == 0
    assert capsys.readouterr().out.startswith("tiny: 1 questions, 2 passages without titles")
    assert json.loads(file.read_text(encoding="utf-8")) == OUTCOME
    assert seen == [Clew.open]


def test_main_reports_what_is_wrong_with_the_data(tmp_path, capsys):
    assert main(["--data", str(tmp_path)]) == 1
    assert "holds no corpus.jsonl.gz" in capsys.readouterr().err
