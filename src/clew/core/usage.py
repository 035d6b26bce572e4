"""What calls of a language model cost, what they may cost, and who counts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from clew.core.ports import LLM

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Calls and tokens; `estimated` counts the calls whose server gave no number of tokens, so that
    theirs are estimates."""

    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    estimated: int = 0

    @property
    def tokens(self) -> int:
        """Return tokens of prompts and answers together."""
        return self.prompt_tokens + self.answer_tokens

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.answer_tokens + other.answer_tokens,
            self.estimated + other.estimated,
        )

    def __sub__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            self.calls - other.calls,
            self.prompt_tokens - other.prompt_tokens,
            self.answer_tokens - other.answer_tokens,
            self.estimated - other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in `currency`; None: not known, which is not the same as 0."""

    prompt: float | None = None
    answer: float | None = None
    currency: str = "USD"

    @property
    def known(self) -> bool:
        """Return whether both prices are given."""
        return self.prompt is not None and self.answer is not None

    def cost(self, usage: TokenUsage) -> float | None:
        """Return the money for some tokens, None where a price is not known."""
        if self.prompt is None or self.answer is None:
            return None
        return (usage.prompt_tokens * self.prompt + usage.answer_tokens * self.answer) / _MILLION


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may cost: tokens of prompts and answers together, and money; None: no limit."""

    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What a stage of the work has cost with one model since the collection was made.

    `reused` counts answers that were kept from earlier and cost nothing; `cost` is money by the
    prices that stood in the settings when the calls were made, 0 where there were none.
    """

    stage: str
    model: str
    usage: TokenUsage
    reused: int = 0
    cost: float = 0.0


class Meter(Protocol):
    """Admits and counts single requests to a model, each repetition by itself."""

    def admit(self, at_most: TokenUsage) -> None:
        """Let a request pass that costs so much at most.

        Raises:
            BudgetReachedError: it could cost more than is left.
        """
        ...

    def settle(self, at_most: TokenUsage, used: TokenUsage) -> None:
        """Count what an admitted request has cost."""
        ...


@runtime_checkable
class Meterable(Protocol):
    """A language model that can be asked through a meter."""

    def metered(self, meter: Meter) -> LLM:
        """Return the same model, each of whose requests goes through `meter`."""
        ...
