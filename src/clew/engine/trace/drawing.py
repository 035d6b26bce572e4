"""The graph of a trace as static SVG: a column for each hop, passages in the last one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clew.engine.trace.markup import plain
from clew.engine.trace.trace import Trace, TraceNode, TracePassage

COLUMN_LIMIT = 40
"""Boxes in a column; the tables below the drawing name the others, too."""

_WIDTH, _HEIGHT, _GAP, _BETWEEN = 190, 30, 12, 110
_LETTERS = 26


@dataclass(frozen=True, slots=True)
class _Box:
    x: int
    y: int
    css: str
    name: str
    details: str


def drawing(trace: Trace) -> tuple[str, int]:
    """Return the SVG element and how many things and passages it leaves out."""
    columns = _columns(trace)
    boxes: dict[int, _Box] = {}
    left_out = 0
    for place, column in enumerate(columns):
        left_out += max(0, len(column) - COLUMN_LIMIT)
        for row, item in enumerate(column[:COLUMN_LIMIT]):
            x = 10 + place * (_WIDTH + _BETWEEN)
            boxes[item.id] = _box(item, x, 10 + row * (_HEIGHT + _GAP))
    width = 20 + len(columns) * (_WIDTH + _BETWEEN) - _BETWEEN
    height = 20 + max((box.y for box in boxes.values()), default=0) + _HEIGHT
    body = "".join([*_lines(trace, boxes), *map(_drawn, boxes.values())])
    return (
        f'<svg viewBox="0 0 {max(width, 100)} {height}" role="img" '
        f'aria-label="Seeds, expansion, paths and passages">{body}</svg>'
    ), left_out


def _columns(trace: Trace) -> list[list[TraceNode | TracePassage]]:
    """Return things by hop (those without a hop after the last one), then passages by rank."""
    by_hop: dict[int, list[TraceNode | TracePassage]] = defaultdict(list)
    last = max((node.hop for node in trace.nodes if node.hop is not None), default=-1)
    for node in sorted(trace.nodes, key=_importance):
        by_hop[last + 1 if node.hop is None else node.hop].append(node)
    passages: list[TraceNode | TracePassage] = list(trace.passages)
    return [by_hop[hop] for hop in sorted(by_hop)] + ([passages] if passages else [])


def _importance(node: TraceNode) -> tuple[float, float, int]:
    seed = float("inf") if node.seed_rank is None else float(node.seed_rank)
    return seed, -(node.similarity or 0.0), node.id


def _box(item: TraceNode | TracePassage, x: int, y: int) -> _Box:
    if isinstance(item, TracePassage):
        rank = f"{item.rank}. " if item.rank else ""
        css = "cited" if item.markers else "passage"
        return _Box(x, y, css, f"{rank}{item.title or item.source}", item.text)
    facts = [item.name]
    if item.seed_rank is not None:
        facts.append(f"seed {item.seed_rank} by {', '.join(item.signals)}")
    if item.hop:
        facts.append(f"{item.hop} hops from a seed")
    if item.similarity is not None:
        facts.append(f"similarity {item.similarity:.2f}")
    if item.degree is not None:
        facts.append(f"degree {item.degree}{', a hub' if item.hub else ''}")
    css = "seed" if item.seed_rank is not None else "thing"
    return _Box(x, y, css, item.name, "\n".join(facts))


def _drawn(box: _Box) -> str:
    short = box.name if len(box.name) <= _LETTERS else box.name[: _LETTERS - 1] + "…"
    return (
        f'<g class="{box.css}"><title>{plain(box.details)}</title>'
        f'<rect x="{box.x}" y="{box.y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5"/>'
        f'<text x="{box.x + 8}" y="{box.y + 20}">{plain(short)}</text></g>'
    )


def _lines(trace: Trace, boxes: Mapping[int, _Box]) -> Iterator[str]:
    for edge in trace.edges:
        if edge.source in boxes and edge.target in boxes:
            best = " best" if 1 in edge.paths else ""
            words = f"{edge.relation} ({edge.kind}, confidence {edge.confidence:.2f})"
            yield _line(boxes[edge.source], boxes[edge.target], f"edge{best}", words)
    for passage in trace.passages:
        for node in passage.nodes:
            if passage.id in boxes and node in boxes:
                yield _line(boxes[node], boxes[passage.id], "mention", "mentions")


def _line(first: _Box, second: _Box, css: str, words: str) -> str:
    """Return a curve between the facing sides of two boxes; within a column it bows to the right."""
    if first.x > second.x:
        first, second = second, first
    start = first.x + _WIDTH
    end = second.x if second.x > first.x else start
    bend = (start + end) // 2 if end > start else start + _BETWEEN // 2
    up, down = first.y + _HEIGHT // 2, second.y + _HEIGHT // 2
    return (
        f'<path class="{css}" d="M{start} {up} C{bend} {up} {bend} {down} {end} {down}">'
        f"<title>{plain(words)}</title></path>"
    )
