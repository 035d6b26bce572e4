"""Time: what Clew reads in questions, and what it retrieves and refuses for dated ones.

    python -m benchmarks.temporal [--questions DIR] [--timeqa DIR [--store DIR]] [--json FILE]

`--questions` holds labelled files (TimeQuestions, TIQ, TempQuestions, TempQA-WD): signal and kind
by accuracy and macro F1, and how often the interval is exact where a query states one. Rules were
written with the even rows (`--rows even`); the default reports the odd ones. `--timeqa` holds TimeQA's
human-paraphrased test: its paragraphs are indexed like any documents, weights were chosen on the
even pages (`--half tuning`), and the default reports the odd ones (`--half report`).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import machine_facts
from benchmarks.progress import show_progress
from benchmarks.temporal_questions import figures, load_labelled
from benchmarks.timeqa import half_of, hits, load_pages, refusals
from clew.core.errors import ClewError
from clew.engine.clew import Clew

_ROWS = {"even": slice(0, None, 2), "odd": slice(1, None, 2), "all": slice(None)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.temporal", description=__doc__)
    parser.add_argument("--questions", type=Path, help="folder of temporal-questions")
    parser.add_argument("--rows", choices=_ROWS, default="odd", help="which rows (odd)")
    parser.add_argument("--timeqa", type=Path, help="folder of timeqa-human")
    parser.add_argument("--half", choices=("tuning", "report", "all"), default="report")
    parser.add_argument("--limit", type=int, help="take the first N pages only")
    parser.add_argument("--modes", default="keyword,hybrid")
    parser.add_argument("--store", type=Path, help="keep the index here, or use it again")
    parser.add_argument("--no-refusals", action="store_true", help="do not ask, search only")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args(arguments)
    if given.questions is None and given.timeqa is None:
        parser.error("give --questions, --timeqa or both")
    outcome: dict[str, Any] = {"machine": machine_facts()}
    try:
        if given.questions is not None:
            outcome["questions"] = measure_questions(given.questions, _ROWS[given.rows])
        if given.timeqa is not None:
            outcome["timeqa"] = measure_pages(given)
    except ClewError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(table(outcome))
    if given.json:
        given.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


def measure_questions(folder: Path, rows: slice) -> dict[str, Any]:
    """Return the figures of each labelled file."""
    files = sorted(folder.glob("*.jsonl.gz"))
    return {file.name.split(".")[0]: figures(load_labelled(file)[rows]) for file in files}


def measure_pages(given: argparse.Namespace) -> dict[str, Any]:
    """Index TimeQA's paragraphs, unless the store holds them, and return hits and refusals."""
    pages = load_pages(given.timeqa, limit=given.limit)
    questions = half_of(pages.questions, given.half)
    modes = [mode.strip() for mode in given.modes.split(",") if mode.strip()]
    with tempfile.TemporaryDirectory(prefix="clew-benchmark-") as scratch:
        store = given.store or Path(scratch) / "timeqa.clew"
        with Clew.open(store) as base:
            report = base.add(list(pages.records), progress=show_progress())
            outcome: dict[str, Any] = {
                "half": given.half,
                "paragraphs": len(pages.records),
                "modes": {mode: hits(base, questions, report, mode=mode) for mode in modes},
            }
            if not given.no_refusals:
                outcome["refusals"] = refusals(base, questions, mode=modes[-1])
    return outcome


def table(outcome: dict[str, Any]) -> str:
    """Return the figures for people, in per cent."""
    lines: list[str] = []
    for name, found in outcome.get("questions", {}).items():
        parts = [
            f"{what} {100 * found[what]['accuracy']:.1f} (macro F1 {100 * found[what]['macro_f1']:.1f})"
            for what in ("signal", "kind")
        ]
        if found["intervals"]:
            parts.append(
                f"interval {100 * found['interval_match']:.1f} of {found['intervals']} stated"
            )
        lines.append(f"{name}: {found['questions']} questions, " + ", ".join(parts))
    timed = outcome.get("timeqa")
    if timed is not None:
        for mode, found in timed["modes"].items():
            values = ", ".join(f"hit@{k} {100 * found[f'hit@{k}']:.1f}" for k in (1, 5, 10))
            lines.append(f"timeqa {mode}: {found['questions']} answerable questions, {values}")
        if "refusals" in timed:
            turned = timed["refusals"]
            lines.append(
                f"timeqa refusals: {100 * turned['refused']:.1f} of {turned['unanswerable']} "
                f"unanswerable, {100 * turned['refused_wrongly']:.1f} of {turned['answerable']} "
                "answerable"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
