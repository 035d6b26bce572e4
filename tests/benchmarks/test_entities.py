"""The arithmetic of `benchmarks.entities`, against counts made by hand."""

import gzip
import json

import numpy as np
import pytest

from benchmarks.entities import FIELDS, Pair, curve, measure, read_pairs, report, scores
from clew.testing.fakes import HashingEmbedder


def booleans(text: str) -> np.ndarray:
    return np.array([char == "1" for char in text])


def test_scores_are_counted():
    found = scores(booleans("11100000"), booleans("11011000"))
    assert found["precision"]["value"] == pytest.approx(2 / 3)
    assert found["recall"]["value"] == pytest.approx(2 / 4)
    assert found["f1"]["value"] == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))
    assert (found["merged"], found["wrong"]) == (3, 1)
    for value in (found[name] for name in ("precision", "recall", "f1")):
        assert 0 <= value["low"] <= value["value"] <= value["high"] <= 1


def test_nothing_merged_is_never_wrong():
    found = scores(booleans("0000"), booleans("1100"))
    assert [found[name]["value"] for name in ("precision", "recall", "f1")] == [1, 0, 0]


def test_the_interval_is_that_of_pairs_drawn_again():
    """Against a plain loop over drawn pairs: both are percentiles of the same distribution."""
    random = np.random.default_rng(3)
    truth = random.random(200) < 0.4
    predicted = truth ^ (random.random(200) < 0.2)
    drawn = []
    for _ in range(2000):
        rows = random.integers(0, 200, 200)
        right = (predicted & truth)[rows].sum()
        drawn.append(right / predicted[rows].sum())
    found = scores(predicted, truth)["precision"]
    assert found["low"] == pytest.approx(np.quantile(drawn, 0.025), abs=0.02)
    assert found["high"] == pytest.approx(np.quantile(drawn, 0.975), abs=0.02)


def test_the_curve_moves_from_recall_to_precision():
    rows = curve([(np.array([0.95, 0.7, 0.7, 0.1], np.float32), booleans("1100"))])
    at = {row["threshold"]: [row["precision"], row["recall"]] for row in rows}
    assert at[0.25] == pytest.approx([2 / 3, 1])
    assert at[0.9] == [1, 0.5]


def test_halves_are_stable_and_both_filled():
    pairs = [Pair(f"a{number}", "b", same=False) for number in range(100)]
    halves = [pair.half for pair in pairs]
    assert halves == [Pair(f"a{number}", "b", same=True).half for number in range(100)]
    assert 30 < halves.count("report") < 70


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "entity-matching"
    folder.mkdir()
    for name, field in FIELDS.items():
        rows = [
            {"left": {field: left}, "right": {field: right}, "label": label}
            for left, right, label in (
                *((f"Harbour Board {n}", f"HARBOUR BOARD {n}", 1) for n in range(20)),
                *((f"Harbour Board {n}", f"Harbour Board {n + 1}", 0) for n in range(20)),
                ("", "Nothing", 0),
            )
        ]
        with gzip.open(folder / f"{name}_valid.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "nicknames").mkdir()
    pairs = [f"{name},has_nickname,{name[:3]}" for name in ("robert", "susanna", "william")]
    (tmp_path / "nicknames" / "names.csv").write_text(
        "name1,relationship,name2\n" + "\n".join(pairs) + "\nx,is,y\n", encoding="utf-8"
    )
    return tmp_path


def test_pairs_are_read_and_unrelated_names_drawn(data):
    sets = read_pairs(data)
    assert {len(pairs) for name, pairs in sets.items() if name != "nicknames"} == {40}
    nicknames = sets["nicknames"]
    assert [pair.same for pair in nicknames] == [True] * 3 + [False] * 3
    assert Pair("Robert", "Rob", same=True) in nicknames
    related = {frozenset((pair.left, pair.right)) for pair in nicknames[:3]}
    assert related.isdisjoint(frozenset((pair.left, pair.right)) for pair in nicknames[3:])


def test_the_resolver_keeps_numbers_apart_and_takes_spellings_together(data):
    outcome = measure(HashingEmbedder(), read_pairs(data), half="report")
    methods = outcome["sets"]["beer"]["methods"]
    assert methods["resolver"]["precision"]["value"] == 1
    assert methods["resolver"]["recall"]["value"] == 1
    assert outcome["sets"]["beer"]["pairs"] < 40
    text = report(outcome)
    assert "| beer |" in text
    assert "half: choice" in text
