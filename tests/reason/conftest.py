"""A small world in memory: pages that know of each other, written as the engine writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from clew.core.documents import Chunk
from clew.core.knowledge import Edge, MentionRole
from clew.core.query import ALL_RIGHTS, Principal, Query
from clew.core.results import Path, Result, Retrieval
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, Filed, filed, mention, say, write

Ask = Callable[..., Retrieval]


class World:
    """A memory store with pages and a way to ask: every page is a result, in order of writing."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.pages: dict[str, Filed] = {}

    def page(self, title: str, *texts: str, names: Sequence[str] = (), **about: object) -> Filed:
        """Write a page titled `title` whose chunks are `texts`, and mentions of `names` in it."""
        page = filed(f"{title}.md", *texts, title=title, **about)  # type: ignore[arg-type]
        write(self.store, page)
        mentions = [
            mention(chunk, name, start=chunk.text.index(name))
            for chunk in page.chunks
            for name in names
            if name in chunk.text
        ]
        titles = [mention(chunk, title, role=MentionRole.TITLE) for chunk in page.chunks if title]
        say(self.store, page, *mentions, *titles)
        self.pages[title] = page
        return page

    def state(self, page: Filed, *edges: Edge) -> None:
        """Write what a page states."""
        say(self.store, page, *edges)

    def chunks(self) -> list[Chunk]:
        """Return all chunks in order of writing."""
        return [chunk for page in self.pages.values() for chunk in page.chunks]

    def ask(
        self,
        question: str,
        *,
        chunks: Sequence[Chunk] | None = None,
        paths: Sequence[Path] = (),
        signals: tuple[str, ...] = ("vector", "keyword"),
        principal: Principal = ALL_RIGHTS,
    ) -> Retrieval:
        """Return what retrieval would: chunks in the order given, the first best."""
        ranked = self.chunks() if chunks is None else chunks
        return Retrieval(
            query=Query(question, collection=MAIN, principal=principal),
            results=tuple(
                Result(chunk.id, chunk.document, chunk.text, 1.0 / rank, signals=signals)
                for rank, chunk in enumerate(ranked, start=1)
            ),
            paths=tuple(paths),
            timings={"search": 1.0},
        )


@pytest.fixture
def world() -> World:
    return World()
