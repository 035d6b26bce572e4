"""Mentions, edges and claims of a document whose names have been given nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from clew.core.documents import Chunk, Span
from clew.core.extraction import Extraction, FoundName, StatedClaim, Triple
from clew.core.ids import edge_id, stable_id
from clew.core.knowledge import Claim, Edge, Evidence, Mention, MentionRole, NodeType
from clew.knowledge.titles import Page
from clew.text.names import name_key

_NOWHERE = Span(0, 0)
_UNLISTED = 0.5


def all_names(chunk: Chunk, extraction: Extraction, page: Page | None) -> list[FoundName]:
    """Return the names of a chunk and those ends of triples that the extractor did not list."""
    names = [name for name in extraction.names if name_key(name.surface)]
    known = {name_key(name.surface) for name in names}
    known.update(map(name_key, page.names) if page is not None else ())
    for triple in extraction.triples:
        for surface in (triple.subject, triple.object):
            key = name_key(surface)
            if key and key not in known:
                known.add(key)
                names.append(_unlisted(chunk, surface, triple))
    return names


def _unlisted(chunk: Chunk, surface: str, triple: Triple) -> FoundName:
    start = chunk.text.find(surface)
    span = Span(start, start + len(surface)) if start >= 0 else triple.span
    proper = any(char.isupper() for char in surface)
    kind = NodeType.ENTITY if proper else NodeType.CONCEPT
    return FoundName(surface, span, kind, confidence=_UNLISTED)


def text_mentions(
    chunk: Chunk, names: Sequence[FoundName], nodes: Mapping[str, int]
) -> Iterator[Mention]:
    """Yield one mention a name, at the node that `nodes` gives its key."""
    for name in names:
        key = name_key(name.surface)
        yield Mention(
            chunk.id,
            nodes[key],
            name.surface,
            key,
            name.span,
            name.kind,
            name.label,
            name.confidence,
        )


def title_mentions(page: Page, chunks: Sequence[Chunk]) -> Iterator[Mention]:
    """Yield that each chunk belongs to the page; the bare title is said once, by the first."""
    for position, chunk in enumerate(chunks):
        for name in page.names if position == 0 else page.names[:1]:
            yield Mention(
                chunk.id,
                page.node,
                name,
                name_key(name),
                _NOWHERE,
                page.kind,
                role=MentionRole.TITLE,
            )


def stated_edges(
    chunk: Chunk, triples: Sequence[Triple], nodes: Mapping[str, int]
) -> Iterator[Edge]:
    """Yield one edge a triple; a triple whose ends are one node states nothing."""
    for triple in triples:
        source = nodes.get(name_key(triple.subject))
        target = nodes.get(name_key(triple.object))
        if source is None or target is None or source == target:
            continue
        yield Edge(
            edge_id(source, target, triple.kind, triple.relation, triple.period.key()),
            source,
            target,
            triple.kind,
            triple.relation,
            triple.confidence,
            negated=triple.negated,
            period=triple.period,
            evidence=(Evidence(chunk.id, triple.span, triple.confidence),),
        )


def joined_edges(edges: Iterator[Edge]) -> tuple[Edge, ...]:
    """Return one edge an id with the evidence of all, and the highest confidence."""
    joined: dict[int, Edge] = {}
    for edge in edges:
        known = joined.get(edge.id)
        if known is None:
            joined[edge.id] = edge
        elif edge.evidence[0] not in known.evidence:
            joined[edge.id] = replace(
                known,
                confidence=max(known.confidence, edge.confidence),
                evidence=known.evidence + edge.evidence,
            )
    return tuple(joined.values())


def node_claims(
    chunk: Chunk, claims: Sequence[StatedClaim], nodes: Mapping[str, int]
) -> Iterator[Claim]:
    """Yield the claims of a chunk with their subjects as nodes."""
    for claim in claims:
        subjects = (nodes.get(name_key(surface)) for surface in claim.subjects)
        yield Claim(
            stable_id("claim", chunk.id, claim.span.start, claim.span.end),
            chunk.id,
            claim.text,
            claim.span,
            tuple(dict.fromkeys(node for node in subjects if node is not None)),
            claim.period,
            claim.status,
            claim.confidence,
        )
