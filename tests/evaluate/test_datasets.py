"""Data sets: both ways of naming gold passages, and refusals that name file and line."""

import gzip
import json

import pytest

from clew.core.errors import EvaluationError
from clew.evaluate.datasets import Passage, load_dataset

CORPUS = [
    {"id": 7, "title": "Lisbon", "text": "A city."},
    {"id": 8, "title": "Tagus", "sentences": ["A river.", "It is long."]},
    {"id": 9, "title": "Lisbon", "text": "A film."},
]


def write(folder, corpus, questions):
    for name, rows in (("corpus", corpus), ("questions", questions)):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return folder


def test_reads_passages_and_gold_ids(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    write(folder, CORPUS, [{"question": "Where?", "gold_ids": [7, "8"], "answer": "here"}])
    data = load_dataset(folder)
    assert data.name == "small"
    assert data.passages[1] == Passage("8", "Tagus", "A river. It is long.")
    assert [passage.id for passage in data.passages] == ["7", "8", "9"]
    (question,) = data.questions
    assert question.id == "0"
    assert question.gold == {"7", "8"}
    assert question.answer == "here"


def test_gold_titles_become_ids(tmp_path):
    write(tmp_path, CORPUS, [{"id": "q", "question": "Where?", "gold_titles": ["Tagus"]}])
    (question,) = load_dataset(tmp_path).questions
    assert question.id == "q"
    assert question.gold == {"8"}
    assert question.answer is None


def test_titles_serve_as_ids_and_plain_files_are_read(tmp_path):
    (tmp_path / "corpus.jsonl").write_text('\n{"title": "Ávila", "text": "x"}\n', encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(
        '{"question": "q", "gold_titles": ["Ávila"]}', encoding="utf-8"
    )
    data = load_dataset(tmp_path)
    assert data.passages[0].id == "Ávila"
    assert data.questions[0].gold == {"Ávila"}


QUESTION = {"question": "Where?", "gold_ids": [7]}


@pytest.mark.parametrize(
    ("corpus", "questions", "message"),
    [
        ([], [QUESTION], r"corpus\.jsonl\.gz holds no passage"),
        (["{"], [QUESTION], r"corpus\.jsonl\.gz:1 is not JSON"),
        (["[]"], [QUESTION], r"corpus\.jsonl\.gz:1 is not a JSON object"),
        ([{"text": "x"}], [QUESTION], r":1 has neither 'id' nor 'title'"),
        ([CORPUS[0], CORPUS[0]], [QUESTION], r":2 repeats the passage '7'"),
        ([{"id": 1, "title": "x"}], [QUESTION], r":1 has no 'text'"),
        ([{"id": 1, "sentences": [1]}], [QUESTION], r":1 has no 'text'"),
        (CORPUS, [], r"questions\.jsonl\.gz holds no question"),
        (CORPUS, [QUESTION, {"gold_ids": [7]}], r"questions\.jsonl\.gz:2 has no 'question'"),
        (CORPUS, [{"question": "q"}], r":1 has no gold passages"),
        (CORPUS, [{"question": "q", "gold_ids": []}], r":1 has no gold passages"),
        (CORPUS, [{"question": "q", "gold_ids": [5]}], r":1: gold passage '5' is not in the"),
        (CORPUS, [{"question": "q", "gold_titles": ["Rio"]}], r":1: gold passage 'Rio' is not"),
        (CORPUS, [{"question": "q", "gold_titles": ["Lisbon"]}], r"2 passages bear the gold ti"),
    ],
)
def test_malformed_data_is_refused(tmp_path, corpus, questions, message):
    write(tmp_path, corpus, questions)
    with pytest.raises(EvaluationError, match=message):
        load_dataset(tmp_path)


def test_missing_and_unreadable_files(tmp_path):
    with pytest.raises(EvaluationError, match=r"holds no corpus\.jsonl\.gz"):
        load_dataset(tmp_path)
    write(tmp_path, CORPUS, [QUESTION])
    whole = (tmp_path / "corpus.jsonl.gz").read_bytes()
    (tmp_path / "corpus.jsonl.gz").write_bytes(whole[:-12])
    with pytest.raises(EvaluationError, match=r"cannot read .*corpus\.jsonl\.gz"):
        load_dataset(tmp_path)
    (tmp_path / "corpus.jsonl.gz").write_bytes(b"not gzip")
    with pytest.raises(EvaluationError, match=r"cannot read .*corpus\.jsonl\.gz"):
        load_dataset(tmp_path)
