"""What calls of a language model cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Calls and tokens; `estimated` counts the calls whose server gave no number of tokens, so that
    theirs are estimates."""

    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    estimated: int = 0

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.answer_tokens + other.answer_tokens,
            self.estimated + other.estimated,
        )
