"""What is told of one entity: names, passages, edges, merges and contradictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.decisions import Decisions
from clew.core.documents import Chunk, Document
from clew.core.entities import (
    Conflict,
    Count,
    EntityDetails,
    EntityEdge,
    MentioningPassage,
)
from clew.core.knowledge import Edge, EdgeType, Mention, MentionRole, Merge, Node, Standing
from clew.core.ports import Store
from clew.core.query import ALL_RIGHTS, EdgeFilter, Principal
from clew.engine.entities.decided import read_decisions
from clew.knowledge.conflicts import find_conflicts

_SURROUNDINGS = 60
_SNIPPET = 160
_MENTIONING = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))
_KNOWLEDGE = EdgeFilter(
    kinds=frozenset(EdgeType) - {EdgeType.MENTIONS}, standings=frozenset(Standing)
)
_ROLES = (MentionRole.TITLE, MentionRole.TEXT, MentionRole.LINK)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The visible rows of a node: mentions with their chunks, and edges with their far ends."""

    node: Node
    mentions: tuple[Mention, ...]
    chunks: Mapping[int, Chunk]
    edges: tuple[Edge, ...]
    names: Mapping[int, str]

    def conflicts(self, single_valued: frozenset[str]) -> tuple[Conflict, ...]:
        """Return what contradicts itself; `single_valued` are stems of relations of one value."""
        return find_conflicts(
            self.node.id, self.mentions, self.edges, self.names, single_valued=single_valued
        )


def gather_evidence(
    store: Store, collection: str, node: Node, *, principal: Principal = ALL_RIGHTS
) -> Evidence:
    """Return the rows of a node that the principal sees."""
    frontier = np.array([node.id], np.int64)
    mentioning = store.expand(
        collection, frontier, edge_filter=_MENTIONING, principal=principal
    ).target.tolist()
    joined = store.expand(collection, frontier, edge_filter=_KNOWLEDGE, principal=principal)
    edges = store.edges(collection, sorted(set(joined.edge.tolist())), principal=principal)
    ends = sorted({node.id, *joined.target.tolist()})
    mentions = tuple(
        mention for mention in store.mentions(collection, mentioning) if mention.node == node.id
    )
    chunks = store.chunks(collection, sorted(set(mentioning)), principal=principal)
    return Evidence(
        node,
        mentions,
        {chunk.id: chunk for chunk in chunks},
        tuple(edges),
        {each.id: each.name for each in store.nodes(collection, ends, principal=principal)},
    )


def entity_details(
    store: Store,
    collection: str,
    node: Node,
    *,
    limit: int,
    principal: Principal,
    single_valued: frozenset[str],
) -> EntityDetails:
    """Return what the principal may see of a node, at most `limit` passages and edges."""
    found = gather_evidence(store, collection, node, principal=principal)
    told = [mention for mention in found.mentions if mention.role is not MentionRole.LINK]
    decisions = read_decisions(store, collection) if principal.groups is None else Decisions()
    group = decisions.merged.group(node.id)
    held_by = {chunk.document for chunk in found.chunks.values()}
    return EntityDetails(
        node=node,
        mentions=len({mention.chunk for mention in found.mentions}),
        degree=len(found.edges),
        documents=len(held_by),
        names=_counts((mention.surface, mention.chunk) for mention in told),
        labels=_counts((m.label, m.chunk) for m in told if m.label is not None),
        kinds=_counts((mention.kind.value, mention.chunk) for mention in told),
        passages=_passages(store, collection, found, limit=limit, principal=principal),
        edges=_edges(store, collection, found, limit=limit, principal=principal),
        merges=_visible_merges(store, collection, node.id, principal),
        same=tuple(each for each in decisions.same if each.node in group),
        different=tuple(
            each for each in decisions.different if {each.node, each.other_node} & group
        ),
        conflicts=found.conflicts(single_valued),
    )


def _counts(uses: Iterable[tuple[str, int]]) -> tuple[Count, ...]:
    """Return values by the number of chunks that use them, ties by value."""
    passages = Counter(value for value, _ in set(uses))
    return tuple(
        Count(value, number)
        for value, number in sorted(passages.items(), key=lambda item: (-item[1], item[0]))
    )


def _passages(
    store: Store, collection: str, found: Evidence, *, limit: int, principal: Principal
) -> tuple[MentioningPassage, ...]:
    """Return the first mention in each chunk: titles first, then texts, then links; surest first."""
    best: dict[int, Mention] = {}
    for mention in sorted(found.mentions, key=_rank):
        if mention.chunk in found.chunks:
            best.setdefault(mention.chunk, mention)
    shown = list(best.values())[:limit]
    ids = sorted({found.chunks[mention.chunk].document for mention in shown})
    documents = {
        document.id: document
        for document in store.documents(collection, ids=ids, principal=principal)
    }
    return tuple(
        _passage(mention, found.chunks[mention.chunk], documents)
        for mention in shown
        if found.chunks[mention.chunk].document in documents
    )


def _rank(mention: Mention) -> tuple[float, ...]:
    role = _ROLES.index(mention.role)
    return role, -mention.confidence, mention.chunk, mention.span.start


def _passage(
    mention: Mention, chunk: Chunk, documents: Mapping[int, Document]
) -> MentioningPassage:
    document = documents[chunk.document]
    start = max(0, mention.span.start - _SURROUNDINGS)
    return MentioningPassage(
        chunk=chunk.id,
        document=document.id,
        title=document.title,
        source=document.source,
        page=chunk.page,
        surface=mention.surface,
        role=mention.role,
        span=mention.span,
        snippet=" ".join(chunk.text[start : start + _SNIPPET].split()),
    )


def _edges(
    store: Store, collection: str, found: Evidence, *, limit: int, principal: Principal
) -> tuple[EntityEdge, ...]:
    ordered = sorted(found.edges, key=lambda edge: (-edge.confidence, edge.relation, edge.id))
    shown = ordered[:limit]
    quoted = _texts(store, collection, shown, principal)
    return tuple(
        EntityEdge(
            edge=edge,
            forward=edge.source == found.node.id,
            other=(other := edge.target if edge.source == found.node.id else edge.source),
            other_name=found.names.get(other, ""),
            quotation=quoted.get(edge.id),
        )
        for edge in shown
    )


def _texts(
    store: Store, collection: str, edges: Sequence[Edge], principal: Principal
) -> dict[int, str]:
    """Return the text of the surest evidence of each edge."""
    surest = {edge.id: edge.evidence[0] for edge in edges if edge.evidence}
    ids = sorted({evidence.chunk for evidence in surest.values()})
    texts = {chunk.id: chunk.text for chunk in store.chunks(collection, ids, principal=principal)}
    return {
        edge: texts[evidence.chunk][evidence.span.start : evidence.span.end]
        for edge, evidence in surest.items()
        if evidence.chunk in texts
    }


def _visible_merges(
    store: Store, collection: str, node: int, principal: Principal
) -> tuple[Merge, ...]:
    merges = store.merges(collection, node=node)
    if principal.groups is None:
        return tuple(merges)
    ids = sorted({merge.chunk for merge in merges})
    seen = {chunk.id for chunk in store.chunks(collection, ids, principal=principal)}
    return tuple(merge for merge in merges if merge.chunk in seen)
