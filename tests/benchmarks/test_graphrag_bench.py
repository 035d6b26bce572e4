"""GraphRAG-Bench over a small text with the real models."""

import gzip
import json

import pytest

from benchmarks.graphrag_bench import Asked, first_of_each, main, passages_of
from clew.core.knowledge import Community
from clew.core.query import Query
from clew.core.results import RankedCommunity, Result, Retrieval

TEXT = (
    "Basal cell cancer grows on sun-exposed skin. Surgery is the usual treatment. "
    "The Marlow clinic in Dunmere treats it with cold. Dunmere lies on the coast."
)
QUESTIONS = [
    {
        "question": "What is the treatment of cancer?",
        "answer": "Usual surgery.",
        "question_type": "Fact",
    },
    {"question": "Where is the clinic?", "answer": "In Dunmere, Peru.", "question_type": "Where"},
    {"question": "Is it?", "answer": "It is.", "question_type": "Fact"},
]


@pytest.fixture
def data(tmp_path):
    for name, text in (
        ("medical_corpus.txt.gz", TEXT),
        ("medical_questions.jsonl.gz", "\n".join(map(json.dumps, QUESTIONS))),
    ):
        with gzip.open(tmp_path / name, "wt", encoding="utf-8") as file:
            file.write(text)
    return tmp_path


def test_recall_by_type(data, tmp_path, capsys):
    file = tmp_path / "figures.json"
    line = ["--data", str(data), "--modes", "vector_only,keyword", "--json", str(file)]
    assert main(line) == 0
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert figures["questions"] == 3
    for mode in ("vector_only", "keyword"):
        by_type = figures["modes"][mode]
        assert by_type["Fact"]["questions"] == 1, "an answer without words of its own is left out"
        assert by_type["Fact"]["recall@5"][0] == 1.0
        assert by_type["Where"]["recall@10"][0] == 0.5
        assert by_type["all"]["recall@10"][0] == 0.75
    printed = capsys.readouterr().out
    assert "| mode | Fact | all | Where |" in printed
    assert "| keyword | 100.0 (" in printed


def test_a_folder_of_something_else_is_an_error(tmp_path, capsys):
    assert main(["--data", str(tmp_path)]) == 1
    assert "medical_questions" in capsys.readouterr().err


def test_a_limit_counts_by_type():
    asked = [Asked(text, "x", kind) for text, kind in (("1", "a"), ("2", "a"), ("3", "b"))]
    assert [one.text for one in first_of_each(asked, 1)] == ["1", "3"]
    assert first_of_each(asked, None) == asked


def test_summaries_stand_among_the_passages():
    results = (Result(1, 1, "first", 0.9), Result(2, 1, "third", 0.5))
    community = Community(1, 0, "level0_0", (1,), summary="second")
    found = Retrieval(Query("x"), results, communities=(RankedCommunity(community, 0.7),))
    assert passages_of(found) == ["first", "second", "third"]
