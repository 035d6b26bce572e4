"""Pictures (PNG, JPEG, TIFF, WebP) by text recognition; every frame of a TIFF is a page."""

from __future__ import annotations

import io
import warnings

import numpy as np
from PIL import Image, ImageOps, ImageSequence

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.headings import first_heading
from clew.ingest.parsers.paged_text import paged_text
from clew.ingest.parsers.pdf_layout import font_scale, page_text
from clew.ingest.parsers.text_recognition import LONGEST_SIDE, Pixels, recognise
from clew.ingest.whitespace import tidy

_MOST_FRAMES = 500
_PICTURE_ERRORS = (
    OSError,
    ValueError,
    SyntaxError,
    TypeError,
    LookupError,
    EOFError,
    OverflowError,
)
"""What Pillow raises over a damaged picture."""


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the text that is seen in a picture.

    Raises:
        ParseError: reason "empty", "damaged", "too-large" or "no-text-layer" (no text is seen).
        MissingExtraError: RapidOCR is not installed.
    """
    if not data:
        raise ParseError(f"{name}: the file is empty; there is nothing to index", reason="empty")
    notes: list[str] = ["read by text recognition (OCR)"]
    pages: list[tuple[int, str]] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data)) as picture:
                for number, frame in enumerate(ImageSequence.Iterator(picture), start=1):
                    if number > _MOST_FRAMES:
                        notes.append(f"only the first {_MOST_FRAMES} frames were read")
                        break
                    pages.append((number, _text(_pixels(frame))))
    except Image.DecompressionBombError as error:
        raise ParseError(
            f"{name}: the picture is larger than is safe ({error}); make it smaller",
            reason="too-large",
        ) from error
    except _PICTURE_ERRORS as error:
        raise ParseError(
            f"{name}: the picture is damaged ({type(error).__name__}: {error})", reason="damaged"
        ) from error
    text, spans = paged_text(pages)
    if not text:
        raise ParseError(
            f"{name}: text recognition (OCR) finds no text in the picture", reason="no-text-layer"
        )
    blank = [str(number) for number, page in pages if not page]
    notes += [f"no text was found on page {', '.join(blank)}"] if blank else []
    return ParsedText(text=text, title=first_heading(text), pages=spans, warnings=tuple(notes))


def _pixels(frame: Image.Image) -> Pixels:
    """Return a frame as the camera held it, on white, blue first, no larger than is read."""
    upright = ImageOps.exif_transpose(frame).convert("RGBA")
    upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    page = Image.new("RGB", upright.size, "white")
    page.paste(upright, mask=upright.getchannel("A"))
    return np.asarray(page)[:, :, ::-1]


def _text(pixels: Pixels) -> str:
    lines = recognise(pixels)
    return tidy(page_text(lines, scale=font_scale(lines), known=frozenset())) if lines else ""
