"""Cheap models and a fixed clock, so that runs can be counted, killed and compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise

from clew.core.arrays import Matrix
from clew.core.documents import Span
from clew.core.extraction import Extraction, FoundName, StatedClaim, Triple
from clew.core.knowledge import EdgeType, NodeType
from clew.core.ports import Store
from clew.engine.clew import Clew
from clew.engine.components import Components
from clew.settings.model import Settings
from clew.testing.fakes import HashingEmbedder

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

_NAME = re.compile(r"(?:[A-Z][\w.]*)(?: [A-Z][\w.]*)*")
_SENTENCE = re.compile(r"[^.]+\.")
_ALIAS = re.compile(r"((?:[A-Z]\w+ )+)\(([A-Z]{2,})\)")


class CountingEmbedder(HashingEmbedder):
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.passages: list[str] = []
        self.questions: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        self.passages += texts
        return super().embed_passages(texts)

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        self.questions += texts
        return super().embed_passages(texts)


class PatternExtractor:
    """Names are capitalised words in a row; what stands between two of them relates them."""

    fingerprint = "patterns-1"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def extract(
        self,
        texts: Sequence[str],
        *,
        language: str | None,
        titles: Sequence[str | None] = (),
    ) -> Iterator[Extraction]:
        for text in texts:
            self.texts.append(text)
            yield _extraction(text)


def _extraction(text: str) -> Extraction:
    aliases = {short: full.strip() for full, short in _ALIAS.findall(text)}
    names, triples, claims = [], [], []
    for sentence in _SENTENCE.finditer(text):
        span = Span(sentence.start(), sentence.end())
        found = list(_NAME.finditer(text, span.start, span.end))
        for match in found:
            surface = match.group().rstrip(".")
            label = "PERSON" if surface.startswith(("Ada", "Bob", "Cleo")) else "ORG"
            names.append(
                FoundName(
                    surface,
                    Span(match.start(), match.start() + len(surface)),
                    NodeType.ENTITY,
                    label,
                    alias_of=aliases.get(surface),
                )
            )
        for left, right in pairwise(found):
            relation = text[left.end() : right.start()].strip(" ()").upper().replace(" ", "_")
            triples.append(
                Triple(
                    left.group(),
                    relation or "WITH",
                    right.group().rstrip("."),
                    EdgeType.CAUSES if "caus" in relation.lower() else EdgeType.RELATED_TO,
                    span,
                    0.8,
                )
            )
        if found:
            claims.append(StatedClaim(sentence.group(), span, (found[0].group().rstrip("."),)))
    return Extraction(tuple(names), tuple(triples), tuple(claims))


def open_clew(
    store: Store,
    *,
    embedder: HashingEmbedder | None = None,
    extractor: PatternExtractor | None = None,
    settings: Settings | None = None,
    clock: Callable[[], datetime] = lambda: NOW,
    window: int = 64,
) -> Clew:
    """Return a facade over a store with cheap models."""
    return Clew(
        Components(
            store,
            "default",
            settings=settings or Settings(),
            embedder=embedder or CountingEmbedder(),
            extractor=extractor or PatternExtractor(),
            owns_store=False,
        ),
        clock=clock,
        window=window,
    )
