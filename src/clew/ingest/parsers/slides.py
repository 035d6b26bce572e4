"""PowerPoint: a heading for each slide, its shapes in reading order, tables, charts and notes."""

from __future__ import annotations

import io
import zipfile
import zlib

from lxml import etree
from pptx import Presentation
from pptx.exc import PythonPptxError
from pptx.slide import Slide

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.parsers.office_package import check_package, read_core_properties
from clew.ingest.parsers.paged_text import paged_text
from clew.ingest.parsers.slide_shapes import SHAPE_ERRORS, reading_order, shape_markdown
from clew.ingest.whitespace import tidy

_BODY = "ppt/presentation.xml"
_MACHINE_TITLES = ("powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint")
_OPEN_ERRORS = (
    *SHAPE_ERRORS,
    NotImplementedError,
    OSError,
    PythonPptxError,
    RecursionError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the slides, hidden ones too; a slide counts as a page.

    Raises:
        ParseError: reason "empty", "password", "unsupported", "damaged" or "too-large".
    """
    check_package(data, name=name, part=_BODY)
    warnings: list[str] = []
    try:
        slides = list(Presentation(io.BytesIO(data)).slides)
        texts = [
            (number, _slide(slide, number, warnings))
            for number, slide in enumerate(slides, start=1)
        ]
    except _OPEN_ERRORS as error:
        raise ParseError(
            f"{name}: the presentation is damaged ({type(error).__name__}: {error}); open it in a "
            "presentation program and save it again",
            reason="damaged",
        ) from error
    text, pages = paged_text(texts)
    if not text:
        raise ParseError(
            f"{name}: no slide holds text"
            + (f" ({warnings[0]})" if warnings else "; nothing to index"),
            reason="empty",
        )
    properties = read_core_properties(data)
    return ParsedText(
        text=text,
        title=_stated_title(properties.title) or _title(slides[0]),
        authors=properties.authors,
        published_at=properties.published_at,
        pages=pages,
        warnings=tuple(warnings),
    )


def _slide(slide: Slide, number: int, warnings: list[str]) -> str:
    """Return a slide's Markdown, "" where it holds no text."""
    title = _title(slide)
    blocks: list[str] = []
    for shape in reading_order(slide.shapes):
        try:
            text = shape_markdown(shape, title=title)
        except SHAPE_ERRORS as error:
            warnings.append(f"slide {number}: a shape is damaged ({type(error).__name__}: {error})")
            continue
        blocks += [text] if text else []
    notes = _notes(slide, number, warnings)
    blocks += [f"Notes: {notes}"] if notes else []
    if not title and not blocks:
        warnings.append(f"slide {number} holds no text")
        return ""
    if slide.element.get("show") in ("0", "false"):
        warnings.append(f"slide {number} is hidden in the presentation and was read")
    return tidy("\n\n".join([f"## {title or f'Slide {number}'}", *blocks]))


def _title(slide: Slide) -> str | None:
    try:
        shape = slide.shapes.title
        return " ".join(shape.text_frame.text.split()) or None if shape is not None else None
    except SHAPE_ERRORS:
        return None


def _notes(slide: Slide, number: int, warnings: list[str]) -> str:
    try:
        frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    except (*SHAPE_ERRORS, etree.LxmlError) as error:
        warnings.append(f"slide {number}: the notes are damaged ({type(error).__name__})")
        return ""
    return tidy(frame.text) if frame is not None else ""


def _stated_title(written: str | None) -> str | None:
    """Return the title in the properties, None where a program made it up."""
    return None if (written or "").casefold() in _MACHINE_TITLES else written
