"""Questions to a language model whose answers are kept: what asks them, and what keeps them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from clew.core.usage import LedgerEntry, TokenUsage

JsonObject = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question, with all that its answer depends on beside the model.

    `stage` is what it is counted under in the ledger; `prompt_version` names the prompt's file and
    version; `subject` is the text that it asks about (`text_subject`): the answer is forgotten
    with it. Without a `schema` the answer is text.
    """

    stage: str
    prompt: str
    prompt_version: str
    subject: str
    max_tokens: int
    schema: JsonObject | None = None

    def key(self, model: str) -> str:
        """Return a hash that is equal for equal questions to one model."""
        parts = [model, self.prompt_version, self.schema, self.max_tokens, self.prompt]
        written = json.dumps(parts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def text_subject(text: str) -> str:
    """Return the subject of a text: a hash, equal for equal texts."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class ModelCalls(Protocol):
    """A language model whose answers are kept before they are used; safe to use from threads."""

    @property
    def model(self) -> str:
        """Name of the model."""
        ...

    @property
    def context_window(self) -> int:
        """Tokens of prompt and answer together."""
        ...

    def answer(
        self, request: ModelRequest, *, check: Callable[[JsonObject], None] | None = None
    ) -> JsonObject:
        """Return the answer: an object that satisfies the schema, or {"text": ...} without one.

        `check` raises UnusableAnswerError for an answer that must not be kept.

        Raises:
            BudgetReachedError: asking could cost more than is left; nothing was sent.
            UnusableAnswerError: what the model gives cannot be used, told its mistake.
            ModelError: the model cannot be asked.
        """
        ...


class Responses(Protocol):
    """Keeps answers of models, and the ledger of what they cost; safe to use from threads."""

    def get(self, collection: str, key: str) -> JsonObject | None:
        """Return a kept answer, None where there is none."""
        ...

    def put(
        self, collection: str, request: ModelRequest, *, model: str, answer: JsonObject
    ) -> None:
        """Keep an answer; it is on disk when this returns."""
        ...

    def forget(self, collection: str, subjects: Sequence[str]) -> int:
        """Erase the answers about some texts; return how many there were."""
        ...

    def forget_stage(self, collection: str, stage: str) -> int:
        """Erase the answers of a stage; return how many there were."""
        ...

    def charge(
        self,
        collection: str,
        *,
        stage: str,
        model: str,
        usage: TokenUsage,
        reused: int = 0,
        cost: float = 0.0,
    ) -> None:
        """Add to the ledger."""
        ...

    def ledger(self, collection: str) -> list[LedgerEntry]:
        """Return the ledger, by stage and model."""
        ...

    def drop(self, collection: str) -> None:
        """Erase all of a collection."""
        ...

    def close(self) -> None:
        """Close what is open; closing twice is allowed."""
        ...
