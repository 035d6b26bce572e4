"""Signal, kind and interval of labelled questions, as `TemporalReasoner` reads them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from clew.core.temporal import TemporalConstraint
from clew.retrieve.temporal import TemporalReasoner

REFERENCE = datetime(2020, 1, 1, tzinfo=UTC)
SIGNALS = {
    "no signal": "none",
    "overlap": "overlap",
    "overpal": "overlap",
    "before": "before",
    "after": "after",
    "start": "start",
    "finish": "finish",
    "ordinal": "ordinal",
    "odinal": "ordinal",
}
KINDS = {
    "explicit": "explicit",
    "implicit": "implicit",
    "ordinal": "ordinal",
    "temp.ans": "temporal_answer",
}
_MOMENT = re.compile(r'xsd:dateTime\(\s*"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})Z?"')
Interval = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question with its labels, the first of several; None where the file gives none."""

    text: str
    signal: str | None
    kind: str | None
    interval: Interval | None = None


def load_labelled(file: Path) -> list[Labelled]:
    """Return the questions of one .jsonl.gz file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [_labelled(json.loads(line)) for line in lines if line.strip()]


def figures(questions: Sequence[Labelled]) -> dict[str, Any]:
    """Return accuracy and macro F1 of signal and kind, and the share of exact intervals."""
    reasoner = TemporalReasoner()
    read = [
        reasoner.extract_temporal_constraints(question.text, reference=REFERENCE)
        for question in questions
    ]
    dated = [
        (question.interval, constraint)
        for question, constraint in zip(questions, read, strict=True)
        if question.interval is not None
    ]
    return {
        "questions": len(questions),
        "signal": scores(
            (question.signal, constraint.signal.value)
            for question, constraint in zip(questions, read, strict=True)
        ),
        "kind": scores(
            (question.kind, constraint.kind.value)
            for question, constraint in zip(questions, read, strict=True)
        ),
        "intervals": len(dated),
        "interval_match": share([_matches(gold, found) for gold, found in dated]),
    }


def scores(pairs: Iterable[tuple[str | None, str]]) -> dict[str, Any]:
    """Return accuracy and macro F1 over the labels that the gold has; unlabelled rows are left out."""
    known = [(gold, found) for gold, found in pairs if gold is not None]
    by_label = {label: f1(known, label) for label in sorted({gold for gold, _ in known})}
    return {
        "accuracy": share([gold == found for gold, found in known]),
        "macro_f1": round(sum(by_label.values()) / max(1, len(by_label)), 4),
        "f1": by_label,
    }


def f1(pairs: Sequence[tuple[str, str]], label: str) -> float:
    """Return 2 TP / (2 TP + FP + FN) of one label."""
    hits = sum(gold == label == found for gold, found in pairs)
    errors = sum((gold == label) != (found == label) for gold, found in pairs)
    return round(2 * hits / (2 * hits + errors), 4) if hits or errors else 0.0


def share(truths: Sequence[bool]) -> float:
    """Return the share of true ones, 0 of none."""
    return round(sum(truths) / len(truths), 4) if truths else 0.0


def _matches(gold: Interval, found: TemporalConstraint) -> bool:
    return (found.start, found.end) == gold


def _labelled(row: Mapping[str, Any]) -> Labelled:
    signals = row.get("Temporal signal", row.get("TEMPORAL_SIGNAL"))
    kinds = row.get("Temporal question type", row.get("Type", row.get("TYPE")))
    return Labelled(
        row.get("Question") or row["TEXT"],
        _first(signals, SIGNALS),
        _first(kinds, KINDS),
        _interval(row.get("SPARQL") or ""),
    )


def _first(labels: str | Sequence[str] | None, names: Mapping[str, str]) -> str | None:
    text = ",".join(labels) if isinstance(labels, list | tuple) else str(labels or "")
    return names.get(text.split(",")[0].strip().casefold())


def _interval(sparql: str) -> Interval | None:
    """Return the interval of a query's date filter: one start of a day and one end of a day."""
    found = {(day, time) for day, time in _MOMENT.findall(sparql)}
    starts = sorted(day for day, time in found if time == "00:00:00")
    ends = sorted(day for day, time in found if time == "23:59:59")
    if len(starts) != 1 or len(ends) != 1 or starts[0] > ends[0]:
        return None
    start, last = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (starts[0], ends[0]))
    return start, last + timedelta(days=1)
