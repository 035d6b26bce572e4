"""Stand-ins for models: small, deterministic and free of downloads.

They let the rest be tested; a result reached with them never counts as proof of quality.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from clew.core.arrays import Matrix
from clew.core.calibration import Calibration
from clew.core.errors import ModelError
from clew.core.ids import stable_id
from clew.text.tokens import terms


class HashingEmbedder:
    """Bags of terms hashed to unit vectors: texts with common terms are near, others are not.

    Each term adds 1 or -1 at one place, both chosen by its hash. A text without terms gets the
    first axis, so that every row is a unit vector.
    """

    def __init__(self, dimensions: int = 256) -> None:
        self._dimensions = dimensions

    @property
    def fingerprint(self) -> str:
        """Name and size: equal fingerprints give equal vectors."""
        return f"hashing-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """Length of each vector."""
        return self._dimensions

    @property
    def calibration(self) -> Calibration:
        """Zeros: unrelated texts have a cosine near 0."""
        return Calibration()

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors, shape (len(texts), dimensions)."""
        matrix = np.zeros((len(texts), self._dimensions), np.float32)
        for row, text in enumerate(texts):
            for term in terms(text):
                place, sign = divmod(stable_id("term", term), 2)
                matrix[row, place % self._dimensions] += 1.0 if sign else -1.0
            if not matrix[row].any():
                matrix[row, 0] = 1.0
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        return matrix

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors, shape (len(texts), dimensions), made as those of passages are."""
        return self.embed_passages(texts)


class ScriptedLLM:
    """Implements `LLM` with answers that are given; keeps what it was asked.

    `yes` gives the probability of yes for a prompt, None where it tells none.
    """

    def __init__(
        self,
        *answers: str,
        context_window: int = 4096,
        yes: Callable[[str], float | None] = lambda _: None,
    ) -> None:
        self._answers = list(answers)
        self._yes = yes
        self._window = context_window
        self.prompts: list[str] = []
        self.max_tokens: list[int] = []

    @property
    def name(self) -> str:
        """Always `scripted`."""
        return "scripted"

    @property
    def context_window(self) -> int:
        """As it was given."""
        return self._window

    def complete(
        self,
        prompt: str,
        *,
        max_tokens: int,
        temperature: float = 0.0,  # noqa: ARG002 - the port's signature
    ) -> str:
        """Return the next answer.

        Raises:
            ModelError: there is none left.
        """
        self.prompts.append(prompt)
        self.max_tokens.append(max_tokens)
        if not self._answers:
            raise ModelError("no answer is left in the script; give one more")
        return self._answers.pop(0)

    def stream(self, prompt: str, *, max_tokens: int, temperature: float = 0.0) -> Iterator[str]:
        """Yield the next answer word by word."""
        answer = self.complete(prompt, max_tokens=max_tokens, temperature=temperature)
        yield from re.findall(r"\S+\s*", answer)

    def complete_json(
        self,
        prompt: str,
        *,
        schema: Mapping[str, object],  # noqa: ARG002
        max_tokens: int,
    ) -> Mapping[str, object]:
        """Return the next answer, which must be JSON; the schema is not checked."""
        found: Mapping[str, object] = json.loads(self.complete(prompt, max_tokens=max_tokens))
        return found

    def yes_probability(self, prompt: str) -> float | None:
        """Return what `yes` gives for the prompt."""
        self.prompts.append(prompt)
        return self._yes(prompt)
