"""What a language model was asked and has cost, as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.core.estimate import Estimate
from clew.core.jobs import IngestReport, ModelUse
from clew.core.usage import LedgerEntry, TokenUsage
from clew.serve.cli.printing import printable


def use_lines(use: ModelUse) -> Iterator[str]:
    """Yield calls, tokens and cost of a run, and what of the answers was left out."""
    cost = "" if use.cost is None else f", {use.cost:.4f} {printable(use.currency)}"
    yield f"Model: {printable(use.model)}: {_tokens(use.usage)}, {use.reused} answers reused{cost}"
    if use.dropped:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(use.dropped.items()))
        yield f"Dropped of its answers: {reasons}"


def model_problem_lines(report: IngestReport) -> Iterator[str]:
    """Yield the chunks that a model gave nothing usable about, and why a run ended early."""
    for unit in () if report.model is None else report.model.skipped:
        yield (f"skipped: {printable(unit.source)}: chunk {unit.ordinal}: {printable(unit.reason)}")
    if report.stopped is not None:
        yield (
            f"stopped: {printable(report.stopped)}; what is there can be asked, and the same "
            "command with a new --budget goes on"
        )


def estimate_lines(found: Estimate) -> Iterator[str]:
    """Yield what a run would take, as is likely and at most."""
    yield f"Model: {printable(found.model)}"
    yield f"Chunks to extract: {found.chunks}, {found.reused} of them answered before"
    for name, usage, cost in (
        ("Likely", found.likely, found.likely_cost),
        ("At most", found.at_most, found.most_cost),
    ):
        money = "no prices set" if cost is None else f"{cost:.4f} {printable(found.currency)}"
        yield (
            f"{name}: {usage.calls} calls, {usage.prompt_tokens} prompt and "
            f"{usage.answer_tokens} answer tokens, {money}"
        )


def estimate_problem_lines(found: Estimate) -> Iterator[str]:
    """Yield the sources that could not be read, and are not in the sums."""
    for file in found.problems:
        yield f"{file.outcome.value}: {printable(file.source)}: {printable(file.reason or '')}"


def ledger_lines(ledger: Sequence[LedgerEntry], *, width: int) -> Iterator[str]:
    """Yield a line for each stage and model, and the sum."""
    for entry in ledger:
        yield (
            f"{'Spent on ' + printable(entry.stage):<{width}}{_tokens(entry.usage)}, "
            f"{entry.reused} reused, cost {entry.cost:.4f} ({printable(entry.model)})"
        )
    if len(ledger) > 1:
        whole = sum((entry.usage for entry in ledger), TokenUsage())
        cost = sum(entry.cost for entry in ledger)
        yield f"{'Spent in all':<{width}}{_tokens(whole)}, cost {cost:.4f}"


def _tokens(usage: TokenUsage) -> str:
    about = f" ({usage.estimated} estimated)" if usage.estimated else ""
    return (
        f"{usage.calls} calls{about}, {usage.prompt_tokens} prompt and "
        f"{usage.answer_tokens} answer tokens"
    )
