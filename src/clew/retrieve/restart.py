"""Where the guided walk starts: the best passages, the named things, seeds and good paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import Floats, Hits, Ids
from clew.core.results import Path
from clew.retrieve.named_nodes import NamedNodes
from clew.retrieve.walk import Restart

ANCHORS = 2
"""Passages to start from: few, so that what they lead to can rank above the next best passage.
This and the shares below were chosen on hotpotqa-train100 and musique-train100-openie."""

NAMED_SHARE = 0.2
SEED_SHARE = 0.02
PATH_SHARE = 0.02
_GOOD_PATH = 0.5


def restart_at(anchors: Hits, named: NamedNodes, seeds: Hits, paths: Sequence[Path]) -> Restart:
    """Return the restart distribution; a group that is empty leaves its share to the others.

    Within a group mass goes by score: squared for anchors, as it is for the others. Paths of
    relevance .5 and above give theirs to their last node; a seed without score, which the caller
    gave, counts as one that is first by every signal.
    """
    best = paths_ends(paths)
    groups = [
        (NAMED_SHARE, named.ids, named.weights.astype(np.float64)),
        (SEED_SHARE, seeds.ids, np.where(seeds.scores > 0, seeds.scores, 1.0).astype(np.float64)),
        (PATH_SHARE, best.ids, best.scores.astype(np.float64)),
    ]
    used = [(share, ids, mass) for share, ids, mass in groups if len(ids) and mass.sum() > 0]
    chunks = anchors.ids[:ANCHORS]
    chunk_mass = anchors.scores[:ANCHORS].astype(np.float64) ** 2
    node_share = sum(share for share, _, _ in used)
    has_chunks = len(chunks) > 0 and chunk_mass.sum() > 0
    scale = 1.0 if has_chunks or not used else 1.0 / node_share
    if has_chunks:
        chunk_mass *= (1.0 - node_share) / chunk_mass.sum()
    else:
        chunks, chunk_mass = chunks[:0], chunk_mass[:0]
    nodes, mass = _joined([(ids, share * scale * part / part.sum()) for share, ids, part in used])
    return Restart(chunks, chunk_mass.astype(np.float32), nodes, mass)


def paths_ends(paths: Sequence[Path]) -> Hits:
    """Return the last nodes of good paths with the best relevance of each."""
    ends: dict[int, float] = {}
    for path in paths:
        if path.relevance_score >= _GOOD_PATH:
            end = path.steps[-1].target
            ends[end] = max(ends.get(end, 0.0), path.relevance_score)
    return Hits(
        np.fromiter(ends.keys(), np.int64, len(ends)),
        np.fromiter(ends.values(), np.float32, len(ends)),
    )


def _joined(
    groups: list[tuple[Ids, np.ndarray[tuple[int], np.dtype[np.float64]]]],
) -> tuple[Ids, Floats]:
    if not groups:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    ids, row = np.unique(np.concatenate([ids for ids, _ in groups]), return_inverse=True)
    mass = np.bincount(row, weights=np.concatenate([mass for _, mass in groups]))
    return ids, mass.astype(np.float32)
