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


class Verifier(StrEnum):
    """Who says whether a sentence is supported: the alignment with passages, or the language model,
    by the log probability of its yes."""

    ALIGNMENT = "alignment"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """A sentence that a model wrote, how far the passages support it (0..1), and the markers of
    those that do: none where it is not supported. `probability` is how likely the model says yes
    to it when asked, None where it was not, or did not tell."""

    sentence: str
    supported: bool
    support: float
    markers: tuple[int, ...] = ()
    probability: float | None = None
