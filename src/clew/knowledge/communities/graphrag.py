"""`GraphRAGExtractor`: communities of a collection with summaries and vectors (guide, part 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.core.batches import CommunityBatch, Vectors, no_vectors
from clew.core.ids import stable_id
from clew.core.knowledge import Community, Evidence
from clew.core.ports import ChunkStore, Embedder, GraphStore
from clew.graph.leiden import hierarchical_leiden
from clew.knowledge.communities.collection_graph import (
    CollectionGraph,
    community_edges,
    read_collection,
)
from clew.knowledge.communities.drafts import (
    Audience,
    Drafts,
    sentence_texts,
    title_of,
)
from clew.knowledge.communities.groups import Group, former_labels, group_communities

SUMMARY_VERSION = 1
"""Raised whenever summaries of the same evidence change: all are then written anew."""

LEVELS = 2


@dataclass(frozen=True, slots=True)
class ExtractedCommunities:
    """All communities of a collection now, and the batch that makes the stored ones equal them.

    `summarised` counts those written anew, `embedded` the texts that went through the model.
    """

    communities: tuple[Community, ...]
    batch: CommunityBatch
    modularity: float
    summarised: int
    embedded: int


class GraphRAGExtractor:
    """Finds communities with Leiden and summarises them from what their documents say.

    One community is written once for each distinct acl among its sources. What has the same
    members and evidence as a stored one keeps its summary and vector.
    """

    def __init__(
        self,
        *,
        graph: GraphStore,
        chunks: ChunkStore,
        embedder: Embedder,
        levels: int = LEVELS,
        seed: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._graph = graph
        self._chunks = chunks
        self._embedder = embedder
        self._levels = levels
        self._seed = seed
        self._progress = progress

    def extract_communities(self, subgraph: str, *, afresh: bool = False) -> ExtractedCommunities:
        """Return the communities of the collection `subgraph`; nothing is written.

        The search starts from the stored communities, so that a small change moves little;
        `afresh` forgets them, and the result depends on nothing but the graph and the seed.

        Raises:
            StoreError: the collection cannot be read.
        """
        stored = {} if afresh else {one.id: one for one in self._graph.communities(subgraph)}
        content = read_collection(subgraph, graph=self._graph, chunks=self._chunks)
        hierarchy = hierarchical_leiden(
            community_edges(content),
            levels=self._levels,
            seed=self._seed,
            former=former_labels(list(stored.values()), content.nodes, levels=self._levels),
        )
        drafts = Drafts(
            subgraph, content, group_communities(content, hierarchy), self._graph, self._chunks
        )
        found = self._communities(drafts, stored)
        vectors, embedded = self._vectors(subgraph, found, stored)
        kept = {one.id for one in found}
        return ExtractedCommunities(
            communities=tuple(found),
            batch=CommunityBatch(
                tuple(one for one in found if stored.get(one.id) != one),
                vectors,
                None if afresh else tuple(one for one in stored if one not in kept),
            ),
            modularity=hierarchy.modularity,
            summarised=sum(one.id not in stored for one in found),
            embedded=embedded,
        )

    def _communities(self, drafts: Drafts, stored: dict[int, Community]) -> list[Community]:
        found: list[Community] = []
        ids: dict[tuple[int, frozenset[str]], int] = {}
        for place, group in enumerate(drafts.groups):
            for number in np.unique(drafts.content.acl[group.chunks]).tolist():
                audience = drafts.audience(number)
                members = tuple(drafts.weights(group, audience))
                if not members:
                    continue
                identifier = _identity(drafts, group, audience, members)
                ids[place, audience.acl] = identifier
                parent = None if group.parent is None else ids.get((group.parent, audience.acl))
                known = stored.get(identifier)
                found.append(
                    replace(known, path=group.path, parent=parent)
                    if known
                    else _summarised(drafts, place, audience, members, identifier, parent)
                )
            if self._progress is not None:
                self._progress(place + 1, len(drafts.groups))
        return found

    def _vectors(
        self, collection: str, found: Sequence[Community], stored: dict[int, Community]
    ) -> tuple[Vectors, int]:
        """Return the vectors of what is new, and how many texts had to be embedded for them."""
        new = [one for one in found if one.summary and one.id not in stored]
        if not new:
            return no_vectors(self._embedder.dimensions), 0
        held = np.array([one.id for one in stored.values() if one.summary], np.int64)
        vectors = self._graph.community_vectors(collection, held)
        known = {
            embedded_text(stored[identifier]): vector
            for identifier, vector in zip(held.tolist(), vectors, strict=True)
            if vector.any()
        }
        lacking = sorted({embedded_text(one) for one in new} - known.keys())
        if lacking:
            known |= dict(zip(lacking, self._embedder.embed_passages(lacking), strict=True))
        return (
            Vectors(
                np.array([one.id for one in new], np.int64),
                np.stack([known[embedded_text(one)] for one in new]).astype(np.float32),
            ),
            len(lacking),
        )


def embedded_text(community: Community) -> str:
    """Return what is embedded for a community: its title, a newline and its summary."""
    return f"{community.title}\n{community.summary}"


def _identity(drafts: Drafts, group: Group, audience: Audience, members: tuple[int, ...]) -> int:
    """Return an id that is the same as long as level, acl, members and evidence are.

    Evidence is the chunks that the audience may see and the relations between members.
    """
    content: CollectionGraph = drafts.content
    relations = content.relations
    rows = group.relations
    return stable_id(
        "community",
        SUMMARY_VERSION,
        group.level,
        *sorted(audience.acl),
        "members",
        *sorted(members),
        "chunks",
        *np.sort(content.chunks[drafts.chunks(group, audience)]).tolist(),
        "edges",
        *np.sort(relations.edge[rows]).tolist(),
    )


def _summarised(
    drafts: Drafts,
    place: int,
    audience: Audience,
    members: tuple[int, ...],
    identifier: int,
    parent: int | None,
) -> Community:
    draft = drafts.draft(place, audience)
    group = drafts.groups[place]
    return Community(
        id=identifier,
        level=group.level,
        path=group.path,
        members=members,
        parent=parent,
        # A title stands or falls with the evidence that is checked whenever it is shown.
        title=title_of(members, draft.names) if draft.chosen else "",
        summary=sentence_texts(draft.chosen),
        evidence=tuple(
            Evidence(one.candidate.chunk, one.candidate.span, one.worth) for one in draft.chosen
        ),
        acl=audience.acl,
    )
