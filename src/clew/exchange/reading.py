"""What every importer gives: documents with what is said in them, then edges, merges, communities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from clew.core.batches import Vectors
from clew.core.documents import Chunk, Document, Stage
from clew.core.knowledge import Claim, Community, Edge, Mention, Merge, Statement
from clew.core.transfer import ImportFormat


@dataclass(frozen=True, slots=True)
class ImportedDocument:
    """A document with its chunks, the stage each had reached, and what they mention and claim.

    `vectors` holds those that came along; they count only if the reader's `embedder` is ours.
    """

    document: Document
    chunks: tuple[Chunk, ...]
    stages: Mapping[int, Stage]
    mentions: tuple[Mention, ...] = ()
    claims: tuple[Claim, ...] = ()
    vectors: Vectors | None = None


@dataclass(slots=True)
class LeftOut:
    """Counts what could not be taken over, by reason, and keeps notes once."""

    reasons: Counter[str] = field(default_factory=Counter)
    notes: dict[str, None] = field(default_factory=dict[str, None])

    def count(self, reason: str, many: int = 1) -> None:
        """Count what is left out for a reason."""
        if many:
            self.reasons[reason] += many

    def note(self, text: str) -> None:
        """Keep a note once."""
        self.notes.setdefault(text)


class Reader(Protocol):
    """One read of an export. `documents` comes first; each iterator is used once."""

    @property
    def format(self) -> ImportFormat:
        """What is read."""
        ...

    @property
    def facts(self) -> Mapping[str, str]:
        """What the export says of the models that made it, empty where it says nothing of ours."""
        ...

    @property
    def left_out(self) -> LeftOut:
        """What could not be taken over so far."""
        ...

    def documents(self) -> Iterator[ImportedDocument]:
        """Yield documents, by source where the export knows one."""
        ...

    def edges(self) -> Iterator[tuple[Edge, tuple[Statement, ...]]]:
        """Yield each edge with all that it rests on."""
        ...

    def merges(self) -> Iterator[Merge]:
        """Yield the merge log."""
        ...

    def communities(self) -> Sequence[Community]:
        """Return communities with their summaries."""
        ...
