"""Answers of a language model: cited by code, verified, or withheld."""

from __future__ import annotations

import pytest

from clew.core.verification import Verification
from clew.reason.abstention import ABSTAINED_CONFIDENCE
from clew.reason.extractive import ExtractiveAnswerer
from clew.reason.generative import UNSUPPORTED, GenerativeAnswerer
from clew.reason.language import AnswerLanguage
from clew.testing.fakes import HashingEmbedder, ScriptedLLM

GOOD = "Ada Moreau leads Acme."
INVENTED = "Bob Stone founded Acme in 1901."
MARK = UNSUPPORTED[AnswerLanguage.ENGLISH]


@pytest.fixture
def ask(world):
    world.page("Acme", "Acme sells ropes.")
    world.page("Moreau", "Ada Moreau leads Acme. She was born in Porto.")

    def made(*answers, question="Who leads Acme?", verify=Verification.MARK, on_text=None, **given):
        embedder = HashingEmbedder()
        llm = ScriptedLLM(*answers, **given)
        extractive = ExtractiveAnswerer(chunks=world.store, graph=world.store, embedder=embedder)
        answerer = GenerativeAnswerer(
            extractive=extractive, llm=llm, embedder=embedder, verify=verify
        )
        retrieval = world.ask(question)
        return answerer.answer(retrieval, on_text=on_text), llm

    return made


def test_a_sentence_is_cited_by_the_passage_that_supports_it(ask):
    answer, llm = ask(f"{GOOD} [1]")
    assert answer.text == f"{GOOD} [1]"
    assert answer.answered
    assert answer.model == "scripted"
    [source] = answer.sources
    assert (source.marker, source.title, source.snippet) == (1, "Moreau", GOOD)
    assert len(llm.prompts) == 1
    [verdict] = answer.verdicts
    assert (verdict.sentence, verdict.supported, verdict.markers) == (GOOD, True, (1,))


def test_citations_of_passages_that_do_not_exist_are_dropped(ask):
    answer, _ = ask(f"{GOOD} [7][99] 【42】")
    assert answer.text == f"{GOOD} [1]"
    assert {source.marker for source in answer.sources} == {1}


@pytest.mark.parametrize(
    ("verify", "text"),
    [
        (Verification.OFF, f"{GOOD} [1] {INVENTED}"),
        (Verification.MARK, f"{GOOD} [1] {INVENTED} {MARK}"),
        (Verification.DROP, f"{GOOD} [1]"),
    ],
)
def test_what_no_passage_supports_is_kept_marked_or_dropped(ask, verify, text):
    answer, _ = ask(f"{GOOD} [2] {INVENTED} [1]", verify=verify)
    assert answer.text == text
    assert [one.supported for one in answer.verdicts] == [True, False]
    assert answer.verdicts[1].markers == ()
    whole, _ = ask(GOOD, verify=verify)
    assert answer.confidence == pytest.approx(whole.confidence / 2)


def test_nothing_left_is_an_abstention(ask):
    answer, _ = ask(INVENTED, verify=Verification.DROP)
    assert not answer.answered
    assert answer.text.startswith("The collection does not answer this question.")
    assert answer.sources
    assert answer.confidence <= ABSTAINED_CONFIDENCE
    assert [one.sentence for one in answer.verdicts] == [INVENTED]


def test_the_model_may_abstain(ask):
    answer, _ = ask("NOT ANSWERED")
    assert not answer.answered
    assert answer.confidence <= ABSTAINED_CONFIDENCE
    assert answer.model == "scripted"


def test_without_evidence_the_model_is_not_asked(ask):
    told: list[str] = []
    answer, llm = ask(GOOD, question="How deep is the Baltic?", on_text=told.append)
    assert not answer.answered
    assert llm.prompts == []
    assert answer.model is None
    assert told == [answer.text]


def test_the_draft_is_streamed_as_it_is_written(ask):
    told: list[str] = []
    answer, _ = ask(f"{GOOD} [1]", on_text=told.append)
    assert "".join(told) == GOOD
    assert len(told) > 1
    assert answer.text == f"{GOOD} [1]"


def test_prompt_and_answer_fit_the_window(ask):
    _, llm = ask(GOOD, context_window=600)
    assert llm.max_tokens == [300]
    assert len(llm.prompts[0].encode()) / 3 + 300 <= 600
