"""Which statement of a single-valued relation stands, and which it supersedes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from clew.core.knowledge import Edge
from clew.text.relations import relation_stem

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Supersession:
    """`older` gives way to `newer`."""

    older: Edge
    newer: Edge


def is_single_valued(edge: Edge, stems: frozenset[str]) -> bool:
    """Return whether an edge states a relation of which `stems` (`relation_stem`) holds the stem.

    What is denied states no value.
    """
    return not edge.negated and relation_stem(edge.relation) in stems


def supersessions(
    edges: Iterable[Edge], published: Mapping[int, datetime]
) -> Iterator[Supersession]:
    """Yield each edge that a newer one of the same subject and relation gives the lie to.

    `edges` are in force and single-valued; `published` holds, by chunk, when its document was
    published. The newest is the one whose period begins last or, without one, whose documents were
    published last; then the one recorded last. Statements with the same object agree, and so do
    those whose periods do not meet: both hold, each in its time.
    """
    ordered = sorted(edges, key=_subject)
    for _, group in groupby(ordered, key=_subject):
        yield from _losers(sorted(group, key=lambda edge: _age(edge, published), reverse=True))


def _subject(edge: Edge) -> tuple[int, str]:
    return edge.source, relation_stem(edge.relation)


def _losers(newest_first: Sequence[Edge]) -> Iterator[Supersession]:
    """Yield the edges that contradict one that stands, with the newest such one."""
    standing: list[Edge] = []
    for edge in newest_first:
        newer = next((held for held in standing if _contradict(held, edge)), None)
        if newer is None:
            standing.append(edge)
        else:
            yield Supersession(edge, newer)


def _age(edge: Edge, published: Mapping[int, datetime]) -> tuple[datetime, datetime, int]:
    begins = edge.period.valid_from or edge.period.occurred_at
    known = [published[found.chunk] for found in edge.evidence if found.chunk in published]
    return begins or max(known, default=_NEVER), edge.recorded_at or _NEVER, edge.id


def _contradict(first: Edge, second: Edge) -> bool:
    return first.target != second.target and not (
        _ends_before(first, second) or _ends_before(second, first)
    )


def _ends_before(first: Edge, second: Edge) -> bool:
    """Return whether a period is known to end before the other begins."""
    end = first.period.valid_to
    begin = second.period.valid_from or second.period.occurred_at
    return end is not None and begin is not None and end <= begin
