"""Answers, passages, paths and reports as text for people."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from clew.core.documents import Document, DocumentVersion
from clew.core.health import BackupReport, HealthReport, Severity
from clew.core.ids import format_id
from clew.core.jobs import (
    CollectionStatus,
    CommunityReport,
    FileOutcome,
    IngestReport,
    RemovalReceipt,
)
from clew.core.knowledge import Community
from clew.core.metadata_schema import MetadataSchema, SchemaReport
from clew.core.results import Answer, Path, Result, Retrieval, Source
from clew.core.watching import WatchEvent
from clew.serve.cli.contradiction_display import contradiction_lines
from clew.serve.cli.model_display import ledger_lines, model_problem_lines, use_lines
from clew.serve.cli.printing import printable

_SNIPPET = 300
_STALE = " (stale; `clew communities build` renews them)"
_MEGABYTE = 1_000_000


def answer_lines(answer: Answer, *, verbose: bool) -> Iterator[str]:
    """Yield the answer, its numbered sources, the path in words and the confidence."""
    yield printable(answer.text)
    if answer.sources:
        yield ""
        yield "Sources" if answer.answered else "Nearest evidence"
        for _, quoted in groupby(answer.sources, key=attrgetter("marker")):
            yield from _source_lines(list(quoted))
    if answer.reasoning_path:
        yield ""
        yield "Path"
        yield from (f"  {printable(step)}" for step in answer.reasoning_path)
    yield ""
    if answer.contradictions:
        yield from contradiction_lines(answer.contradictions)
        yield ""
    yield f"Confidence {answer.confidence:.2f}"
    yield from _note_lines(answer.retrieval)
    if verbose:
        yield from _verbose_lines(answer.retrieval, answer.timings)


def retrieval_lines(
    retrieval: Retrieval, documents: Mapping[int, Document], *, verbose: bool
) -> Iterator[str]:
    """Yield the ranked passages, each with the document that it stands in, and the best paths."""
    if not retrieval.results and not retrieval.communities:
        yield "No passage matches."
    for rank, result in enumerate(retrieval.results, start=1):
        yield from _result_lines(rank, result, documents.get(result.document))
    if retrieval.communities:
        yield "Communities"
        for found in retrieval.communities:
            yield from community_lines(found.community, score=found.score)
    if retrieval.paths:
        yield "Paths"
        yield from path_lines(retrieval.paths)
    yield from _note_lines(retrieval)
    if verbose:
        yield from _verbose_lines(retrieval, retrieval.timings)


def path_lines(paths: Sequence[Path]) -> Iterator[str]:
    """Yield each path in words, with its number of hops and its confidence."""
    for path in paths:
        surest = min((step.confidence for step in path.steps), default=0.0)
        hops = len(path.steps)
        yield f"  {printable(path.description)}  ({_count(hops, 'hop')}, weakest {surest:.2f})"


def report_lines(report: IngestReport) -> Iterator[str]:
    """Yield what became of the sources, in counts, and what was written."""
    outcomes = Counter(file.outcome for file in report.files)
    known = [f"{outcomes[outcome]} {outcome.value}" for outcome in FileOutcome if outcomes[outcome]]
    yield "Sources: " + (", ".join(known) if known else "none")
    if report.chunks:
        yield (
            f"Written: {_count(report.chunks, 'chunk')}, {_count(report.nodes, 'node')}, "
            f"{_count(report.edges, 'edge')}, {_count(report.claims, 'claim')}, "
            f"{_count(report.merges, 'merge')}"
        )
    if report.model is not None:
        yield from use_lines(report.model)
    if "total" in report.seconds:
        yield f"Seconds: {report.seconds['total']:.1f}"


def problem_lines(report: IngestReport) -> Iterator[str]:
    """Yield failures, omissions and notes, which belong on stderr."""
    for file in report.files:
        if file.outcome in (FileOutcome.FAILED, FileOutcome.SKIPPED):
            yield f"{file.outcome.value}: {printable(file.source)}: {printable(file.reason or '')}"
        for warning in file.warnings:
            yield f"warning: {printable(file.source)}: {printable(warning)}"
    for note in report.notes:
        yield f"note: {printable(note)}"
    yield from model_problem_lines(report)


def watch_line(event: WatchEvent) -> str:
    """Return an event of a watched folder on one line, with the time in front."""
    parts = [event.kind.value, printable(event.source)]
    if event.counts:
        parts.append(", ".join(f"{count} {name}" for name, count in event.counts.items()))
    parts += [printable(text) for text in (event.reason, *event.warnings) if text]
    return f"{event.at:%H:%M:%S} " + ": ".join(part for part in parts if part)


def schema_lines(schema: MetadataSchema | None) -> Iterator[str]:
    """Yield a line for each field of a schema."""
    if schema is None:
        yield "The collection has no schema; any metadata are taken."
        return
    for name, rule in sorted(schema.fields.items()):
        required = ", required" if rule.required else ""
        allowed = f", one of {', '.join(map(str, rule.allowed))}" if rule.allowed else ""
        yield printable(f"{name}: {rule.kind.value}{required}{allowed}")
    yield f"Other fields are {'refused' if schema.refuse_unknown else 'taken as they are'}."


def schema_report_lines(report: SchemaReport) -> Iterator[str]:
    """Yield how many documents break a new schema, and each with what is wrong."""
    broken = len(report.violations)
    yield f"Schema set: {broken} of {_count(report.documents, 'document')} break it."
    for violation in report.violations:
        problems = "; ".join(f"{each.field} {each.problem}" for each in violation.problems)
        yield f"  {printable(violation.source)}: {printable(problems)}"


def status_lines(status: CollectionStatus) -> Iterator[str]:
    """Yield counts and health of a collection."""
    rows = {
        "Collection": printable(status.collection),
        "Documents": status.documents,
        "Chunks": status.chunks,
        "Nodes": status.nodes,
        "Edges": status.edges,
        "Claims": status.claims,
        "Communities": f"{status.communities}{_STALE if status.communities_stale else ''}",
        "Hub from degree": status.degree_hub,
        "Model": status.model or "none yet",
        "Disk": f"{status.disk_bytes / _MEGABYTE:.1f} MB",
        "Generation": f"{status.generation}, {status.overlay_rows} rows since",
    }
    width = max(map(len, rows)) + 2
    yield from (f"{name:<{width}}{value}" for name, value in rows.items())
    for stage, count in status.pending.items():
        yield f"{'Unfinished':<{width}}{count} {stage}; `clew add` without paths finishes them"
    yield from ledger_lines(status.ledger, width=width)


def community_lines(community: Community, *, score: float | None = None) -> Iterator[str]:
    """Yield a community's place, names and size, and its summary."""
    told = "" if score is None else f"  {score:.3f}"
    seen_by = f", for {', '.join(sorted(map(printable, community.acl)))}" if community.acl else ""
    yield (
        f"{community.path}  {printable(community.title)} "
        f"({_count(len(community.members), 'member')}{seen_by}){told}"
    )
    yield from textwrap.wrap(
        printable(community.summary), 96, initial_indent="    ", subsequent_indent="    "
    )
    yield ""


def community_report_lines(report: CommunityReport) -> Iterator[str]:
    """Yield how many communities there are and what was done for them."""
    levels = ", ".join(
        f"{count} on level {level}" for level, count in enumerate(report.communities)
    )
    yield f"Communities: {levels or 'none'}"
    yield (
        f"Summaries: {report.summarised} written, {report.embedded} embedded, "
        f"{report.removed} removed"
    )
    yield f"Seconds: {report.seconds:.1f}"


def receipt_lines(receipt: RemovalReceipt) -> Iterator[str]:
    """Yield what was removed."""
    counts = ", ".join(f"{count} {table}" for table, count in receipt.removed.items() if count)
    yield f"Removed {printable(receipt.source)}: {counts}"
    left = ", ".join(f"{count} of {index}" for index, count in receipt.indexes.items() if count)
    if left:
        yield f"Left the indexes: {left}"


def version_lines(versions: Iterable[DocumentVersion]) -> Iterator[str]:
    """Yield a line for each version, with the times from and to which it stood."""
    for version in versions:
        known = version.recorded_at.isoformat() if version.recorded_at else "unknown"
        until = version.retired_at.isoformat() if version.retired_at else "now"
        yield f"{format_id(version.document)}  {known} to {until}  {printable(version.title)}"


def health_lines(report: HealthReport) -> Iterator[str]:
    """Yield what was mended, each finding with its remedy, and a last line that sums up."""
    yield from (f"mended: {printable(line)}" for line in report.mended)
    for finding in report.findings:
        yield f"{finding.severity.value}: {printable(finding.place)}: {printable(finding.problem)}"
        if finding.remedy:
            yield f"    {printable(finding.remedy)}"
    yield from (f"{name}: {printable(value)}" for name, value in report.facts.items())
    counts = Counter(finding.severity for finding in report.findings)
    found = ", ".join(_count(counts[kind], kind.value) for kind in Severity if counts[kind])
    yield found or "Nothing is wrong."


def backup_lines(done: str, report: BackupReport) -> Iterator[str]:
    """Yield where a backup was written to or restored, and what it holds."""
    rows = report.rows
    yield (
        f"{done}: {printable(report.path)} ({report.bytes / _MEGABYTE:.1f} MB, "
        f"{_count(rows.get('collections', 0), 'collection')}, "
        f"{_count(rows.get('documents', 0), 'document')}, {_count(rows.get('chunks', 0), 'chunk')})"
    )


def document_lines(documents: Iterable[Document]) -> Iterator[str]:
    """Yield a line for each document."""
    for document in documents:
        published = document.published_at.date().isoformat() if document.published_at else "-"
        yield "  ".join(
            (
                format_id(document.id),
                f"{document.language or '-':<3}",
                f"{published:<10}",
                printable(document.source),
                f"({printable(document.title)})",
            )
        )


def _source_lines(quoted: Sequence[Source]) -> Iterator[str]:
    """Yield the passage that a marker stands for, once, and each sentence quoted from it."""
    source = quoted[0]
    page = f", page {source.page}" if source.page is not None else ""
    yield f"[{source.marker}] {printable(source.title)}{page} ({printable(source.source)})"
    for quotation in quoted:
        yield from _quoted(quotation.snippet)


def _result_lines(rank: int, result: Result, document: Document | None) -> Iterator[str]:
    title = printable(document.title) if document else format_id(result.document)
    source = f" ({printable(document.source)})" if document else ""
    signals = f" [{', '.join(result.signals)}]" if result.signals else ""
    yield f"{rank}. {title}{source}  {result.score:.3f}{signals}"
    yield from _quoted(result.content)
    yield ""


def _quoted(text: str) -> list[str]:
    shortened = textwrap.shorten(printable(text), _SNIPPET, placeholder=" ...")
    return textwrap.wrap(shortened, 96, initial_indent="    ", subsequent_indent="    ")


def _note_lines(retrieval: Retrieval) -> Iterator[str]:
    if retrieval.routing is not None:
        chosen = retrieval.routing
        yield f"Mode {chosen.mode.value} ({chosen.confidence:.2f}): {printable(chosen.reason)}"
    yield from (f"Note: {printable(note)}" for note in retrieval.notes)
    yield from (f"Cut short: {printable(part)}" for part in retrieval.partial)


def _verbose_lines(retrieval: Retrieval, timings: Mapping[str, float]) -> Iterator[str]:
    yield ""
    yield "Provenance"
    yield from (f"  {printable(item.annotation)}" for item in retrieval.provenance)
    yield "Milliseconds"
    yield "  " + ", ".join(f"{stage} {value:.1f}" for stage, value in timings.items())


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
