"""Nodes and edges as pure aggregates of the rows that they rest on.

A store keeps mentions and statements, each with the origin that it came from; what a node or an
edge is follows from its rows alone, so that removing rows can leave nothing behind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from clew.core.documents import Span
from clew.core.knowledge import (
    Edge,
    Evidence,
    Mention,
    MentionRole,
    Node,
    Standing,
    Statement,
)

_STANDING_RANK = {Standing.ASSUMED: 2, Standing.REPORTED: 1, Standing.INFERRED: 0}
_NO_SPAN = Span(0, 0)


def statements_of(edge: Edge, origin: int) -> list[Statement]:
    """Return the rows that an edge of a `GraphBatch` adds to the store.

    One for each evidence; without evidence one for the word of the origin, unless the edge is
    reported or is written to be retired: those change the edge's own columns only.
    """
    if edge.evidence:
        return [
            Statement(
                edge.id,
                origin,
                found.chunk,
                found.span,
                found.confidence,
                edge.standing,
                recorded_at=edge.recorded_at,
            )
            for found in edge.evidence
        ]
    if edge.standing is Standing.REPORTED or edge.retired_at is not None:
        return []
    return [
        Statement(
            edge.id,
            origin,
            None,
            _NO_SPAN,
            edge.confidence,
            edge.standing,
            recorded_at=edge.recorded_at,
        )
    ]


def recorded_edges(edges: Iterable[Edge], recorded_at: datetime | None) -> tuple[Edge, ...]:
    """Return edges of which those without a time of their own have that of their batch."""
    if recorded_at is None:
        return tuple(edges)
    return tuple(
        edge if edge.recorded_at is not None else replace(edge, recorded_at=recorded_at)
        for edge in edges
    )


def earlier(known: datetime | None, written: datetime | None) -> datetime | None:
    """Return the first of two times of one row; None, since ever, where either is unknown."""
    return None if known is None or written is None else min(known, written)


def establishes(mention: Mention) -> bool:
    """Return whether the mention keeps its node alive: every role but LINK does."""
    return mention.role is not MentionRole.LINK


def aggregate_node(
    node: int, mentions: Iterable[Mention], *, community: str | None = None
) -> Node | None:
    """Return the node that the mentions make, None where they keep none alive.

    The name is the most frequent surface (ties: longest, then alphabetical), the other surfaces
    are aliases in order; kind and label are the most frequent (ties: alphabetical).
    """
    living = [mention for mention in mentions if establishes(mention)]
    if not living:
        return None
    surfaces = Counter(mention.surface for mention in living)
    name = min(surfaces, key=lambda surface: (-surfaces[surface], -len(surface), surface))
    kinds = Counter(mention.kind for mention in living)
    labels = Counter(mention.label for mention in living if mention.label is not None)
    return Node(
        id=node,
        name=name,
        kind=min(kinds, key=lambda kind: (-kinds[kind], kind.value)),
        label=min(labels, key=lambda label: (-labels[label], label)) if labels else None,
        aliases=tuple(sorted(surface for surface in surfaces if surface != name)),
        community=community,
    )


def aggregate_edge(head: Edge, statements: Sequence[Statement]) -> Edge | None:
    """Return the edge that the statements make, None where there are none.

    `head` gives what no row carries: ends, kind, relation, negation, period, and `retired_at` only
    where a newer statement superseded the edge. Confidence is the highest and standing the
    strongest (assumed, reported, inferred) of the rows in force; evidence is ordered by
    confidence, chunk and span. When every row is retired, those rows count, and the edge is
    retired since the last of them was, if it was not superseded before.
    """
    if not statements:
        return None
    force = [row for row in statements if row.retired_at is None]
    rows = force or list(statements)
    retirements = [row.retired_at for row in rows if row.retired_at is not None]
    return replace(
        head,
        confidence=max(row.confidence for row in rows),
        standing=max((row.standing for row in rows), key=_STANDING_RANK.__getitem__),
        retired_at=head.retired_at or max(retirements, default=None),
        evidence=_evidence(rows),
    )


def merged_head(known: Edge | None, written: Edge) -> Edge:
    """Return the columns that an edge has after it is written again: the newest, but first
    `recorded_at`."""
    if known is None or known.recorded_at is None:
        return written
    if written.recorded_at is None:
        return replace(written, recorded_at=known.recorded_at)
    return replace(written, recorded_at=min(known.recorded_at, written.recorded_at))


def standing_successor(
    edge: int, superseded_by: int | None, successors: Mapping[int, int | None]
) -> int | None:
    """Return what supersedes `edge` once the edges of `successors` have lost their evidence.

    Each of those passes what it superseded on to what superseded it, None: to nothing.
    """
    seen = {edge}
    while superseded_by is not None and superseded_by in successors and superseded_by not in seen:
        seen.add(superseded_by)
        superseded_by = successors[superseded_by]
    return None if superseded_by in seen else superseded_by


def hub_threshold(degrees: Sequence[int]) -> int:
    """Return the smallest degree of the top tenth (rounded up) of all nodes, at least 1."""
    if not degrees:
        return 1
    top = -(-len(degrees) // 10)
    return max(1, sorted(degrees, reverse=True)[top - 1])


def _evidence(rows: Iterable[Statement]) -> tuple[Evidence, ...]:
    found = [Evidence(row.chunk, row.span, row.confidence) for row in rows if row.chunk is not None]
    return tuple(
        sorted(
            found,
            key=lambda item: (-item.confidence, item.chunk, item.span.start, item.span.end),
        )
    )
