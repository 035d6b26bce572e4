"""Whether the sentences of an answer rest on evidence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verification(StrEnum):
    """What becomes of a model's sentence that no passage supports: kept as it is, kept and marked,
    or left out."""

    OFF = "off"
    MARK = "mark"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """A sentence that a model wrote, how far the passages support it (0..1), and the markers of
    those that do: none where it is not supported."""

    sentence: str
    supported: bool
    support: float
    markers: tuple[int, ...] = ()
