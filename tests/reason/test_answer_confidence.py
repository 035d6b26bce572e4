"""The benchmark that fits the confidence model: its arithmetic, and a run on a tiny data set."""

from __future__ import annotations

import json
from contextlib import contextmanager

import numpy as np
import pytest

from benchmarks.answer_confidence import (
    Case,
    Subject,
    brier_score,
    calibration_error,
    contains_answer,
    cross_validated,
    fit,
    main,
    report,
    squad_words,
)
from clew.core.errors import EvaluationError
from clew.core.jobs import FileOutcome, FileReport, IngestReport
from clew.reason.confidence import AnswerSignals
from clew.reason.extractive import ExtractiveAnswerer
from clew.testing.fakes import HashingEmbedder


def test_squad_normalisation():
    assert squad_words("The  Cat's  a-b, an EGG!") == ["cats", "ab", "egg"]


@pytest.mark.parametrize(
    ("text", "answer", "held"),
    [
        ("Acme was founded by Jane Roe. [1]", "jane roe", True),
        ("Acme was founded by Jane [1] Roe.", "Jane Roe", True),
        ("Acme was founded by Jane Roebuck.", "Jane Roe", False),
        ("It was in the United States.", "United States", True),
        ("It has 12 rooms. [1]", "1", False),
        ("Anything", "the", False),
    ],
)
def test_an_answer_is_held_word_by_word(text, answer, held):
    assert contains_answer(text, answer) is held


def test_brier_score():
    assert brier_score(np.array([0.5, 1.0]), np.array([1.0, 0.0])) == pytest.approx(0.625)


def test_calibration_error():
    # Bin 0.2-0.3 holds .25 and .25, half right: gap .25; bin 0.9-1 holds .95 and 1, both right:
    # gap .025. Each has half of the questions.
    chance, right = np.array([0.25, 0.25, 0.95, 1.0]), np.array([1.0, 0.0, 1.0, 1.0])
    assert calibration_error(chance, right) == pytest.approx(0.1375)


def test_fit_is_where_the_gradient_vanishes():
    random = np.random.default_rng(3)
    signals = random.random((80, 2))
    right = (random.random(80) < signals[:, 0]).astype(float)
    weights = fit(signals, right)
    chance = 1 / (1 + np.exp(-(weights[0] + signals @ weights[1:])))
    assert (right - chance).sum() == pytest.approx(0.0, abs=1e-5)
    np.testing.assert_allclose(signals.T @ (right - chance), weights[1:], atol=1e-6)
    assert weights[1] > weights[2]


def test_cross_validation_does_not_see_the_question():
    # A signal that tells nothing leaves the base rate of the other folds.
    right = np.array([1.0] * 12 + [0.0] * 8)
    chance = cross_validated(np.zeros((20, 1)), right)
    rates = {n / 16 for n in range(17)}
    assert all(min(abs(value - rate) for rate in rates) < 1e-5 for value in chance)
    assert chance.mean() == pytest.approx(0.6)
    for value in np.unique(chance.round(4)):
        fold = np.isclose(chance, value, atol=1e-4)
        assert fold.sum() % 4 == 0
        # Four questions a fold: those held out and the others make up the twelve right ones.
        assert right[fold].sum() / (fold.sum() / 4) + 16 * value == pytest.approx(12.0, abs=1e-3)


def test_a_report_needs_right_and_wrong_answers():
    right = Case("own", AnswerSignals(0.5, 0.5, 0.5, 0.5), right=True)
    with pytest.raises(EvaluationError, match="nothing to fit"):
        report([right, right])


class Base:
    """Retrieves every page in the order of its common words with the question."""

    def __init__(self, world):
        self.world = world

    def add(self, *inputs, progress=None):
        [source] = inputs
        for record in source:
            self.world.page(record["title"], record["text"])
        files = tuple(
            FileReport(
                row["source"],
                FileOutcome.ADDED,
                document=self.world.pages[row["title"]].document.id,
            )
            for row in source
        )
        return IngestReport(files=files)

    def search(self, question, /, *, mode, top_k):
        asked = set(question.lower().rstrip("?").split())
        chunks = sorted(
            self.world.chunks(),
            key=lambda chunk: -len(asked & set(chunk.text.lower().rstrip(".").split())),
        )
        return self.world.ask(question, chunks=chunks[:top_k])

    def close(self):
        pass


def test_a_run(tmp_path, world, capsys):
    corpus = [
        {"id": "a", "title": "Acme", "text": "Acme was founded by Jane Roe."},
        {"id": "b", "title": "Beta", "text": "Beta was founded by Ann Poe."},
        {"id": "c", "title": "Coast", "text": "Rain fell on the coast all day."},
    ]
    questions = [
        {"question": "Who founded Acme?", "answer": "Jane Roe", "gold_ids": ["a"]},
        {"question": "Who founded Beta?", "answer": "Ann Poe", "gold_ids": ["b"]},
        {"question": "Is Acme on the coast?", "answer": "no", "gold_ids": ["a", "c"]},
        {"question": "Who sank Zorblatt?", "answer": "Nobody Known", "gold_ids": ["c"]},
    ]
    for name, rows in (("corpus", corpus), ("questions", questions)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")

    @contextmanager
    def open_subject(path):
        answerer = ExtractiveAnswerer(chunks=world.store, graph=world.store, embedder=HashingEmbedder())  # fmt: skip
        yield Subject(Base(world), answerer)

    target = tmp_path / "report.json"
    assert main(["--data", str(tmp_path), "--json", str(target)], open_subject=open_subject) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome == json.loads(target.read_text(encoding="utf-8"))
    assert outcome["questions"] == 4
    assert outcome["right"] == 0.75
    assert set(outcome["model"]) == {"intercept", "similarity", "coverage", "agreement", "linked"}
    assert outcome["by_kind"]["own"]["questions"] == 4
    assert outcome["by_kind"]["without gold"]["questions"] == 4
    assert outcome["by_kind"]["without gold"]["mean_support"] < outcome["by_kind"]["own"]["mean_support"]  # fmt: skip


def test_a_folder_without_data_is_an_error(tmp_path, capsys):
    assert main(["--data", str(tmp_path)]) == 1
    assert "no retrieval data set" in capsys.readouterr().err
