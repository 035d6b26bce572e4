"""Reranking by a language model: how likely it says yes, this passage helps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import Template

import numpy as np

from clew.core.arrays import Floats
from clew.core.errors import ModelError
from clew.core.ports import YesNoModel
from clew.text.fencing import harmless_line
from clew.text.token_count import estimated_tokens

RELEVANCE_VERSION = 1
_MARGIN = 64


class LLMReranker:
    """Implements `Reranker` with the yes/no log probability of a language model, 0..1.

    One call a passage. A passage that does not fit the model's window is cut at its end.

    Args:
        model: the language model; its endpoint must give log probabilities.
    """

    def __init__(self, model: YesNoModel) -> None:
        self._model = model

    def score(self, question: str, passages: Sequence[str]) -> Floats:
        """Return shape (len(passages),).

        Raises:
            ModelError: the model cannot be asked, or gives no log probabilities.
        """
        return np.array([self._score(question, passage) for passage in passages], np.float32)

    def _score(self, question: str, passage: str) -> float:
        found = self._model.yes_probability(self._prompt(question, passage))
        if found is None:
            raise ModelError(
                f"language model {self._model.name!r} tells no log probabilities of yes and no; "
                "set rerank.kind to another reranker"
            )
        return found

    def _prompt(self, question: str, passage: str) -> str:
        asked, shown = harmless_line(question), harmless_line(passage)
        bare = _template().substitute(question=asked, passage="")
        room = self._model.context_window - estimated_tokens(bare) - _MARGIN
        kept = shown.encode()[: max(0, room) * 3].decode(errors="ignore")
        return _template().substitute(question=asked, passage=kept)


@cache
def _template() -> Template:
    place = resources.files("clew.models.prompts") / f"relevance_{RELEVANCE_VERSION}.txt"
    return Template(place.read_text(encoding="utf-8"))
