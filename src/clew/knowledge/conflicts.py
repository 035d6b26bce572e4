"""Contradictions within one node: signs that names were merged that are not one thing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import TypeVar

from clew.core.entities import Conflict, ConflictingValue, ConflictKind
from clew.core.knowledge import Edge, Mention, MentionRole, NodeType, Period
from clew.knowledge.single_valued import is_single_valued
from clew.text.names import name_key

SINGLE_VALUED = frozenset(
    {"BORN", "BORN_IN", "BORN_ON", "BORN_AT", "DIED", "DIED_IN", "DIED_ON", "DIED_AT"}
    | {"FOUNDED_IN", "FOUNDED_ON", "INCORPORATED_IN", "HEADQUARTERED_IN", "HAS_CAPITAL"}
)
"""Relations of which a thing has one value at a time, and one date."""

DATED_ONCE = ("BORN", "DIED", "FOUNDED", "INCORPORATED")
"""Beginnings of single-valued relations whose date is a value too: who is born, is born once."""

LEAST_SHARE = 0.2
"""A kind or label counts against the most frequent one from this share of its passages on: below, it
is more likely a slip of the extractor."""

_DENIED = "NOT_"

Value = TypeVar("Value", bound=Hashable)


def find_conflicts(
    node: int,
    mentions: Sequence[Mention],
    edges: Sequence[Edge],
    names: Mapping[int, str],
    *,
    single_valued: frozenset[str] = frozenset(),
) -> tuple[Conflict, ...]:
    """Return what contradicts itself in a node, given its mentions, its live edges and the names of
    their far ends. `single_valued` are stems of relations that have one value besides those here.

    Two dates contradict each other unless one is the year of the other; two values unless one's name
    is a part of the other's ("Flint", "Flint, Michigan") or their periods do not meet.
    """
    told = [mention for mention in mentions if mention.role is MentionRole.TEXT]
    kinds = [m for m in told if m.kind not in (NodeType.DOCUMENT, NodeType.CONCEPT)]
    stated = [edge for edge in edges if edge.source == node and not edge.negated]
    return (
        *_kinds_of(ConflictKind.KIND, kinds, lambda mention: mention.kind.value),
        *_kinds_of(ConflictKind.LABEL, told, lambda mention: mention.label),
        *_dates(stated),
        *_values(stated, names, single_valued),
        *_denials(node, edges, names),
    )


def _kinds_of(
    kind: ConflictKind, mentions: Iterable[Mention], value_of: Callable[[Mention], str | None]
) -> Iterator[Conflict]:
    chunks: dict[str, set[int]] = {}
    for mention in mentions:
        value = value_of(mention)
        if value is not None:
            chunks.setdefault(value, set()).add(mention.chunk)
    most = max(map(len, chunks.values()), default=0)
    kept = {value: held for value, held in chunks.items() if len(held) >= LEAST_SHARE * most}
    if len(kept) > 1:
        ordered = sorted(kept.items(), key=lambda item: (-len(item[1]), item[0]))
        yield Conflict(kind, None, tuple(_value(value, held) for value, held in ordered))


def _dates(edges: Iterable[Edge]) -> Iterator[Conflict]:
    dated: dict[str, dict[datetime, list[int]]] = {}
    for edge in edges:
        moment = edge.period.occurred_at or edge.period.valid_from
        once = next((word for word in DATED_ONCE if edge.relation.startswith(word)), None)
        if moment is not None and once is not None and edge.relation in SINGLE_VALUED:
            dated.setdefault(once, {}).setdefault(moment, []).extend(_chunks(edge))
    for relation, found in sorted(dated.items()):
        clashing = _in_conflict(sorted(found), _same_date)
        if clashing:
            yield Conflict(
                ConflictKind.DATE,
                relation,
                tuple(_value(each.date().isoformat(), found[each]) for each in clashing),
            )


def _values(
    edges: Iterable[Edge], names: Mapping[int, str], single_valued: frozenset[str]
) -> Iterator[Conflict]:
    by_relation: dict[str, list[Edge]] = {}
    for edge in edges:
        single = edge.relation in SINGLE_VALUED or is_single_valued(edge, single_valued)
        if single and edge.target in names:
            by_relation.setdefault(edge.relation, []).append(edge)

    def go_together(first: Edge, second: Edge) -> bool:
        return (
            first.target == second.target
            or _is_part(names[first.target], names[second.target])
            or not _meet(first.period, second.period)
        )

    for relation, found in sorted(by_relation.items()):
        clashing = _in_conflict(sorted(found, key=lambda edge: edge.id), go_together)
        chunks: dict[str, list[int]] = {}
        for edge in clashing:
            chunks.setdefault(names[edge.target], []).extend(_chunks(edge))
        if clashing:
            values = tuple(_value(value, chunks[value]) for value in sorted(chunks))
            yield Conflict(ConflictKind.VALUE, relation, values)


def _denials(node: int, edges: Sequence[Edge], names: Mapping[int, str]) -> Iterator[Conflict]:
    stated = {(edge.source, edge.target, edge.relation): edge for edge in edges if not edge.negated}
    for denied in sorted(edges, key=lambda edge: edge.id):
        relation = denied.relation.removeprefix(_DENIED)
        said = stated.get((denied.source, denied.target, relation))
        if denied.negated and said is not None and _meet(said.period, denied.period):
            other = denied.target if denied.source == node else denied.source
            name = names.get(other, "")
            yield Conflict(
                ConflictKind.DENIAL,
                relation,
                (_value(name, _chunks(said)), _value(f"not {name}", _chunks(denied))),
            )


def _in_conflict(values: Sequence[Value], agree: Callable[[Value, Value], bool]) -> list[Value]:
    """Return the values that contradict another one, in their order."""
    clashing = [pair for pair in combinations(values, 2) if not agree(*pair)]
    found = {value for pair in clashing for value in pair}
    return [value for value in values if value in found]


def _same_date(first: datetime, second: datetime) -> bool:
    """Return whether one date may be the year of the other; a year is kept as its first day."""
    a_year = any((each.month, each.day) == (1, 1) for each in (first, second))
    return first == second or (first.year == second.year and a_year)


def _is_part(first: str, second: str) -> bool:
    one, other = {*name_key(first).split()}, {*name_key(second).split()}
    return one <= other or other <= one


def _meet(first: Period, second: Period) -> bool:
    """Return whether two periods share a moment; what is undated is taken to hold always."""
    starts = [period.occurred_at or period.valid_from for period in (first, second)]
    ends = [period.occurred_at or period.valid_to for period in (first, second)]
    return not any(
        start is not None
        and end is not None
        and (end < start or (end == start and period.occurred_at is None))
        for start, end, period in ((starts[0], ends[1], second), (starts[1], ends[0], first))
    )


def _chunks(edge: Edge) -> list[int]:
    return [found.chunk for found in edge.evidence]


def _value(value: str, chunks: Iterable[int]) -> ConflictingValue:
    return ConflictingValue(value, tuple(sorted(set(chunks))))
