"""Paths: which are good, their words, and the sentences that state them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clew.core.documents import Chunk, Document, Span
from clew.core.knowledge import Edge, EdgeType, Evidence, Mention
from clew.core.results import Path, PathStep
from clew.reason.candidates import Sentence
from clew.reason.evidence import Passage
from clew.reason.path_evidence import edge_strengths, path_places, stated_edges, step_span
from clew.reason.path_words import best_path, good_paths, path_lines

TEXT = "Acme is old. Acme was founded by Jane Roe. It makes anvils."
SPANS = [Span(0, 12), Span(13, 42), Span(43, 59)]


def step(source="Acme", target="Jane Roe", *, relation="FOUNDED_BY", forward=True, edge=5, chunk=1):
    return PathStep(1, 2, source, target, edge, EdgeType.RELATED_TO, relation, forward, 0.9, chunk)


def path(*steps: PathStep, relevance: float = 0.5) -> Path:
    return Path(steps, score=1.0, relevance_score=relevance)


def passages(*mentions: Mention) -> list[Passage]:
    document = Document(10, "a", "1", "Acme", TEXT)
    return [Passage(Chunk(1, 10, 0, TEXT, Span(0, len(TEXT))), document, 1.0, mentions=mentions)]


def sentences() -> list[Sentence]:
    return [Sentence(0, span, TEXT[span.start : span.end], frozenset()) for span in SPANS]


def stated(span: Span, *, chunk: int = 1) -> dict[int, Edge]:
    edge = Edge(5, 1, 2, EdgeType.RELATED_TO, "FOUNDED_BY", evidence=(Evidence(chunk, span, 0.9),))
    return {5: edge}


def test_good_paths_are_relevant_best_first_and_few():
    weak, strong, best = (path(step(), relevance=r) for r in (0.1, 0.2, 0.9))
    assert good_paths([weak, strong, best], least_relevance=0.2, limit=5) == (best, strong)
    assert good_paths([weak, strong, best], least_relevance=0.0, limit=1) == (best,)
    assert good_paths([Path((), relevance_score=1.0)], least_relevance=0.0, limit=5) == ()


def test_a_definition_is_no_path():
    defined = replace(step(), kind=EdgeType.IS_A)
    assert good_paths([path(defined)], least_relevance=0.0, limit=5) == ()
    mixed = path(defined, step())
    assert good_paths([mixed], least_relevance=0.0, limit=5) == (mixed,)


def test_the_best_path_is_the_one_that_quoted_sentences_state():
    half = path(step(edge=1), step(edge=2, chunk=4))
    whole = path(step(edge=3))
    assert best_path([half, whole], {3: 1}) == whole
    assert best_path([half, whole], {1: 1, 3: 1}) == half
    assert best_path([whole, half], {1: 1, 3: 1}) == whole
    assert best_path([whole, half], {1: 1, 2: 4, 3: 1}) == half
    assert best_path([half, whole], {8: 1}) is None
    assert best_path([], {1: 1}) is None


def test_a_path_stated_by_less_than_half_carries_nothing():
    long = path(step(edge=1), step(edge=2), step(edge=3))
    assert best_path([long], {1: 1}) is None
    assert best_path([long], {1: 1, 3: 1}) == long


def test_a_stated_step_rests_on_the_chunk_that_is_quoted():
    found = best_path([path(step(edge=1, chunk=9), step(edge=2, chunk=8))], {1: 5})
    assert found is not None
    assert [one.chunk for one in found.steps] == [5, 8]


def test_edges_that_quoted_sentences_state():
    first, second, _ = sentences()
    assert stated_edges([first, second], passages(), stated(Span(18, 34))) == {5: 1}
    assert stated_edges([first], passages(), stated(Span(18, 34))) == {}
    assert stated_edges([second], passages(), stated(Span(18, 34), chunk=2)) == {}


def test_words_of_a_path():
    steps = path(
        step(),
        step("Jane Roe", "Beta <b>Ltd</b> [3]", relation="owns", forward=False, chunk=2),
        step("Beta", "Oslo", relation="", chunk=None),
    )
    assert path_lines(steps, {1: 2}) == (
        "Acme —FOUNDED_BY→ Jane Roe [2]",
        "Jane Roe ←owns— Beta Ltd (3)",
        "Beta —related_to→ Oslo",
    )


def test_a_negated_step_says_so():
    steps = path(step(edge=5), step(edge=6), step(edge=7, relation="NOT_OWNS"))
    assert path_lines(steps, {}, negated=[6, 7]) == (
        "Acme —FOUNDED_BY→ Jane Roe",
        "Acme —not FOUNDED_BY→ Jane Roe",
        "Acme —NOT_OWNS→ Jane Roe",
    )


def test_a_sentence_that_states_a_step_is_marked():
    strengths = edge_strengths(sentences(), passages(), paths=[path(step(), relevance=0.7), path(step(), relevance=0.4)], edges=stated(Span(18, 34)))  # fmt: skip
    np.testing.assert_allclose(strengths, [0.0, 0.7, 0.0], rtol=1e-6)


def test_evidence_elsewhere_or_unknown_edges_mark_nothing():
    for edges in (stated(Span(18, 34), chunk=2), {}):
        strengths = edge_strengths(sentences(), passages(), paths=[path(step())], edges=edges)
        assert strengths.tolist() == [0.0, 0.0, 0.0]


def test_places_on_a_path():
    one = path(step(chunk=9), step(chunk=1), step(chunk=1))
    assert path_places(sentences(), passages(), one).tolist() == [1.0, 1.0, 1.0]
    assert path_places(sentences(), passages(), None).tolist() == [np.inf] * 3


def test_the_sentence_of_a_step():
    [bare] = passages()
    [named] = passages(Mention(1, 2, "Jane Roe", "jane roe", Span(33, 41)))
    assert step_span(step(), bare, stated(Span(43, 45))) == SPANS[2]
    assert step_span(step(), named, {}) == SPANS[1]
    assert step_span(step(), bare, {}) == SPANS[0]
