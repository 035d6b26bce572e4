"""SciFact as a data set: the claims of a split that cite something, and refusals."""

import gzip
import json

import pytest

from clew.core.errors import EvaluationError
from clew.evaluate.scifact import load_scifact

CORPUS = [
    {"id": "11", "title": "Alpha", "sentences": ["One.", "Two."]},
    {"id": "12", "title": "Beta", "sentences": ["Three."]},
]
CLAIMS = [
    {"id": "1", "split": "train", "claim": "Trained on.", "cited_doc_ids": ["11"]},
    {"id": "2", "split": "dev", "claim": "Alpha is one.", "cited_doc_ids": [11, "12"]},
    {"id": "3", "split": "dev", "claim": "Cites nothing.", "cited_doc_ids": []},
]


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "scifact"
    made.mkdir()
    return made


def write(folder, corpus, claims):
    for name, rows in (("corpus", corpus), ("claims", claims)):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(map(json.dumps, rows)))
    return folder


def test_the_claims_of_the_split_that_cite_something_are_questions(folder):
    data = load_scifact(write(folder, CORPUS, CLAIMS))
    assert [(passage.id, passage.text) for passage in data.passages] == [
        ("11", "One. Two."),
        ("12", "Three."),
    ]
    (question,) = data.questions
    assert (question.id, question.text) == ("2", "Alpha is one.")
    assert question.gold == {"11", "12"}
    (trained,) = load_scifact(folder, split="train").questions
    assert trained.text == "Trained on."


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ([{"id": "9", "split": "dev", "claim": "x", "cited_doc_ids": ["77"]}], "'77'"),
        ([{"id": "9", "split": "dev", "claim": "x"}], "claims.jsonl.gz:1"),
        ([{"id": "9", "split": "dev", "cited_doc_ids": ["11"]}], "claims.jsonl.gz:1"),
        (CLAIMS[:1], "'dev'"),
    ],
)
def test_what_is_no_scifact_is_refused(folder, claims, words):
    with pytest.raises(EvaluationError, match=words):
        load_scifact(write(folder, CORPUS, claims))


@pytest.mark.data("scifact")
def test_the_real_one(data_folder):
    data = load_scifact(data_folder / "scifact")
    assert len(data.passages) == 5183
    # BEIR's test set are the 300 claims of the whole split; a copy may hold a part of them.
    assert 100 <= len(data.questions) <= 300
    assert all(1 <= len(question.gold) <= 5 for question in data.questions)
