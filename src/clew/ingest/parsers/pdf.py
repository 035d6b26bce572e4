"""PDF: text with pages, by PDFium. Pages without text are named, never dropped in silence.

PDFium was chosen over pdf-inspector on the public document set: it reads invisible text layers
and rotated and right-to-left pages, glues no words, and respects user passwords.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium

from clew.core.documents import Page, ParsedText, Span
from clew.core.errors import ParseError
from clew.ingest.headings import first_heading
from clew.ingest.parsers.hyphenation import vocabulary
from clew.ingest.parsers.options import DEFAULT_OPTIONS, ParseOptions
from clew.ingest.parsers.page_lists import page_list
from clew.ingest.parsers.pdf_columns import find_columns
from clew.ingest.parsers.pdf_layout import font_scale, page_text
from clew.ingest.parsers.pdf_lines import Line, read_lines
from clew.ingest.parsers.text_recognition import LONGEST_SIDE, recognise
from clew.ingest.timestamps import read_pdf_timestamp
from clew.ingest.whitespace import tidy

_PDFIUM = threading.Lock()
_MACHINE_TITLES = (
    ".doc",
    ".docx",
    ".pdf",
    ".tex",
    ".dvi",
    ".indd",
    ".qxd",
    ".ppt",
    ".pptx",
    ".rtf",
)
_MACHINE_NAMES = ("untitled", "document", "document1", "powerpoint presentation")
_FIRST_LINE_LIMIT = 200
_NEW_PAGE = "\n\n"
_SAME_SENTENCE = " "


class _Problem(StrEnum):
    """Why a page has no text, or only text that was recognised."""

    SCANNED = "scanned"
    BLANK = "blank"
    DAMAGED = "damaged"
    RECOGNISED = "recognised"
    NOTHING_SEEN = "nothing seen"


_SAID_OF_ONE_AND_MORE = {
    _Problem.SCANNED: ("is an image without a text layer", "are images without a text layer"),
    _Problem.BLANK: ("is blank", "are blank"),
    _Problem.DAMAGED: ("is damaged and cannot be read", "are damaged and cannot be read"),
    _Problem.RECOGNISED: ("is an image and was read by OCR", "are images and were read by OCR"),
    _Problem.NOTHING_SEEN: ("is an image without text", "are images without text"),
}


@dataclass(frozen=True, slots=True)
class _PageLines:
    """A page's lines; `problem` says why there are none, or that they were recognised."""

    number: int
    lines: tuple[Line, ...]
    problem: _Problem | None = None


def parse(data: bytes, *, name: str, options: ParseOptions = DEFAULT_OPTIONS) -> ParsedText:
    """Return the text of a PDF as Markdown paragraphs with the span of each page.

    Passwords are tried in order where the file asks for one. With the option `ocr` a page that is
    an image is read by text recognition; without it, such pages are named in the warnings.

    Raises:
        ParseError: reason "empty", "password", "damaged" or "no-text-layer".
        MissingExtraError: text recognition is asked for, needed and not installed.
    """
    if not data:
        raise ParseError(f"{name}: the file is empty; there is nothing to index", reason="empty")
    with _PDFIUM:
        pages, metadata = _read(data, name=name, options=options)
    text, spans = _assembled(pages)
    warnings = _warnings(pages)
    if not text:
        advice = "it holds no text to index" if options.ocr else "to read it, add it with --ocr"
        raise ParseError(
            f"{name}: no page has a text layer ({'; '.join(warnings)}); {advice}",
            reason="no-text-layer",
        )
    author = metadata.get("Author", "").strip()
    return ParsedText(
        text=text,
        title=_title(metadata.get("Title", "")) or first_heading(text),
        authors=tuple(part.strip() for part in author.split(";") if part.strip()),
        published_at=read_pdf_timestamp(metadata.get("CreationDate", "")),
        pages=spans,
        warnings=warnings,
    )


def _read(
    data: bytes, *, name: str, options: ParseOptions
) -> tuple[list[_PageLines], dict[str, str]]:
    document = _opened(data, name=name, passwords=options.passwords)
    try:
        count = len(document)
        if count == 0:
            raise ParseError(f"{name}: the PDF is damaged; it has no page", reason="damaged")
        pages = [_page_lines(document, index, ocr=options.ocr) for index in range(count)]
        metadata = _metadata(document)
    finally:
        document.close()
    if all(page.problem is _Problem.DAMAGED for page in pages):
        raise ParseError(f"{name}: the PDF is damaged; no page can be read", reason="damaged")
    return pages, metadata


def _metadata(document: pypdfium2.PdfDocument) -> dict[str, str]:
    """Return the document's information entries; none where they are not valid UTF-16."""
    try:
        return dict(document.get_metadata_dict(skip_empty=True))
    except (UnicodeError, pypdfium2.PdfiumError):
        return {}


def _opened(data: bytes, *, name: str, passwords: Sequence[str]) -> pypdfium2.PdfDocument:
    """Return the document, opened without a password or with the first that fits."""
    for password in (None, *passwords):
        try:
            return pypdfium2.PdfDocument(data, password=password)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) != pdfium.FPDF_ERR_PASSWORD:
                raise ParseError(
                    f"{name}: the PDF is damaged ({error})", reason="damaged"
                ) from error
        except ValueError:
            # a password that cannot be encoded opens nothing
            continue
    tried = "none of the passwords given opens it" if passwords else "give it with --password"
    raise ParseError(f"{name}: the PDF is protected by a password; {tried}", reason="password")


def _page_lines(document: pypdfium2.PdfDocument, index: int, *, ocr: bool) -> _PageLines:
    number = index + 1
    try:
        page = document[index]
        try:
            text_page = page.get_textpage()
            lines = read_lines(text_page, find_columns(page, text_page))
            text_page.close()
            if lines:
                return _PageLines(number, tuple(lines))
            image = next(iter(page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE])), None)
            if image is not None and ocr:
                return _recognised(page, number)
        finally:
            page.close()
    except pypdfium2.PdfiumError:
        return _PageLines(number, (), _Problem.DAMAGED)
    return _PageLines(number, (), _Problem.BLANK if image is None else _Problem.SCANNED)


def _recognised(page: pypdfium2.PdfPage, number: int) -> _PageLines:
    """Return the lines that text recognition sees on a page."""
    scale = LONGEST_SIDE / max(1.0, *page.get_size())
    bitmap = page.render(scale=scale, prefer_bgrx=False)
    pixels = bitmap.to_numpy()
    colours = np.repeat(pixels[:, :, :1], 3, axis=2) if pixels.shape[2] < 3 else pixels[:, :, :3]
    lines = recognise(colours.copy(), scale=scale)
    bitmap.close()
    return _PageLines(number, lines, _Problem.RECOGNISED if lines else _Problem.NOTHING_SEEN)


def _warnings(pages: Sequence[_PageLines]) -> tuple[str, ...]:
    """Return which pages have no text of their own, a sentence for each reason."""
    sentences: list[str] = []
    for problem in _Problem:
        numbers = [page.number for page in pages if page.problem is problem]
        if numbers:
            of_one, of_more = _SAID_OF_ONE_AND_MORE[problem]
            said = of_one if len(numbers) == 1 else of_more
            sentences.append(f"{page_list(numbers)} {said}")
    return tuple(sentences)


def _assembled(pages: Sequence[_PageLines]) -> tuple[str, tuple[Page, ...]]:
    """Return the text of all pages and where each lies; a sentence may run over a page's end."""
    every = [line for page in pages for line in page.lines]
    scale = font_scale(every)
    known = vocabulary(line.text + ("-" if line.hyphen else "") for line in every)
    parts: list[str] = []
    spans: list[Page] = []
    position = 0
    for page in pages:
        text = tidy(page_text(page.lines, scale=scale, known=known)).strip()
        if not text:
            continue
        if parts:
            unfinished = parts[-1][-1].isalpha() and text[0].islower()
            separator = _SAME_SENTENCE if unfinished else _NEW_PAGE
            parts.append(separator)
            position += len(separator)
        parts.append(text)
        spans.append(Page(page.number, Span(position, position + len(text))))
        position += len(text)
    return "".join(parts), tuple(spans)


def _title(written: str) -> str | None:
    """Return the title that the file states, None where a program made it up."""
    title = " ".join(written.split())
    made_up = title.casefold() in _MACHINE_NAMES or title.casefold().startswith("microsoft word -")
    if made_up or title.casefold().endswith(_MACHINE_TITLES) or len(title) > _FIRST_LINE_LIMIT:
        return None
    return title or None
