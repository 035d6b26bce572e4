"""The sentences of a collection that name members of a community, read from the stores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from clew.core.documents import Span
from clew.core.knowledge import Mention, MentionRole
from clew.core.ports import ChunkStore, GraphStore
from clew.knowledge.communities.sentences import Candidate
from clew.text.sentences import sentence_spans
from clew.text.tokens import words

_FEWEST_WORDS = 4
_LONGEST = 500
_MARKUP = ("#", "|", ">", "```", "<")


@dataclass(frozen=True, slots=True)
class Told:
    """What chunks tell of a community: candidate sentences, and the members' names as they
    stand there, with how often."""

    sentences: tuple[Candidate, ...]
    names: dict[int, Counter[str]]


def read_sentences(
    collection: str,
    chunks: Sequence[int],
    *,
    members: frozenset[int],
    edges: Sequence[int],
    languages: Sequence[str | None],
    graph_store: GraphStore,
    chunk_store: ChunkStore,
) -> Told:
    """Return the sentences of `chunks` (`languages` parallel to them) that name a member.

    Where an extractor found claims, others do not count as sentences: headings, captions, lists.
    """
    language = dict(zip(chunks, languages, strict=True))
    mentions = _by_chunk(graph_store.mentions(collection, chunks), members)
    claims: defaultdict[int, list[Span]] = defaultdict(list)
    for claim in graph_store.claims(collection, chunks):
        claims[claim.chunk].append(claim.span)
    stating: defaultdict[int, list[Span]] = defaultdict(list)
    for edge in graph_store.edges(collection, edges):
        for evidence in edge.evidence:
            stating[evidence.chunk].append(evidence.span)
    sentences: list[Candidate] = []
    for chunk in chunk_store.chunks(collection, chunks):
        for span in sentence_spans(chunk.text):
            text = " ".join(chunk.text[span.start : span.end].split())
            named = frozenset(
                mention.node for mention in mentions[chunk.id] if _within(mention.span, span)
            )
            if named and _is_statement(text):
                sentences.append(
                    Candidate(
                        chunk.id,
                        span,
                        text,
                        named,
                        language[chunk.id],
                        claimed=any(_touch(claim, span) for claim in claims[chunk.id]),
                        relates=any(_within(stated, span) for stated in stating[chunk.id]),
                    )
                )
    names: dict[int, Counter[str]] = defaultdict(Counter)
    for held in mentions.values():
        for mention in held:
            if mention.role is not MentionRole.LINK:
                names[mention.node][mention.surface] += 1
    claimed = [sentence for sentence in sentences if sentence.claimed]
    return Told(tuple(claimed or sentences), dict(names))


def _by_chunk(
    mentions: Sequence[Mention], members: frozenset[int]
) -> defaultdict[int, list[Mention]]:
    grouped: defaultdict[int, list[Mention]] = defaultdict(list)
    for mention in mentions:
        if mention.node in members:
            grouped[mention.chunk].append(mention)
    return grouped


def _is_statement(text: str) -> bool:
    return (
        not text.startswith(_MARKUP)
        and not text.endswith("?")
        and len(text) <= _LONGEST
        and len(words(text)) >= _FEWEST_WORDS
    )


def _within(inner: Span, outer: Span) -> bool:
    return inner.start < inner.end and outer.start <= inner.start < outer.end


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
