"""The figures as a table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Columns: TypeAlias = Sequence[tuple[str, str]]

COLUMNS: Columns = (
    ("recall@2", "recall@2"),
    ("recall@5", "recall@5"),
    ("recall@10", "recall@10"),
    ("all_gold@5", "all in 5"),
    ("all_gold@8", "all in 8"),
    ("mrr", "MRR"),
)
LATENCIES: Columns = (
    ("p50_ms", "p50 ms"),
    ("p95_ms", "p95 ms"),
    ("p50_ms_without_embedding", "p50 no embed"),
    ("p95_ms_without_embedding", "p95 no embed"),
)


def table(
    outcome: Mapping[str, Any],
    *,
    columns: Columns = COLUMNS,
    latencies: Columns = LATENCIES,
    interval: str = "recall@5",
) -> str:
    """Return a Markdown table, one mode a row, with the index figures above it.

    `columns` and `latencies` pair the name of a figure with its heading. Scores are per cent; the
    one called `interval` carries its 95% interval.
    """
    titles = "with titles" if outcome["titles"] else "without titles"
    index = outcome["index"]
    stages = ", ".join(f"{name} {value:.1f}" for name, value in index["seconds_by_stage"].items())
    corpus = (
        f"{outcome['dataset']}: {outcome['questions']} questions, {outcome['passages']} passages "
        f"{titles}"
    )
    cost = (
        f"index: {index['seconds']:.1f} s{' (earlier run)' if index['reused'] else ''} "
        f"({stages}), {index['passages_per_second']:.1f} passages/s, {index['disk_mb']:.1f} MB "
        f"on disk, peak memory {index['peak_memory_mb']['process']:.0f} MB"
    )
    lines = [
        corpus,
        cost,
        "",
        _row(["mode", *(title for _, title in (*columns, *latencies))]),
        _row(["---"] * (1 + len(columns) + len(latencies))),
    ]
    for mode, values in outcome["modes"].items():
        scores = [_score(name, values, with_interval=name == interval) for name, _ in columns]
        lines.append(_row([mode, *scores, *(f"{values[name]:.1f}" for name, _ in latencies)]))
    return "\n".join(lines) + "\n"


def _score(name: str, values: Mapping[str, Any], *, with_interval: bool) -> str:
    text = f"{100 * values[name]:.1f}"
    if not with_interval:
        return text
    low, high = values["intervals"][name]
    return f"{text} ({100 * low:.1f}-{100 * high:.1f})"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
