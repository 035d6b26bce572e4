"""What reading documents with a language model would cost."""

from __future__ import annotations

from dataclasses import dataclass

from clew.core.jobs import FileReport
from clew.core.usage import TokenUsage


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, tokens and money that an `add` would take.

    `chunks` are to be extracted, `reused` of them have a first answer that was kept. `likely`
    guesses the length of answers, `at_most` takes the longest that is allowed; neither counts
    repetitions after failures, and second looks may end sooner. Costs are None where the prices
    are not known. `used` says whether the settings have the model extract; `problems` names
    sources that could not be read.
    """

    model: str
    used: bool
    chunks: int
    reused: int
    likely: TokenUsage
    at_most: TokenUsage
    likely_cost: float | None = None
    most_cost: float | None = None
    currency: str = ""
    problems: tuple[FileReport, ...] = ()
