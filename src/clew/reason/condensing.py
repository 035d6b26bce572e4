"""Follow-ups made full questions: by rules alone, or by a language model that rules hold in check."""

from __future__ import annotations

from collections.abc import Sequence

from clew.core.chat_port import NameReader
from clew.core.conversation import Turn
from clew.core.ports import LLM
from clew.reason.follow_up import full_question, leans_on_history
from clew.reason.language import AnswerLanguage, question_language
from clew.reason.prompt import plain_line
from clew.reason.prompt_files import fenced_prompt
from clew.text.name_phrases import name_phrases
from clew.text.sentences import sentence_spans
from clew.text.token_count import estimated_tokens
from clew.text.tokens import folded_words

CONDENSE_VERSION = 1
"""Raised with every change of the prompts."""
_MOST_WORDS = 60
_ANSWER_TOKENS = 128
_MARGIN = 64
_LONGEST_ANSWER = 600
"""Characters of each earlier answer that the model is shown."""
_ASKED = {AnswerLanguage.ENGLISH: "Question", AnswerLanguage.PORTUGUESE: "Pergunta"}
_TOLD = {AnswerLanguage.ENGLISH: "Answer", AnswerLanguage.PORTUGUESE: "Resposta"}


class RuleCondenser:
    """Implements `Condenser` without a model: see `reason.follow_up`."""

    def condense(self, question: str, history: Sequence[Turn], *, names: NameReader) -> str:
        """Return the full question, from the last turn that still stands."""
        last = _last(history)
        if last is None or not leans_on_history(question, names):
            return question
        return full_question(question, last, names)


class ModelCondenser:
    """Implements `Condenser` with a language model.

    The model is asked only where the question leans on what was said before. What it writes is
    taken if it is one line of at most 60 words that names nothing but what the conversation and
    the question name; otherwise the rules decide.

    Args:
        llm: the model.
        share: the part of the model's window that the conversation may take, 0..1; the newest
            turns are shown.
    """

    def __init__(self, llm: LLM, *, share: float = 0.5) -> None:
        self._llm = llm
        self._share = share
        self._rules = RuleCondenser()

    def condense(self, question: str, history: Sequence[Turn], *, names: NameReader) -> str:
        """Return the full question.

        Raises:
            ModelError: the model cannot be asked.
        """
        if _last(history) is None or not leans_on_history(question, names):
            return question
        window = self._llm.context_window
        budget = int(window * self._share) - _ANSWER_TOKENS - _MARGIN
        prompt = condense_prompt(question, history, budget=budget)
        if prompt is not None:
            most = max(1, min(_ANSWER_TOKENS, window // 4))
            written = _line(self._llm.complete(prompt, max_tokens=most))
            if _is_faithful(written, question, history):
                return written
        return self._rules.condense(question, history, names=names)


def condense_prompt(question: str, history: Sequence[Turn], *, budget: int) -> str | None:
    """Return the prompt with as many of the newest turns as `budget` tokens hold, None where not
    even the last one fits. Turns are plain lines inside a fence that they cannot close."""
    language = question_language(question)
    asked = plain_line(question)
    left = budget - estimated_tokens(_filled(language, asked, []))
    shown: list[str] = []
    for turn in reversed(history):
        if turn.withdrawn:
            continue
        lines = [f"{_ASKED[language]}: {plain_line(turn.asked)}"]
        if turn.answered:
            lines.append(f"{_TOLD[language]}: {plain_line(_beginning(turn.answer))}")
        left -= sum(estimated_tokens(line) + 1 for line in lines)
        if left < 0:
            break
        shown = [*lines, *shown]
    return _filled(language, asked, shown) if shown else None


def _beginning(answer: str) -> str:
    """Return the first sentences of an answer, as many as the limit holds."""
    kept = ""
    for span in sentence_spans(answer):
        if span.end > _LONGEST_ANSWER and kept:
            break
        kept = answer[: span.end]
    return kept[: 2 * _LONGEST_ANSWER]


def _last(history: Sequence[Turn]) -> Turn | None:
    return next((turn for turn in reversed(history) if not turn.withdrawn), None)


def _line(text: str) -> str:
    """Return the first line that says something, without quotes and a label before it."""
    lines = [line.strip(" \t*_`\"'“”") for line in text.strip().splitlines()]
    line = next((one for one in lines if one), "")
    for label in ("full question:", "pergunta completa:"):
        if line.casefold().startswith(label):
            line = line[len(label) :].strip(" \t*_`\"'“”")
    return line


def _is_faithful(written: str, question: str, history: Sequence[Turn]) -> bool:
    """Return whether a rewritten question is of a sane length and brings in no name or number."""
    said = folded_words(written)
    if not said or len(said) > max(_MOST_WORDS, 2 * len(folded_words(question))):
        return False
    known = set(folded_words(question))
    for turn in history:
        if not turn.withdrawn:
            known.update(folded_words(turn.asked), folded_words(turn.answer))
    new = [word for name in name_phrases(written) for word in folded_words(name)]
    new += [word for word in said if any(char.isdigit() for char in word)]
    return known.issuperset(new)


def _filled(language: AnswerLanguage, question: str, turns: Sequence[str]) -> str:
    return fenced_prompt(
        "condense",
        CONDENSE_VERSION,
        language,
        lines=turns,
        fence="CONVERSATION",
        place="turns",
        question=question,
    )
