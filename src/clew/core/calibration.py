"""Similarity on a spread scale: measured background maps to 0, identity to 1.

Cosines of many embedders crowd in a narrow band (E5: .7 to 1), while the thresholds of the
reference texts assume a spread scale. Each kind of pair has a background of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from clew.core.arrays import Floats


class PairKind(StrEnum):
    """What is compared with what."""

    QUESTION_PASSAGE = "question_passage"
    QUESTION_NODE = "question_node"
    NAME_NAME = "name_name"


@dataclass(frozen=True, slots=True)
class Calibration:
    """Mean cosine of unrelated pairs, by kind of pair."""

    question_passage: float = 0.0
    question_node: float = 0.0
    name_name: float = 0.0

    def background(self, kind: PairKind) -> float:
        """Return the measured background of a kind of pair."""
        if kind is PairKind.QUESTION_PASSAGE:
            return self.question_passage
        return self.question_node if kind is PairKind.QUESTION_NODE else self.name_name

    def apply(self, cosine: Floats, kind: PairKind) -> Floats:
        """Return `(cosine - background) / (1 - background)`; below 0 means less than unrelated."""
        background = self.background(kind)
        return np.asarray((cosine - background) / (1.0 - background), dtype=np.float32)

    def raw(self, calibrated: float, kind: PairKind) -> float:
        """Return the cosine whose calibrated value is `calibrated`."""
        background = self.background(kind)
        return background + calibrated * (1.0 - background)
