"""The prompt for an answer: passages as numbered data inside a fence that they cannot close."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clew.reason.display import display_text
from clew.reason.evidence import Passage
from clew.reason.language import AnswerLanguage
from clew.reason.prompt_files import fenced_prompt
from clew.text.sentences import sentence_spans
from clew.text.token_count import estimated_tokens

PROMPT_VERSION = 1
"""Raised with every change of a prompt: answers that are kept name it."""
NOT_ANSWERED = ("not answered", "sem resposta")
"""What the prompts tell the model to write where the passages do not answer, case aside."""
_PATH_LABEL = {AnswerLanguage.ENGLISH: "Path", AnswerLanguage.PORTUGUESE: "Caminho"}
_HARMLESS = str.maketrans({"<": "‹", ">": "›", "[": "(", "]": ")"})  # noqa: RUF001
"""Models' own control marks are written in these: <|im_end|>, [INST]; so are citations."""


@dataclass(frozen=True, slots=True)
class AnswerPrompt:
    """The text for the model, and the passages in it: the first is number 1."""

    text: str
    passages: tuple[Passage, ...]


def answer_prompt(
    question: str,
    passages: Sequence[Passage],
    *,
    language: AnswerLanguage,
    budget: int,
    path: Sequence[str] = (),
) -> AnswerPrompt:
    """Return the prompt with as many passages, in order, as `budget` tokens (estimated) hold.

    The first is cut after a sentence where it alone is too long. Each passage is one line of plain
    text without brackets, and the fence is a hash of what it holds, so that no text in it can end
    it, open a message of its own, or cite. `path` are names and relations of the graph, which come
    from the documents and stand inside as well.
    """
    asked = plain_line(question)
    facts = [f"{_PATH_LABEL[language]}: {plain_line(step)}" for step in path]
    left = budget - estimated_tokens(_filled(language, asked, [])) - _cost(facts)
    if left < 0:
        left, facts = left + _cost(facts), []
    shown: list[Passage] = []
    lines: list[str] = []
    for passage in passages:
        number = len(shown) + 1
        line = _line(number, passage, passage.chunk.text)
        if _cost([line]) > left and not shown:
            line = _cut_line(number, passage, left)
        if not line or _cost([line]) > left:
            break
        left -= _cost([line])
        lines.append(line)
        shown.append(passage)
    return AnswerPrompt(_filled(language, asked, [*lines, *facts]), tuple(shown))


def plain_line(text: str) -> str:
    """Return `text` as one line without markup, invisible characters or brackets of machines."""
    return display_text(text).translate(_HARMLESS)


def says_not_answered(text: str) -> bool:
    """Return whether the model says that the passages do not answer, as the prompts ask it to."""
    words = text.strip(" \n\t*_\"'`.:").casefold()
    return not words or words.startswith(NOT_ANSWERED)


def _line(number: int, passage: Passage, text: str) -> str:
    title = plain_line(passage.document.title)
    return f"[{number}] {title}: {plain_line(text)}" if title else f"[{number}] {plain_line(text)}"


def _cut_line(number: int, passage: Passage, budget: int) -> str:
    """Return the line with as many sentences as `budget` holds, "" where that is none."""
    text = passage.chunk.text
    line = ""
    for span in sentence_spans(text):
        longer = _line(number, passage, text[: span.end])
        if _cost([longer]) > budget:
            break
        line = longer
    return line


def _filled(language: AnswerLanguage, question: str, lines: Sequence[str]) -> str:
    return fenced_prompt(
        "answer",
        PROMPT_VERSION,
        language,
        lines=lines,
        fence="PASSAGES",
        place="passages",
        question=question,
    )


def _cost(lines: Sequence[str]) -> int:
    return sum(estimated_tokens(line) + 1 for line in lines)
