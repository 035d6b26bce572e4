"""Text recognition (OCR) by RapidOCR, whose ONNX models come with its package; extra `ocr`."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from functools import cache
from statistics import median
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from clew.core.errors import MissingExtraError
from clew.ingest.parsers.ocr_layout import Box, in_reading_order
from clew.ingest.parsers.pdf_lines import Line

Pixels: TypeAlias = NDArray[np.uint8]

LONGEST_SIDE = 2000
"""Pixels; the engine makes larger pictures smaller, so there is no use in more."""

_LEAST_SCORE = 0.5
_FONT_SHARE = 0.8
_CLEARLY_LARGER = 1.4
_ONE_AT_A_TIME = threading.Lock()


class _Recognised(Protocol):
    """What the engine gives: corners of shape (n, 4, 2), texts and scores, None where nothing."""

    boxes: NDArray[np.float32] | None
    txts: Sequence[str] | None
    scores: Sequence[float] | None


class _Engine(Protocol):
    def __call__(self, pixels: Pixels) -> _Recognised: ...


def recognise(pixels: Pixels, *, scale: float = 1.0) -> tuple[Line, ...]:
    """Return the lines of a picture of shape (height, width, 3), blue first, in reading order.

    `scale` is pixels a point; places are in points from the lower left corner. A page that lies on
    its side is read as if it stood upright.

    Raises:
        MissingExtraError: RapidOCR is not installed.
    """
    engine = _engine()
    with _ONE_AT_A_TIME:
        found = engine(np.ascontiguousarray(pixels))
    if found.boxes is None or found.txts is None or found.scores is None:
        return ()
    boxes = [
        Box(
            text=" ".join(text.split()),
            left=float(corners[:, 0].min()),
            top=float(corners[:, 1].min()),
            right=float(corners[:, 0].max()),
            bottom=float(corners[:, 1].max()),
        )
        for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        if text.strip() and score >= _LEAST_SCORE
    ]
    return _lines(in_reading_order(boxes), scale=scale)


def _lines(boxes: Sequence[Box], *, scale: float) -> tuple[Line, ...]:
    """Return boxes as lines. Heights vary by letters, so only much larger ones are headings."""
    if not boxes:
        return ()
    usual = median(box.height for box in boxes)
    foot = max(box.bottom for box in boxes)
    return tuple(
        Line(
            text=box.text,
            left=box.left / scale,
            right=box.right / scale,
            bottom=(foot - box.bottom) / scale,
            size=_FONT_SHARE
            * (box.height if box.height > _CLEARLY_LARGER * usual else usual)
            / scale,
            bold=False,
            upright=True,
        )
        for box in boxes
    )


@cache
def _engine() -> _Engine:
    """Return the engine; its models are loaded once in a process."""
    try:
        module = importlib.import_module("rapidocr")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "rapidocr":
            raise
        raise MissingExtraError("rapidocr", "ocr") from error
    return cast("_Engine", module.RapidOCR(params={"Global.log_level": "error"}))
