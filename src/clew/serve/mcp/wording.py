"""What the tools return as text: short lines, with sources under their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clew.core.graph_views import Neighbours, TimelineEntry
from clew.core.jobs import IngestReport
from clew.core.knowledge import Community
from clew.core.results import Answer, Path, Source

_NONE = "Nothing was found."


def answer_text(answer: Answer) -> str:
    """Return an answer with its sources below, under the numbers that stand in it."""
    parts = [answer.text]
    if answer.reasoning_path:
        parts.append("Path:\n" + "\n".join(answer.reasoning_path))
    if answer.sources:
        head = "Sources:" if answer.answered else "Nearest passages:"
        parts.append("\n".join([head, *(_source_line(source) for source in answer.sources)]))
    return "\n\n".join(parts)


def passages_text(rows: Sequence[tuple[int, str, str, str]], paths: Iterable[Path]) -> str:
    """Return passages (rank, title, source, text) with the paths below."""
    if not rows:
        return _NONE
    told = [f"[{rank}] {_titled(title, source)}\n{text}" for rank, title, source, text in rows]
    ways = paths_text(paths, none="")
    return "\n\n".join([*told, f"Paths:\n{ways}"] if ways else told)


def paths_text(paths: Iterable[Path], *, none: str = "They are not connected within that.") -> str:
    """Return each path in words."""
    return "\n".join(path.description for path in paths) or none


def neighbours_text(found: Neighbours) -> str:
    """Return each edge in words, with what states it."""
    lines = [f"{found.node.name}: {found.degree} edges"]
    for one in found.neighbours:
        arrow = f"→ {one.edge.relation} →" if one.forward else f"← {one.edge.relation} ←"
        said = f': "{one.quotation}"' if one.quotation else ""
        lines.append(f"{arrow} {one.node.name} ({one.edge.confidence:.2f}){said}")
    return "\n".join(lines)


def communities_text(communities: Iterable[Community]) -> str:
    """Return title and summary of each."""
    told = [f"{one.path}: {one.title}\n{one.summary}" for one in communities]
    return "\n\n".join(told) or "There are none yet; they are built when one is asked for."


def timeline_text(entries: Iterable[TimelineEntry]) -> str:
    """Return one line for each entry."""
    lines = []
    for entry in entries:
        until = f" to {entry.until.date()}" if entry.until else ""
        lines.append(f"{entry.at.date()}{until}: {entry.text}")
    return "\n".join(lines) or "Nothing is dated."


def report_text(report: IngestReport) -> str:
    """Return one line for each source, then the counts."""
    lines = [
        f"{file.outcome.value}: {file.source}" + (f" ({file.reason})" if file.reason else "")
        for file in report.files
    ]
    counts = f"{report.chunks} passages, {report.nodes} things, {report.edges} edges"
    return "\n".join([*lines, counts, *report.notes])


def _source_line(source: Source) -> str:
    page = f", page {source.page}" if source.page is not None else ""
    return f'[{source.marker}] {_titled(source.title, source.source)}{page}: "{source.snippet}"'


def _titled(title: str, source: str) -> str:
    return f"{title} ({source})" if title and title != source else source
