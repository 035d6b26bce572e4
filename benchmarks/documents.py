"""What becomes of real files: outcome, words and reading order, by the code that `clew add` runs.

    python -m benchmarks.documents --data DIR [--json FILE]

DIR holds `manifest.jsonl`, whose rows name a file, the outcome that is expected of it and, for
some, a password and a reference in Markdown. Every file is added in one call of `Clew.add` that
knows the passwords; before that, those that need one are added without it and must be refused.
Embedding and extraction are stand-ins, since only reading is measured; `seconds` is the time from
one file of the report to the next, the start of a worker process included in the first.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

from benchmarks.column_openings import COLUMN_OPENINGS
from benchmarks.document_scores import openings_of, order_score, word_f1
from benchmarks.machine import machine_facts
from clew.core.jobs import FileReport, IngestReport, Progress
from clew.engine.clew import Clew
from clew.settings.model import ExtractionSettings, Settings
from clew.stores.memory import MemoryStore
from clew.testing.fakes import HashingEmbedder

TEXT = "text"
_NO_TEXT = "no-text-layer"
_EXPECTED: Mapping[str, frozenset[str]] = {
    "text": frozenset({TEXT}),
    "no-text-layer": frozenset({_NO_TEXT}),
    "password": frozenset({TEXT, _NO_TEXT}),
    "may-fail": frozenset({TEXT, _NO_TEXT, "damaged", "password", "empty"}),
    "fail-cleanly": frozenset({"empty"}),
}
_REFUSED = "password"


@dataclass(frozen=True, slots=True)
class Added:
    """Reports, texts and seconds by path, of one call of `add`."""

    reports: Mapping[str, FileReport]
    texts: Mapping[str, str]
    seconds: Mapping[str, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.documents", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of manifest.jsonl")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args(arguments)
    outcome = {"machine": machine_facts(), "files": measure(given.data)}
    sys.stdout.write(report(outcome["files"]))  # type: ignore[arg-type]
    if given.json:
        text = json.dumps(outcome, indent=2, ensure_ascii=False)
        given.json.write_text(text + "\n", encoding="utf-8")
    return 0


def measure(data: Path) -> list[dict[str, Any]]:
    """Return a row for each file of the manifest in `data`."""
    lines = (data / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    paths = {row["file"]: (data / row["file"]).resolve() for row in rows}
    secrets = {paths[row["file"]].as_posix(): row["password"] for row in rows if row["password"]}
    refused = add(secrets, passwords={})
    added = add([path.as_posix() for path in paths.values()], passwords=secrets)
    return [judged(row, paths[row["file"]].as_posix(), added, refused, data) for row in rows]


def add(paths: Iterable[str], *, passwords: Mapping[str, str]) -> Added:
    """Add files to an empty collection."""
    seconds: dict[str, float] = {}
    last = perf_counter()

    def tick(progress: Progress) -> None:
        nonlocal last
        if progress.stage == "parse":
            now = perf_counter()
            seconds[progress.detail], last = now - last, now

    settings = Settings(extraction=ExtractionSettings(enabled=False))
    with Clew.open(
        "unused.clew", settings=settings, store=MemoryStore(), embedder=HashingEmbedder()
    ) as clew:
        report: IngestReport = clew.add(*map(Path, paths), passwords=passwords, progress=tick)
        texts = {held.source: held.text for held in clew.documents()}
    return Added({file.source: file for file in report.files}, texts, seconds)


def judged(
    row: Mapping[str, Any], path: str, added: Added, refused: Added, data: Path
) -> dict[str, Any]:
    """Return what became of one file, held against what the manifest says."""
    outcome = outcome_of(added.reports[path])
    without = outcome_of(refused.reports[path]) if path in refused.reports else None
    text = added.texts.get(path, "")
    reference = (
        (data / row["reference_md"]).read_text(encoding="utf-8")
        if row.get("reference_md")
        else None
    )
    order = order_score(text, openings(Path(path).name, reference))
    allowed = _EXPECTED[row["expect"]] | ({"empty"} if is_blank(Path(path)) else set())
    return {
        "file": row["file"],
        "category": row["category"],
        "expected": row["expect"],
        "outcome": outcome,
        "without_password": without,
        "as_expected": outcome in allowed and without in {None, _REFUSED},
        "f1": None if reference is None else round(word_f1(text, reference), 4),
        "order": None if order is None or order.tau is None else round(order.tau, 4),
        "order_found": None if order is None else round(order.found, 4),
        "seconds": round(added.seconds[path], 4),
        "reason": added.reports[path].reason,
        "warnings": list(added.reports[path].warnings),
    }


def outcome_of(file: FileReport) -> str:
    """Return "text", or the word for why there is none."""
    return TEXT if file.document is not None else str(file.code)


def is_blank(path: Path) -> bool:
    """Return whether a file that has bytes holds only blanks, and so no text to index."""
    data = path.read_bytes()
    return bool(data) and not data.strip()


def openings(name: str, reference: str | None) -> Sequence[str]:
    """Return openings in reading order: noted by eye, or those of the reference's paragraphs."""
    if name in COLUMN_OPENINGS:
        return COLUMN_OPENINGS[name]
    return () if reference is None else openings_of(reference)


def report(files: Sequence[Mapping[str, Any]]) -> str:
    """Return the figures as text: what is not as expected, means by category, and the summary."""
    lines = [
        f"not as expected: {row['file']}: {row['outcome']} ({row['reason']})"
        for row in files
        if not row["as_expected"]
    ]
    lines.append("| category | files | as expected | F1 | reading order | seconds |")
    lines.append("|---|---|---|---|---|---|")
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in files:
        groups[row["category"]].append(row)
    for category, rows in sorted(groups.items()):
        lines.append(_table_row(category, rows))
    lines.append(_table_row("all", files))
    met = sum(row["as_expected"] for row in files)
    lines.append(f"{met} of {len(files)} files end as expected ({met / len(files):.1%})")
    return "\n".join(lines) + "\n"


def _table_row(category: str, rows: Sequence[Mapping[str, Any]]) -> str:
    met = sum(row["as_expected"] for row in rows)
    figures = [_mean(row["f1"] for row in rows), _mean(row["order"] for row in rows)]
    seconds = sum(row["seconds"] for row in rows)
    return f"| {category} | {len(rows)} | {met} | {' | '.join(figures)} | {seconds:.2f} |"


def _mean(values: Iterable[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{mean(known):.3f} ({len(known)})" if known else ""


if __name__ == "__main__":
    raise SystemExit(main())
