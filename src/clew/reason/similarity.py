"""How near sentences of passages are to questions or statements, on the calibrated scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import Floats, Matrix
from clew.core.calibration import PairKind
from clew.core.ports import Embedder
from clew.reason.evidence import Passage


def calibrated_similarity(
    embedder: Embedder, texts: Sequence[str], titled: Sequence[tuple[Passage, str]]
) -> Matrix:
    """Return calibrated cosines in 0..1, shape (len(texts), len(titled)).

    `titled` are sentences with their passages: each is led by its document's title, which a page
    rarely repeats.
    """
    if not texts or not titled:
        return np.zeros((len(texts), len(titled)), np.float32)
    passages = [f"{passage.document.title}\n{text}".lstrip("\n") for passage, text in titled]
    vectors = embedder.embed_passages(passages)
    cosine = embedder.embed_questions(list(texts)) @ vectors.T
    calibrated = embedder.calibration.apply(cosine, PairKind.QUESTION_PASSAGE)
    return np.asarray(np.clip(calibrated, 0.0, 1.0), np.float32)


def question_similarity(
    embedder: Embedder, question: str, titled: Sequence[tuple[Passage, str]]
) -> Floats:
    """Return calibrated cosines of one question, shape (len(titled),)."""
    row: Floats = calibrated_similarity(embedder, [question], titled)[0]
    return row
