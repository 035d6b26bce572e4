"""Entities, merges and contradictions as text for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.core.decisions import Same
from clew.core.entities import (
    Conflict,
    Count,
    EntityDetails,
    EntityEdge,
    MentioningPassage,
    MergeReport,
    UnmergeReport,
)
from clew.core.ids import format_id
from clew.core.knowledge import Merge, Node
from clew.core.listing import NodeList
from clew.serve.cli.printing import printable

_REASONS = {
    "cosine": "names are alike",
    "normalised": "another spelling",
    "acronym": "the text explains it",
    "title": "the page's title",
    "short name": "short for a person named in full",
}


def list_lines(found: NodeList) -> Iterator[str]:
    """Yield a line for each entity, and how many there are in all."""
    for item in found.nodes:
        node = item.node
        also = f"  (also {printable(', '.join(node.aliases))})" if node.aliases else ""
        yield f"{format_id(node.id)}  {item.mentions:>6}  {_kind(node):<18}  {_name(node)}{also}"
    yield f"{len(found.nodes)} of {found.total}"


def details_lines(found: EntityDetails) -> Iterator[str]:
    """Yield what is known of an entity."""
    yield f"{_name(found.node)}  ({_kind(found.node)}, {format_id(found.node.id)})"
    passages, documents = _number(found.mentions, "passage"), _number(found.documents, "document")
    yield f"{passages} in {documents}, {_number(found.degree, 'edge')}"
    yield from _count_lines("Names", found.names)
    yield from _count_lines("Labels", found.labels)
    yield from _section("Conflicts", map(_conflict_line, found.conflicts))
    yield from _section("Edges", map(_edge_line, found.edges))
    yield from _section("Passages", map(_passage_line, found.passages))
    yield from _section("Why names are one", map(_merge_line, found.merges))
    yield from _section(
        "Decided by a person",
        (
            *(f"{printable(_sides(each))}  ({each.decided_at.date()})" for each in found.same),
            *(
                f"{printable(each.name)!r} is not {printable(each.other_name)!r}"
                f"  ({each.decided_at.date()})"
                for each in found.different
            ),
        ),
    )


def merge_lines(report: MergeReport) -> Iterator[str]:
    """Yield what was merged and what contradicts itself."""
    yield f"{printable(_sides(report.decision))}, called {_name(report.node)}"
    if report.conflicts:
        yield from _section("Conflicts", map(_conflict_line, report.conflicts))
    else:
        yield "No conflicts"


def unmerge_lines(report: UnmergeReport) -> Iterator[str]:
    """Yield what was taken apart."""
    if isinstance(report.decision, Same):
        yield f"Taken back: {printable(_sides(report.decision))}"
    else:
        names = printable(report.decision.name), printable(report.decision.other_name)
        yield f"Decided: {names[0]!r} is not {names[1]!r}"
        yield f"Read again: {_number(len(report.sources), 'document')}"
    for node in (report.node, report.other):
        if node is not None:
            yield f"  {format_id(node.id)}  {_name(node)}"


def _sides(decision: Same) -> str:
    return f"{decision.name!r} is {decision.into_name!r}"


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _name(node: Node) -> str:
    return printable(node.name)


def _kind(node: Node) -> str:
    return node.kind.value if node.label is None else f"{node.kind.value} {printable(node.label)}"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    held = list(lines)
    if held:
        yield title
        yield from (f"  {line}" for line in held)


def _count_lines(title: str, counts: Iterable[Count]) -> Iterator[str]:
    held = [f"{printable(count.value)} ({count.passages})" for count in counts]
    if held:
        yield f"{title}: {', '.join(held)}"


def _conflict_line(conflict: Conflict) -> str:
    about = conflict.kind.value if conflict.relation is None else f"{conflict.relation}"
    values = " or ".join(
        f"{printable(value.value)} ({len(value.chunks)})" for value in conflict.values
    )
    return f"{printable(about)}: {values}"


def _edge_line(edge: EntityEdge) -> str:
    arrow = "→" if edge.forward else "←"
    quoted = " ".join(printable(edge.quotation or "").split())
    said = f'  "{quoted}"' if quoted else ""
    relation = printable(edge.edge.relation)
    return f"{arrow} {relation} {arrow} {printable(edge.other_name)}{said}"


def _passage_line(passage: MentioningPassage) -> str:
    page = f", page {passage.page}" if passage.page is not None else ""
    title = printable(passage.title or passage.source)
    return f"{title}{page}: {printable(passage.snippet)}"


def _merge_line(merge: Merge) -> str:
    reason = _REASONS.get(merge.reason, merge.reason)
    return f"{printable(merge.key)!r}: {printable(reason)} ({merge.score:.2f})"
