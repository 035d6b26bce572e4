"""Verification by a language model: how likely it says that the evidence states a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.core.documents import Span
from clew.core.ports import YesNoModel
from clew.reason.alignment import Alignment
from clew.reason.language import question_language
from clew.reason.prompt import plain_line
from clew.reason.prompt_files import fenced_prompt

SUPPORT_VERSION = 1
"""Raised with every change of the prompts."""
YES_NEEDED = 0.5


class ModelVerifier:
    """Asks a language model about each sentence, given the nearest sentences of the passages.

    Where the model tells no probability, the verdict of the alignment stands.

    Args:
        model: the model.
        threshold: the probability of yes from which a sentence counts as supported, 0..1.
    """

    def __init__(self, model: YesNoModel, *, threshold: float = YES_NEEDED) -> None:
        self._model = model
        self._threshold = threshold

    def verify(self, aligned: Sequence[Alignment]) -> list[Alignment]:
        """Return the alignments with the model's verdicts.

        Raises:
            ModelError: the model cannot be asked.
        """
        return [self._verified(one) for one in aligned]

    def _verified(self, one: Alignment) -> Alignment:
        if not one.nearest:
            return one
        evidence = [
            (quoted.passage.document.title, _text(quoted.passage.chunk.text, quoted.span))
            for quoted in one.nearest
        ]
        probability = self._model.yes_probability(support_prompt(one.sentence.text, evidence))
        if probability is None:
            return one
        supported = probability >= self._threshold
        return replace(one, evidence=one.nearest if supported else (), probability=probability)


def support_prompt(statement: str, evidence: Sequence[tuple[str, str]]) -> str:
    """Return the question whether titled sentences state `statement`."""
    lines = [
        f"{plain_line(title)}: {plain_line(text)}" if title else plain_line(text)
        for title, text in evidence
    ]
    return fenced_prompt(
        "support",
        SUPPORT_VERSION,
        question_language(statement),
        lines=lines,
        fence="EVIDENCE",
        place="evidence",
        statement=plain_line(statement),
    )


def _text(text: str, span: Span) -> str:
    return text[span.start : span.end]
