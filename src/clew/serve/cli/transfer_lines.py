"""Reports of export, import and re-embedding as text for people."""

from __future__ import annotations

from collections.abc import Iterator

from clew.core.transfer import ExportReport, ImportReport, ReembedReport
from clew.serve.cli.printing import printable


def export_lines(report: ExportReport) -> Iterator[str]:
    """Yield where it lies, and rows by table."""
    yield f"Wrote {printable(report.path)} ({report.format.value})"
    yield from (f"  {table:<12} {count:>10,}" for table, count in report.rows.items())


def import_lines(report: ImportReport) -> Iterator[str]:
    """Yield what came in, by table."""
    yield f"Read {printable(report.path)} ({report.format.value}) in {report.seconds:.1f} s"
    yield from (f"  {table:<12} {count:>10,}" for table, count in report.rows.items())
    if report.replaced:
        yield f"Replaced {report.replaced} documents that were there in another version"


def import_problem_lines(report: ImportReport) -> Iterator[str]:
    """Yield what was left out, by reason, and how what was ambiguous was read."""
    yield from (f"left out: {count:,} {reason}" for reason, count in report.left_out.items())
    yield from (f"note: {printable(note)}" for note in report.notes)


def reembed_lines(report: ReembedReport) -> Iterator[str]:
    """Yield which model is in force now, and what was done."""
    if report.before == report.after:
        yield f"The vectors are already those of {printable(report.after)}"
        return
    yield f"Vectors are now those of {printable(report.after)} ({report.dimensions} dimensions)"
    yield (
        f"  {report.chunks:,} passages, {report.nodes:,} names, {report.communities:,} summaries "
        f"in {report.seconds:.1f} s"
    )
    if report.reused:
        yield f"  {report.reused:,} of them had been made by an interrupted run"
