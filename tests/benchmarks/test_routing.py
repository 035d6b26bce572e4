"""The routing benchmark: its halves, its figures, its command line."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from benchmarks.routing import (
    Labelled,
    accuracy,
    figures,
    fit,
    is_tuned_on,
    load,
    macro_f1,
    main,
)
from clew.core.query import RetrievalMode
from clew.core.routing import QuestionShape, Routing
from clew.retrieve.question_cues import BIAS, FEATURES, WEIGHTS, features


def labelled(number, text, multi, silver=None):
    silver = multi if silver is None else silver
    return Labelled(str(number), "set", text, {"dataset_label": multi, "silver_label": silver})


def test_accuracy_and_macro_f1_by_hand():
    """Said multi twice, one rightly; F1 of multi 2/3, of single 2 x 1 / 3 ... of three questions."""
    said, truth = [True, True, False], [True, False, False]
    assert accuracy(said, truth) == pytest.approx(2 / 3)
    assert macro_f1(said, truth) == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert macro_f1([False, False], [False, False]) == 0.5


def test_figures_of_a_router_that_is_known():
    questions = [
        labelled(1, "a", multi=True),
        labelled(2, "b", multi=True, silver=False),
        labelled(3, "c", multi=False),
        labelled(4, "d", multi=False),
    ]

    def router(text):
        multi = text in "ac"
        shape = QuestionShape.MULTI if multi else QuestionShape.SINGLE
        mode = RetrievalMode.HYBRID if multi else RetrievalMode.VECTOR_ONLY
        return Routing(mode, "because", 0.9 if multi else 0.6, shape, 1.0)

    found = figures(questions, router=router)
    assert found["dataset_label"] == {"accuracy": 0.5, "macro_f1": 0.5, "always_single": 0.5}
    assert found["silver_label"]["accuracy"] == 0.75
    assert found["modes"] == {
        "hybrid, multi": 1,
        "hybrid, single": 1,
        "vector_only, multi": 1,
        "vector_only, single": 1,
    }
    assert found["calibration"] == [
        {"confidence": 0.6, "right": 0.5, "questions": 2},
        {"confidence": 0.9, "right": 0.5, "questions": 2},
    ]


def test_the_fit_is_where_the_slope_is_zero():
    """At the optimum of ridge regression: the sum of (p - y) f + ridge x w = 0, without ridge on b."""
    questions = [
        labelled(number, text, multi=multi)
        for number, (text, multi) in enumerate(
            [
                ("who wrote it", False),
                ("is this or that older", True),
                ("what is the mother of the man that sold it", True),
                ("which film is famous", False),
                ("where was she born", True),
            ]
        )
    ]
    weights = fit(questions)
    rows = np.array([[*features(item.text), 1.0] for item in questions])
    probability = 1 / (1 + np.exp(-rows @ weights))
    truth = np.array([item.labels["dataset_label"] for item in questions])
    slope = rows.T @ (probability - truth) + 3.0 * np.append(weights[:-1], 0)
    np.testing.assert_allclose(slope, 0, atol=1e-3)


def test_what_is_excluded_is_not_tuned_on():
    tuned = [str(number) for number in range(200) if is_tuned_on(str(number))]
    assert 70 < len(tuned) < 130
    assert not is_tuned_on(tuned[0], {tuned[0]})


def test_the_command_line(tmp_path, capsys):
    rows = [
        {
            "id": str(number),
            "source": "nq",
            "question": "who wrote it",
            "dataset_label": "single",
            "silver_label": "multi" if number % 2 else "single",
        }
        for number in range(40)
    ]
    with gzip.open(tmp_path / "adaptive-rag.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    assert main(["--data", str(tmp_path), "--json", str(tmp_path / "out.json")]) == 0
    assert "| held_out |" in capsys.readouterr().out
    outcome = json.loads((tmp_path / "out.json").read_text())
    assert outcome["tuned"]["questions"] + outcome["held_out"]["questions"] == 40
    assert outcome["held_out"]["dataset_label"]["accuracy"] == 1.0
    assert main(["--data", str(tmp_path / "nowhere")]) == 1
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.data("query-routing")
def test_the_router_keeps_its_published_figures(data_folder):
    """Half of what is tuned on and half of what is not; the weights in the code are those fitted."""
    questions = load(data_folder / "query-routing")
    held = figures([item for item in questions if not is_tuned_on(item.id)])
    assert held["dataset_label"]["accuracy"] > 0.82
    assert held["dataset_label"]["macro_f1"] > 0.82
    assert held["silver_label"]["accuracy"] > 0.75
    refitted = fit([item for item in questions if is_tuned_on(item.id)])
    known = [*(WEIGHTS[name] for name in FEATURES), BIAS]
    np.testing.assert_allclose(refitted, known, atol=0.1)
