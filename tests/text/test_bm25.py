"""BM25 by hand, and against tantivy, whose scores an overlay's are merged with."""

import math

import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.arrays import Floats
from clew.text.bm25 import (
    NO_CORPUS,
    BagOfTerms,
    CorpusStatistics,
    bag_of_terms,
    bm25_scores,
    corpus_statistics,
    indexed_length,
    inverse_document_frequency,
    joined_statistics,
    query_terms,
)

LETTERS = st.sampled_from("abcdefgh")
PASSAGES = st.lists(st.lists(LETTERS, min_size=1, max_size=200), min_size=1, max_size=8)


def _scores(query: list[str], *texts: str) -> Floats:
    bags = [bag_of_terms(text) for text in texts]
    return bm25_scores(query, bags, corpus_statistics(query, bags))


def test_idf_by_hand() -> None:
    # N = 3, df = 1: ln(1 + 2.5 / 1.5) = ln(8/3)
    assert inverse_document_frequency(3, 1) == pytest.approx(math.log(8 / 3))
    # a term in every passage still counts a little: ln(1 + 0.5 / 3.5)
    assert inverse_document_frequency(3, 3) == pytest.approx(0.1335313926)


def test_scores_by_hand() -> None:
    # lengths 2, 4, 2, mean 8/3; norm = 1.2 * (.25 + .75 * len / mean): .975, 1.65, .975
    # "sun": df 1, idf ln(8/3) = .9808293; twice in the second: 2 * 2.2 / (2 + 1.65)
    # "sea": df 2, idf ln(1.6) = .4700036; once in the first: 2.2 / 1.975
    found = _scores(["sun", "sea"], "sea shell", "sun sun sea sand", "rock pool")
    first = 0.4700036292 * 2.2 / 1.975
    second = 0.9808292530 * 4.4 / 3.65 + 0.4700036292 * 2.2 / 2.65
    assert found.tolist() == pytest.approx([first, second, 0.0], rel=1e-6)


def test_terms_are_folded_and_stop_words_left_out() -> None:
    bag = bag_of_terms("The Émile's  café, the CAFE")
    assert bag == BagOfTerms({"emile": 1, "cafe": 2}, 3)
    assert query_terms("The cafe of Émile, CAFÉ?") == ("cafe", "emile")


def test_a_repeated_query_term_counts_once() -> None:
    texts = ("sea shell", "sun")
    assert _scores(["sea", "sea"], *texts).tolist() == _scores(["sea"], *texts).tolist()


def test_nothing_to_score() -> None:
    assert bm25_scores(["sea"], [], NO_CORPUS).tolist() == []
    assert _scores([], "sea").tolist() == [0.0]
    assert _scores(["sea"], "", "the of").tolist() == [0.0, 0.0]


@given(PASSAGES, st.integers(0, 8), st.lists(LETTERS, min_size=1, max_size=4))
@settings(deadline=None, max_examples=50)
def test_statistics_of_parts_join_to_those_of_the_whole(
    passages: list[list[str]], cut: int, query: list[str]
) -> None:
    bags = [bag_of_terms(" ".join(passage)) for passage in passages]
    whole = corpus_statistics(query, bags)
    parts = joined_statistics(
        corpus_statistics(query, bags[:cut]), corpus_statistics(query, bags[cut:])
    )
    assert (parts.passages, parts.total_length) == (whole.passages, whole.total_length)
    assert all(parts.holding[term] == whole.holding[term] for term in query)


def test_average_length_of_nothing_is_one() -> None:
    assert CorpusStatistics(0, 0, {}).average_length == 1.0
    assert CorpusStatistics(4, 10, {}).average_length == 2.5


@pytest.mark.parametrize(
    ("length", "kept"),
    [(0, 0), (1, 1), (39, 39), (40, 40), (41, 40), (42, 42), (55, 54), (56, 56), (59, 56), (60, 60),
     (87, 84), (88, 88), (95, 88), (96, 96), (151, 144), (152, 152), (1000, 984)],
)  # fmt: skip
def test_indexed_length_is_the_largest_kept_one(length: int, kept: int) -> None:
    assert indexed_length(length) == kept


@given(PASSAGES, st.lists(LETTERS, min_size=1, max_size=4, unique=True))
@settings(deadline=None, max_examples=25)
def test_scores_are_those_of_tantivy(passages: list[list[str]], query: list[str]) -> None:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", stored=True)
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    index = tantivy.Index(builder.build())
    writer = index.writer(heap_size=15_000_000, num_threads=1)
    for row, passage in enumerate(passages):
        document = tantivy.Document()
        document.add_unsigned("row", row)
        document.add_text("body", " ".join(passage))
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    found = searcher.search(index.parse_query(" ".join(query), ["body"]), limit=100).hits
    theirs = {searcher.doc(address).get_first("row"): score for score, address in found}

    exact = [BagOfTerms({term: p.count(term) for term in p}, len(p)) for p in passages]
    kept = [BagOfTerms(bag.counts, indexed_length(bag.length)) for bag in exact]
    ours = bm25_scores(query, kept, corpus_statistics(query, exact))
    assert {row: score for row, score in enumerate(ours.tolist()) if score > 0} == pytest.approx(
        theirs, rel=1e-4
    )
