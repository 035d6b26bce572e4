"""The passages an answer may quote: what retrieval ranked, read again from the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from clew.core.documents import Chunk, Document, Span
from clew.core.knowledge import Mention, MentionRole
from clew.core.ports import ChunkStore, GraphStore
from clew.core.results import Path, Retrieval

COMMUNITY_SIGNAL = "community"

_RANK_OF_HALF = 4
_ARTICLE = len("The ")


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with its document, its mentions of nodes and why it is here.

    `relevance` is 1 for the passage ranked first and 1/2 for the fifth: scores of different modes
    are on different scales, ranks are not.
    """

    chunk: Chunk
    document: Document
    relevance: float
    signals: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()


def gather_passages(
    retrieval: Retrieval,
    *,
    paths: Sequence[Path],
    chunks: ChunkStore,
    graph: GraphStore,
    limit: int,
) -> list[Passage]:
    """Return the first `limit` results, then the chunks on which `paths` rest, as they are now.

    Summaries of communities stand for the chunks of their sentences, in the one order of scores.
    A chunk that has been removed since, or that the principal may not see, is left out.
    """
    query = retrieval.query
    signals = dict(islice(_ranked_chunks(retrieval), limit))
    resting = (step.chunk for path in paths for step in path.steps)
    ids = list(dict.fromkeys([*signals, *(chunk for chunk in resting if chunk is not None)]))
    found = chunks.chunks(query.collection, ids, principal=query.principal)
    documents = {
        document.id: document
        for document in chunks.documents(
            query.collection,
            ids=sorted({chunk.document for chunk in found}),
            principal=query.principal,
        )
    }
    visible = [chunk for chunk in found if chunk.document in documents]
    mentions: defaultdict[int, list[Mention]] = defaultdict(list)
    for mention in graph.mentions(query.collection, [chunk.id for chunk in visible]):
        mentions[mention.chunk].append(mention)
    rank = {chunk: place for place, chunk in enumerate(ids)}
    return [
        Passage(
            chunk=chunk,
            document=documents[chunk.document],
            relevance=1.0 / (1.0 + rank[chunk.id] / _RANK_OF_HALF),
            signals=signals.get(chunk.id, ("graph",)),
            mentions=tuple(mentions[chunk.id]),
        )
        for chunk in visible
    ]


def _ranked_chunks(retrieval: Retrieval) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each chunk of results and summaries once, by score, with what found it."""
    found = [(result.score, result.id, result.signals) for result in retrieval.results]
    found += [
        (one.score, evidence.chunk, (COMMUNITY_SIGNAL,))
        for one in retrieval.communities
        for evidence in one.community.evidence
    ]
    by_chunk: dict[int, dict[str, None]] = {}
    for _, chunk, signals in sorted(found, key=lambda row: -row[0]):
        by_chunk.setdefault(chunk, {}).update(dict.fromkeys(signals))
    yield from ((chunk, tuple(signals)) for chunk, signals in by_chunk.items())


def opening_nodes(passage: Passage, span: Span) -> frozenset[int]:
    """Return the nodes that the first words of `span` name, an article left aside."""
    return frozenset(
        mention.node
        for mention in passage.mentions
        if mention.role is not MentionRole.TITLE
        and span.start <= mention.span.start <= span.start + _ARTICLE
        and mention.span.start < mention.span.end
    )
