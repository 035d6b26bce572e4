"""The scorer against figures that others published for their own runs.

The published figures are means over 1,000 (Psi-RAG) and 101 (fast-graphrag) questions. The gold
passages at hand are of every second question, so two things can be held against each other
without guessing: counts (our half can miss no more than the whole missed, nor find more), and
means, within what drawing half of the questions allows (three standard errors).
"""

import gzip
import json
import math
from statistics import pstdev

import pytest

from clew.evaluate.datasets import load_dataset
from clew.evaluate.metrics import all_gold, recall

pytestmark = pytest.mark.data("2wiki-hipporag")


@pytest.fixture(scope="module")
def gold(data_folder):
    """Gold titles by question id."""
    dataset = load_dataset(data_folder / "2wiki-hipporag")
    titles = {passage.id: passage.title for passage in dataset.passages}
    return {
        question.id: {titles[identifier] for identifier in question.gold}
        for question in dataset.questions
    }


def runs(data_folder, name, gold):
    """Yield (retrieved titles, gold titles) of the questions whose gold is known."""
    file = data_folder / "2wiki-hipporag" / "published_runs" / f"{name}.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["retrieved_titles"], gold[row["id"]]) for row in rows if row["id"] in gold]


def test_gold_counts_follow_the_published_pattern(gold):
    # 765 questions of two and 235 of four gold titles in the whole; no other number occurs.
    sizes = [len(titles) for titles in gold.values()]
    assert len(sizes) == 500
    assert set(sizes) == {2, 4}
    assert sizes.count(4) <= 235


@pytest.mark.parametrize(
    ("system", "published"),
    [("circlemind", 0.931), ("lightrag", 0.446), ("nano-graphrag", 0.733), ("vectordb", 0.416)],
)
def test_all_gold_in_eight(data_folder, gold, system, published):
    pairs = runs(data_folder, f"fast-graphrag_{system}_101", gold)
    found = sum(all_gold(titles, wanted, k=8) for titles, wanted in pairs)
    assert len(pairs) == 51
    found_in_whole = round(published * 101)
    assert found_in_whole / 101 == pytest.approx(published, abs=0.0005)
    assert found_in_whole - (101 - 51) <= found <= found_in_whole
    assert found / 51 == pytest.approx(published, abs=3 * error_of_half(published, 51, 101))


@pytest.mark.parametrize("system", ["psi-rag_keyword", "psi-rag_summary"])
@pytest.mark.parametrize(("k", "published"), [(2, 0.808), (5, 0.959)])
def test_recall(data_folder, gold, system, k, published):
    pairs = runs(data_folder, system, gold)
    values = [recall(titles, wanted, k=k) for titles, wanted in pairs]
    assert len(values) == 500
    allowed = 3 * pstdev(values) / math.sqrt(500) * math.sqrt(1 - 500 / 1000)
    assert allowed < 0.03
    assert sum(values) / 500 == pytest.approx(published, abs=allowed)


def error_of_half(share, drawn, whole):
    """Return the standard error of a share when `drawn` of `whole` are looked at."""
    return math.sqrt(share * (1 - share) / drawn * (1 - drawn / whole))
