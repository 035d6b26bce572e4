"""Ranked things, costed paths and rings as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.core.algorithms import CostedPaths, RankedNode, RingForm, Rings
from clew.core.ids import format_id
from clew.serve.cli.printing import printable


def rank_lines(nodes: Iterable[RankedNode]) -> Iterator[str]:
    """Yield a line for each ranked thing."""
    for node in nodes:
        label = f"  {printable(node.label)}" if node.label else ""
        yield f"{node.score:.6f}  {format_id(node.id)}  {printable(node.name)}{label}"


def costed_lines(found: CostedPaths) -> Iterator[str]:
    """Yield a line for each path, then what was cut short."""
    for item in found:
        yield f"{item.probability:.4f}  cost {item.cost:.3f}  {printable(item.path.description)}"
    yield from (f"Note: {note}." for note in found.partial)


def ring_lines(found: Rings) -> Iterator[str]:
    """Yield a line for each ring, then what was cut short."""
    for ring in found:
        arrow = " -> " if ring.form is RingForm.CYCLE else ", "
        members = arrow.join(printable(name) for name in ring.names)
        yield (
            f"{ring.form.value}  {len(ring.members)} members  density {ring.density:.2f}  "
            f"confidence {ring.confidence:.2f}  {members}"
        )
    yield from (f"Note: {note}." for note in found.partial)
