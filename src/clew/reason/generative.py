"""The answer of a language model: written from the passages, cited and verified by code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

from clew.core.ports import LLM, Embedder
from clew.core.results import Answer, Retrieval
from clew.core.verification import SentenceVerdict, Verification
from clew.reason.alignment import Alignment, align, written_sentences
from clew.reason.citations import number_passages
from clew.reason.draft_stream import DraftStream
from clew.reason.extractive import (
    Examination,
    ExtractiveAnswerer,
    evidence_sources,
    path_quotations,
    path_words,
)
from clew.reason.language import AnswerLanguage, question_language
from clew.reason.model_verification import ModelVerifier
from clew.reason.prompt import AnswerPrompt, answer_prompt, says_not_answered

UNSUPPORTED = {
    AnswerLanguage.ENGLISH: "(not supported by the documents)",
    AnswerLanguage.PORTUGUESE: "(sem apoio nos documentos)",
}
_LARGEST_ANSWER = 2
"""The answer may take half of the window."""
_MARGIN = 64
"""Tokens that the server puts around a prompt."""


class GenerativeAnswerer:
    """Implements `core.ports.Answerer` with a language model.

    Whether the evidence suffices is decided before the model is asked, as the extractive answerer
    decides it; the model may abstain as well. Confidence is the extractive one, times the share of
    the sentences that are supported.

    Args:
        extractive: examines the evidence.
        llm: writes the answer.
        embedder: for the alignment of sentences.
        verify: what becomes of sentences that no passage supports.
        verifier: judges the sentences after the alignment; None leaves it at that.
    """

    def __init__(
        self,
        *,
        extractive: ExtractiveAnswerer,
        llm: LLM,
        embedder: Embedder,
        verify: Verification = Verification.MARK,
        verifier: ModelVerifier | None = None,
    ) -> None:
        self._extractive = extractive
        self._llm = llm
        self._embedder = embedder
        self._verify = verify
        self._verifier = verifier

    def answer(
        self, retrieval: Retrieval, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Return the answer, or an abstention.

        `on_text` is given the model's draft as it is written, without its markers: nothing is cited
        or verified yet. Where no model is asked, it is given the whole text.

        Raises:
            ModelError: the model cannot be asked.
            StoreError: a store cannot be read; no answer is made from a part of the evidence.
        """
        start = perf_counter()
        seen = self._extractive.examine(retrieval)
        if self._extractive.supports(seen):
            prompt, most = self._prompt(retrieval, seen)
            draft = self._draft(prompt.text, most, retrieval.query.temperature, on_text)
            made = self._verified(retrieval, seen, prompt, draft)
        else:
            made = self._extractive.quote(retrieval, seen, answered=False)
            if on_text is not None:
                on_text(made.text)
        elapsed = (perf_counter() - start) * 1000.0
        return replace(made, timings={**retrieval.timings, "answer": elapsed})

    def _prompt(self, retrieval: Retrieval, seen: Examination) -> tuple[AnswerPrompt, int]:
        """Return the prompt and how many tokens the answer may have."""
        query = retrieval.query
        window = self._llm.context_window
        most = max(1, min(query.max_tokens, window // _LARGEST_ANSWER))
        prompt = answer_prompt(
            query.text,
            seen.passages,
            language=question_language(query.text),
            budget=window - most - _MARGIN,
            path=(seen.path.description,) if seen.path is not None else (),
        )
        return prompt, most

    def _draft(
        self,
        prompt: str,
        most: int,
        temperature: float,
        on_text: Callable[[str], None] | None,
    ) -> str:
        if on_text is None:
            return self._llm.complete(prompt, max_tokens=most, temperature=temperature)
        pieces: list[str] = []
        shown = DraftStream(on_text)
        for piece in self._llm.stream(prompt, max_tokens=most, temperature=temperature):
            pieces.append(piece)
            shown.feed(piece)
        shown.end()
        return "".join(pieces)

    def _verified(
        self, retrieval: Retrieval, seen: Examination, prompt: AnswerPrompt, draft: str
    ) -> Answer:
        """Return the draft with citations, or an abstention where nothing of it is left."""
        written = written_sentences(draft, passages=len(prompt.passages))
        if says_not_answered(draft) or not written:
            return replace(
                self._extractive.quote(retrieval, seen, answered=False), model=self._llm.name
            )
        aligned = align(written, prompt.passages, embedder=self._embedder)
        if self._verifier is not None:
            aligned = self._verifier.verify(aligned)
        kept = [one for one in aligned if one.supported or self._verify is not Verification.DROP]
        # Two sentences may rest on one: it is listed once.
        evidence = list(
            {
                (quoted.passage.chunk.id, quoted.span): quoted
                for one in kept
                for quoted in one.evidence
            }.values()
        )
        path = seen.path
        resting = path_quotations(seen, path, evidence)
        markers = number_passages(one.passage.chunk.id for one in [*evidence, *resting])
        verdicts = tuple(_verdict(one, markers) for one in aligned)
        if not kept:
            abstained = self._extractive.quote(retrieval, seen, answered=False)
            return replace(abstained, model=self._llm.name, verdicts=verdicts)
        share = sum(one.supported for one in aligned) / len(aligned)
        question = retrieval.query.text
        return Answer(
            question=question,
            text=self._text(kept, markers, question_language(question)),
            answered=True,
            sources=evidence_sources(seen, path, [*evidence, *resting], markers),
            confidence=share * self._extractive.probability(seen, answered=True),
            reasoning_path=path_words(seen, path, markers),
            retrieval=retrieval,
            timings=retrieval.timings,
            model=self._llm.name,
            verdicts=verdicts,
        )

    def _text(
        self, kept: Sequence[Alignment], markers: dict[int, int], language: AnswerLanguage
    ) -> str:
        text = ""
        for one in kept:
            if one.supported:
                cited = "".join(f"[{number}]" for number in _markers(one, markers))
                shown = f"{one.sentence.text} {cited}"
            elif self._verify is Verification.MARK:
                shown = f"{one.sentence.text} {UNSUPPORTED[language]}"
            else:
                shown = one.sentence.text
            separator = "\n" if one.sentence.opens_line else " "
            text = f"{text}{separator}{shown}" if text else shown
        return text


def _verdict(one: Alignment, markers: dict[int, int]) -> SentenceVerdict:
    return SentenceVerdict(
        one.sentence.text, one.supported, one.support, _markers(one, markers), one.probability
    )


def _markers(one: Alignment, markers: dict[int, int]) -> tuple[int, ...]:
    """Return the markers of the passages that support a sentence; of one left out there are none."""
    found = {markers.get(quoted.passage.chunk.id) for quoted in one.evidence}
    return tuple(sorted(number for number in found if number is not None))
