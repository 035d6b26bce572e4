"""Links: known names, titles above all, found wherever another document writes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clew.core.batches import GraphBatch
from clew.core.decisions import NO_DECISIONS, Decisions
from clew.core.documents import Chunk, Span
from clew.core.ids import origin_id
from clew.core.knowledge import Mention, MentionRole
from clew.core.ports import ChunkStore, GraphStore
from clew.text.names import name_key
from clew.text.stop_words import STOP_WORDS

MAX_WORDS = 8
MAX_MEANINGS = 3
"""A name of more nodes than this is too ambiguous to link."""

_LINKED = 0.9
"""Confidence of an unambiguous link: as a name in the text, below that of the page itself."""

_PART = re.compile(
    r"\b(?P<initials>(?:\w\.){2,})|(?P<possessive>(?<=\w)['’](?:s\b|(?=\s|$)))|(?P<word>[\w&+#]+)"  # noqa: RUF001
)
_BREAK = re.compile(r"[!?;\n]|(?<=[^\W\d_]{5})\.\s|\.\"|\.”")
_ARTICLES = frozenset(("the", "a", "an"))
_LOOKUP = 20_000


@dataclass(frozen=True, slots=True)
class _Part:
    """One word of a name as `name_key` would write it; `marked` if it has a capital or digit."""

    key: str
    start: int
    end: int
    marked: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row of words that may be a name."""

    key: str
    span: Span


class Linker:
    """Finds names of nodes in chunks. What it finds depends on the names and texts in the store
    alone, so the order in which documents came makes no difference. A name of a merged node is
    linked to that node, and none to a node that `decisions` forbid."""

    def __init__(
        self,
        chunk_store: ChunkStore,
        graph_store: GraphStore,
        *,
        decisions: Decisions = NO_DECISIONS,
    ) -> None:
        self._chunks = chunk_store
        self._graph = graph_store
        self._decisions = decisions

    def link_chunks(self, collection: str, chunks: Sequence[Chunk]) -> tuple[GraphBatch, ...]:
        """Return LINK mentions of all names that the store knows, one batch a source.

        The longest name at a place wins. A name of n nodes links to each with confidence .9/n, and
        of more than three to none. Nodes that the chunk mentions already are left out.
        """
        candidates = [candidate_names(chunk.text) for chunk in chunks]
        known = self._find({item.key for found in candidates for item in found}, collection)
        mentioned: dict[int, set[int]] = {}
        for mention in self._graph.mentions(collection, [chunk.id for chunk in chunks]):
            if mention.role is not MentionRole.LINK:
                mentioned.setdefault(mention.chunk, set()).add(mention.node)
        links: dict[int, list[Mention]] = {}
        for chunk, found in zip(chunks, candidates, strict=True):
            for mention in _links(chunk, found, known):
                if self._decisions.merged.root(mention.node) not in mentioned.get(chunk.id, ()):
                    links.setdefault(chunk.document, []).append(mention)
        return self._batches(collection, links)

    def link_names(
        self, collection: str, keys: Iterable[str], *, except_for: Iterable[int] = ()
    ) -> tuple[GraphBatch, ...]:
        """Return LINK mentions in the chunks that write one of the names, given by `name_key`.

        Each of those chunks is linked anew as a whole. `except_for` names chunks that are linked
        already.
        """
        phrases = sorted({key for key in keys if _linkable(key)})
        holders = self._chunks.find_phrases(collection, phrases)
        skipped = set(except_for)
        found = sorted({chunk for chunks in holders.values() for chunk in chunks} - skipped)
        return self.link_chunks(collection, self._chunks.chunks(collection, found))

    def _find(self, keys: set[str], collection: str) -> dict[str, tuple[int, ...]]:
        ordered = sorted(keys)
        known: dict[str, tuple[int, ...]] = {}
        for start in range(0, len(ordered), _LOOKUP):
            known.update(self._graph.find_names(collection, ordered[start : start + _LOOKUP]))
        standing = {key: self._decisions.standing(key, nodes) for key, nodes in known.items()}
        return {key: nodes for key, nodes in standing.items() if nodes}

    def _batches(
        self, collection: str, links: Mapping[int, list[Mention]]
    ) -> tuple[GraphBatch, ...]:
        documents = self._chunks.documents(collection, ids=sorted(links)) if links else []
        return tuple(
            GraphBatch(origin_id(document.source), mentions=tuple(links[document.id]))
            for document in documents
        )


def candidate_names(text: str) -> list[Candidate]:
    """Return the rows of up to eight words that are written like names, longest first by place.

    A row starts and ends at words that are no stop words or stand beside a marked word, has a
    capital or digit in it and a letter, and does not go beyond a sentence. Stop words alone,
    numbers alone and single lower-case words are no names.
    """
    found: list[Candidate] = []
    for parts in _clauses(text):
        for first, part in enumerate(parts):
            if part.key in _ARTICLES or not _may_start(parts, first):
                continue
            longest = min(len(parts), first + MAX_WORDS)
            for last in range(longest, first, -1):
                row = parts[first:last]
                if any(each.marked for each in row):
                    key = " ".join(each.key for each in row)
                    if _linkable(key):
                        found.append(Candidate(key, Span(row[0].start, row[-1].end)))
    return found


def _may_start(parts: Sequence[_Part], first: int) -> bool:
    """Return whether a name may start here: at a marked word, or right before one ("von Neumann")."""
    following = first + 1 < len(parts) and parts[first + 1].marked
    return parts[first].marked or (following and parts[first].key not in STOP_WORDS)


def _linkable(key: str) -> bool:
    words = key.split()
    if not any(char.isalpha() for char in key) or len(words) > MAX_WORDS:
        return False
    if len(words) == 1 and len(key) < 2:
        return False
    return any(word not in STOP_WORDS for word in words)


def _clauses(text: str) -> Iterator[list[_Part]]:
    """Yield the words of each stretch of text that a name may lie in."""
    start = 0
    for match in (*_BREAK.finditer(text), None):
        end = match.end() if match is not None else len(text)
        parts = list(_parts(text, start, end))
        if parts:
            yield parts
        start = end


def _parts(text: str, start: int, end: int) -> Iterator[_Part]:
    for match in _PART.finditer(text, start, end):
        surface = match.group()
        if match.lastgroup == "possessive":
            continue
        plain = surface.replace(".", "") if match.lastgroup == "initials" else surface
        folded = _fold(plain)
        if folded:
            marked = any(char.isupper() or char.isdigit() for char in surface)
            yield _Part(folded, match.start(), match.end(), marked)


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in folded if not unicodedata.combining(char))


def _links(
    chunk: Chunk, candidates: Sequence[Candidate], known: Mapping[str, tuple[int, ...]]
) -> Iterator[Mention]:
    """Yield the links of the longest names that do not overlap, the first of equals."""
    matches = [item for item in candidates if item.key in known]
    matches.sort(key=lambda item: (-len(item.key.split()), item.span.start))
    taken: list[Span] = []
    seen: set[tuple[int, str]] = set()
    for item in matches:
        if any(item.span.start < span.end and span.start < item.span.end for span in taken):
            continue
        taken.append(item.span)
        nodes = known[item.key]
        if len(nodes) > MAX_MEANINGS:
            continue
        surface = chunk.text[item.span.start : item.span.end]
        for node in nodes:
            if (node, item.key) not in seen:
                seen.add((node, item.key))
                yield Mention(
                    chunk.id,
                    node,
                    surface,
                    name_key(surface),
                    item.span,
                    confidence=_LINKED / len(nodes),
                    role=MentionRole.LINK,
                )
