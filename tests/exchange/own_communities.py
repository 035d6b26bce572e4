"""A community of a collection's own."""

from __future__ import annotations

import numpy as np

from clew.core.batches import CommunityBatch, Vectors
from clew.core.knowledge import Community
from clew.core.ports import Store


def write_community(store: Store) -> Community:
    """Write a community of the first two nodes, and return it."""
    members = tuple(store.node_ids("default")[:2].tolist())
    community = Community(5, 0, "level0_5", members, summary="Two companies.")
    vectors = Vectors(np.array([5], np.int64), np.eye(1, 256, 3, np.float32))
    store.write_communities("default", CommunityBatch((community,), vectors))
    return community
