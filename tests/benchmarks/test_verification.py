"""Figures of verification, by hand."""

import json

import pytest

from benchmarks.verification import balanced_accuracy, best_threshold, figures_of, main
from benchmarks.verification_claims import REPORT, TUNE, load_claims
from clew.core.errors import EvaluationError


def test_balanced_accuracy_weighs_both_kinds_alike():
    assert balanced_accuracy([True, True, True, False], [True, True, False, False]) == (
        pytest.approx((2 / 3 + 1) / 2)
    )
    with pytest.raises(ValueError, match="true claims and false ones"):
        balanced_accuracy([True], [True])


def test_the_best_threshold_is_the_lowest_of_the_best():
    assert best_threshold([True, True, False, False], [0.9, 0.6, 0.5, 0.1]) == 0.6
    assert best_threshold([True, False], [0.2, 0.8]) == 0.2


def row(part, label, support, probability):
    return {
        "part": part,
        "label": label,
        "support": support,
        "supported": support >= 0.5,
        "probability": probability,
    }


def test_thresholds_come_from_the_other_half():
    rows = [
        row(TUNE, True, 0.4, 0.8),
        row(TUNE, False, 0.3, 0.7),
        row(REPORT, True, 0.45, 0.75),
        row(REPORT, False, 0.35, 0.1),
    ]
    found = figures_of(rows)
    assert found["alignment, as shipped"]["balanced_accuracy"] == 0.5
    chosen = found["alignment, threshold chosen"]
    assert (chosen["threshold"], chosen["balanced_accuracy"]) == (0.4, 1.0)
    assert found["model, threshold chosen"]["threshold"] == 0.8
    assert found["model, threshold chosen"]["true_found"] == 0.0
    assert found["model, from .5"]["balanced_accuracy"] == 1.0
    without = figures_of([{**each, "probability": None} for each in rows])
    assert set(without) == {"alignment, as shipped", "alignment, threshold chosen"}


@pytest.fixture
def climate(tmp_path):
    folder = tmp_path / "climate-fever"
    folder.mkdir()
    labels = ["SUPPORTS", "REFUTES", "NOT_ENOUGH_INFO", "DISPUTED"]
    rows = [
        {
            "claim_id": str(number),
            "claim": f"The sea rose by {number} mm.",
            "claim_label": labels[number % 4],
            "evidences": [
                {"evidence_id": f"Sea:{number}", "article": "Sea", "evidence": "The sea rose."}
            ],
        }
        for number in range(80)
    ]
    (folder / "climate-fever.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def test_halves_share_no_claim_and_are_half_true(climate):
    claims = load_claims(climate, tune=8, report=8)
    halves = {part: [one for one in claims if one.part == part] for part in (TUNE, REPORT)}
    assert [sum(one.supported for one in half) for half in halves.values()] == [4, 4]
    assert [len(half) for half in halves.values()] == [8, 8]
    assert len({one.id for one in claims}) == 16
    assert not any(int(one.id) % 4 == 3 for one in claims)
    with pytest.raises(EvaluationError, match="ask for fewer"):
        load_claims(climate, tune=8, report=80)
    with pytest.raises(EvaluationError, match="neither of"):
        load_claims(climate.parent, tune=8, report=8)


def test_an_unknown_folder_is_an_error(tmp_path, capsys):
    assert main(["--data", str(tmp_path)]) == 1
    assert "is neither of" in capsys.readouterr().err
