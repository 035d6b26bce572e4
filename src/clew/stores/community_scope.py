"""Which communities may be shown: those whose evidence lies in scope to the last sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from clew.core.arrays import Booleans, Floats, Hits, Ids, Matrix, empty_hits
from clew.core.errors import StoreError
from clew.core.knowledge import Community
from clew.core.query import Principal

InScope: TypeAlias = Callable[[Ids], Booleans]
"""`ChunkStore.in_scope`, bound to everything but the chunks."""

_LOOK_AT = 64


@dataclass(frozen=True, slots=True)
class SummaryVectors:
    """Unit vectors of summaries with whom they are for, row by row: `matrix` (n, dimensions)."""

    ids: Ids
    acls: Sequence[frozenset[str]]
    matrix: Matrix


def visible_communities(
    found: Sequence[Community], *, principal: Principal, in_scope: InScope
) -> list[Community]:
    """Return the communities that the principal may see, in their order."""
    allowed = [community for community in found if principal.may_see(community.acl)]
    flags = evidence_in_scope(allowed, in_scope)
    return [community for community, flag in zip(allowed, flags, strict=True) if flag]


def evidence_in_scope(communities: Sequence[Community], in_scope: InScope) -> Booleans:
    """Return for each community whether all chunks of its evidence are in scope, shape (n,)."""
    chunks = np.unique(
        np.array([row.chunk for one in communities for row in one.evidence], np.int64)
    )
    shown = set(chunks[in_scope(chunks)].tolist()) if len(chunks) else set()
    return np.array(
        [all(row.chunk in shown for row in one.evidence) for one in communities], np.bool_
    )


def nearest_communities(
    held: SummaryVectors,
    vector: Floats,
    *,
    limit: int,
    principal: Principal,
    read: Callable[[Sequence[int]], Sequence[Community]],
    in_scope: InScope,
) -> Hits:
    """Return the visible communities in scope of highest cosine, ties by id.

    They are read, and their scope is looked up, from the best downwards until `limit` have passed.

    Raises:
        StoreError: `vector` differs in dimensions from those held.
    """
    if not len(held.ids) or limit <= 0:
        return empty_hits()
    if held.matrix.shape[1] != len(vector):
        raise StoreError(
            f"a vector has {len(vector)} dimensions, those of the collection's communities have "
            f"{held.matrix.shape[1]}; use the model that the collection was made with"
        )
    scores = np.asarray(held.matrix @ np.asarray(vector, np.float32), np.float32)
    order = np.lexsort((held.ids, -scores)).tolist()
    ranked = [row for row in order if principal.may_see(held.acls[row])]
    kept: list[int] = []
    for start in range(0, len(ranked), _LOOK_AT):
        rows = {int(held.ids[row]): row for row in ranked[start : start + _LOOK_AT]}
        found = read(list(rows))
        flags = evidence_in_scope(found, in_scope)
        passed = {rows[one.id] for one, flag in zip(found, flags, strict=True) if flag}
        kept += [row for row in rows.values() if row in passed]
        if len(kept) >= limit:
            break
    return Hits(held.ids[kept[:limit]], scores[kept[:limit]])
