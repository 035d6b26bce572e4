import numpy as np

from clew.core.documents import Chunk, Document, Span
from clew.core.knowledge import Edge, EdgeType, Evidence
from clew.core.results import Path, PathStep
from clew.reason.candidates import Sentence
from clew.reason.evidence import Passage
from clew.reason.leading_path import (
    evidence_spans,
    joins_what_is_named,
    leading_path,
    stating_rows,
)

QUESTION = "How is Kestrel Observatory connected to the Hollis Institute?"


def step(source, target, edge):
    kind = EdgeType.RELATED_TO
    return PathStep(1, 2, source, target, edge, kind, "KNOWS", forward=True, confidence=0.9)


def path(*steps, score=1.0, relevance=1.0, matching=()):
    return Path(tuple(steps), score, relevance, tuple(matching))


JOINING = path(step("Kestrel Observatory", "Voss", 1), step("Voss", "Hollis Institute", 2))
HALF = path(step("Kestrel Observatory", "Voss", 1), score=9.0)


def test_a_path_joins_what_is_named_only_with_both_ends():
    assert joins_what_is_named(JOINING, QUESTION)
    assert not joins_what_is_named(HALF, QUESTION)


def test_a_joining_path_leads_before_one_of_higher_score():
    assert leading_path([HALF, JOINING], QUESTION) is JOINING


def test_otherwise_the_best_of_the_sure_paths_leads():
    four = ("a", "b", "c", "d")
    weak = path(step("A", "B", 3), score=5.0, relevance=0.5, matching=four)
    sure = path(step("A", "C", 4), score=4.0, relevance=0.8, matching=four)
    surer = path(step("A", "D", 5), score=4.1, relevance=0.8, matching=four)
    assert leading_path([weak, sure, surer], "What is it?") is surer


def test_three_terms_are_not_enough():
    three = path(step("A", "B", 3), score=3.0, relevance=1.0, matching=("a", "b", "c"))
    assert leading_path([three], "What is it?") is None


def world():
    text = "Kestrel met Voss. It rained. Voss met Hollis."
    chunk = Chunk(7, 1, 0, text, Span(0, len(text)))
    passage = Passage(chunk, Document(1, "a", "h", "A", text), 1.0)
    spans = [Span(0, 17), Span(18, 28), Span(29, len(text))]
    sentences = [Sentence(0, one, text[one.start : one.end], frozenset()) for one in spans]
    edges = {
        number: Edge(
            number, 1, 2, EdgeType.RELATED_TO, "MET", evidence=(Evidence(7, spans[row], 0.9),)
        )
        for number, row in ((1, 0), (2, 2))
    }
    return sentences, [passage], edges, spans


def test_each_step_gives_the_sentence_that_states_it():
    sentences, passages, edges, _ = world()
    scores = np.array([0.1, 0.9, 0.2], np.float32)
    assert stating_rows(JOINING, sentences, passages, edges=edges, scores=scores) == [0, 2]


def test_a_step_without_evidence_gives_none():
    sentences, passages, edges, _ = world()
    del edges[1]
    scores = np.zeros(3, np.float32)
    assert stating_rows(JOINING, sentences, passages, edges=edges, scores=scores) == [2]


def test_evidence_is_gathered_by_chunk():
    _, _, edges, spans = world()
    assert evidence_spans(JOINING, edges) == {7: [spans[0], spans[2]]}
