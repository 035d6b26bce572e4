"""Temporal reasoning (guide, part 5.5): constraints of questions, filtering and causal order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from clew.core.documents import Metadata
from clew.core.knowledge import Claim, Edge, EdgeType, Node, Period
from clew.core.results import Result
from clew.core.temporal import TemporalConstraint
from clew.graph.causal_order import causal_sequence
from clew.text.dates import find_periods
from clew.text.temporal_constraints import read_constraint

Dated = TypeVar("Dated", Result, Claim, Edge)

_TIME_PROPERTIES = ("occurred_at", "timestamp", "date", "valid_from", "published_at")
_ORDERING = frozenset({EdgeType.PRECEDES, EdgeType.CAUSES})


@dataclass(frozen=True, slots=True)
class CausalOrder:
    """A path's nodes, each with its edge, in causal order; iterates over the pairs.

    `cycles` holds ids of nodes that precede each other in a circle, `against_time` the pairs whose
    stated order contradicts their dates.
    """

    pairs: tuple[tuple[Node, Edge | None], ...]
    cycles: tuple[tuple[int, ...], ...] = ()
    against_time: tuple[tuple[int, int], ...] = ()

    def __iter__(self) -> Iterator[tuple[Node, Edge | None]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)


def utc_now() -> datetime:
    """Return the present in UTC."""
    return datetime.now(UTC)


class TemporalReasoner:
    """Reads, applies and orders by time. `clock` gives today where no reference date is given."""

    def __init__(self, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._clock = clock

    def extract_temporal_constraints(
        self, query: str, *, reference: datetime | None = None, language: str | None = None
    ) -> TemporalConstraint:
        """Return the constraint in time that a question states (English or Portuguese)."""
        return read_constraint(query, reference=reference or self._clock(), language=language)

    def filter_by_temporal(
        self, results: Sequence[Dated], constraint: TemporalConstraint
    ) -> list[Dated]:
        """Return the results that may hold within the constraint, in order.

        A passage is judged by the dates in its text, an edge or claim by its period. What names no
        date stays, and so does all where the constraint has none.
        """
        if not constraint.dated:
            return list(results)
        return [result for result in results if satisfies(result, constraint)]

    def order_by_causality(self, path: Sequence[Node], edges: Sequence[Edge]) -> CausalOrder:
        """Return the nodes of a path in the order of causes and time, each with its edge.

        `edges[i]` goes with `path[i]`; further ones only tell what precedes what. PRECEDES and
        CAUSES edges (neither negated nor retired) order first, then timestamps: those of a node's
        properties, else of its edge. Cycles and contradictions are reported, not hidden.
        """
        partner = {
            node.id: edges[index] if index < len(edges) else None for index, node in enumerate(path)
        }
        by_id = {node.id: node for node in path}
        found = causal_sequence(
            list(by_id),
            [
                (edge.source, edge.target)
                for edge in edges
                if edge.kind in _ORDERING and not edge.negated and edge.retired_at is None
            ],
            {
                node.id: moment
                for node in path
                if (moment := _timestamp(node, partner[node.id])) is not None
            },
        )
        return CausalOrder(
            tuple((by_id[node], partner[node]) for node in found.nodes),
            found.cycles,
            found.against_time,
        )


def satisfies(result: Result | Claim | Edge, constraint: TemporalConstraint) -> bool:
    """Return whether a result may hold within the constraint."""
    if not isinstance(result, Result):
        return constraint.overlaps(result.period)
    periods = [found.period for found in find_periods(result.content)]
    return not periods or any(map(constraint.overlaps, periods))


def _timestamp(node: Node, edge: Edge | None) -> datetime | None:
    """Return when a node happened: by its own properties, else by its edge's period."""
    stated = _from_properties(node.properties)
    if stated is not None or edge is None:
        return stated
    return _start(edge.period)


def _start(period: Period) -> datetime | None:
    return period.occurred_at or period.valid_from


def _from_properties(properties: Metadata | Mapping[str, object]) -> datetime | None:
    for name in _TIME_PROPERTIES:
        value = properties.get(name)
        if isinstance(value, str):
            try:
                moment = datetime.fromisoformat(value)
            except ValueError:
                continue
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None
