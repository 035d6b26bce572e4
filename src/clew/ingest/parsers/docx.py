"""Word documents as Markdown: headings, lists, tables and text boxes."""

from __future__ import annotations

import io
import zipfile
import zlib
from xml.parsers.expat import ExpatError

import mammoth

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.headings import first_heading
from clew.ingest.parsers.html_markdown import markdown_of, parse_tree
from clew.ingest.parsers.office_math import with_equations_as_text
from clew.ingest.parsers.office_package import check_package, read_core_properties
from clew.ingest.whitespace import tidy

_BODY = "word/document.xml"
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
"""


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the document as Markdown with the title, authors and date of its properties.

    Raises:
        ParseError: reason "empty", "password", "unsupported", "damaged" or "too-large".
    """
    check_package(data, name=name, part=_BODY)
    try:
        converted = mammoth.convert_to_html(
            io.BytesIO(with_equations_as_text(data)),
            style_map=_STYLES,
            convert_image=mammoth.images.img_element(_without_image),
        )
    except (
        AttributeError,
        ExpatError,
        LookupError,
        NotImplementedError,
        OSError,
        RecursionError,
        RuntimeError,
        TypeError,
        ValueError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        # mammoth has no error type of its own: these are what broken XML and parts give
        raise ParseError(
            f"{name}: the document is damaged ({type(error).__name__}: {error}); open it in a word "
            "processor and save it again",
            reason="damaged",
        ) from error
    root = parse_tree(converted.value)
    text = tidy(markdown_of(root)) if root is not None else ""
    if not text:
        raise ParseError(f"{name}: the document holds no text; nothing to index", reason="empty")
    properties = read_core_properties(data)
    return ParsedText(
        text=text,
        title=properties.title or first_heading(text),
        authors=properties.authors,
        published_at=properties.published_at,
        warnings=_warnings(converted.messages),
    )


def _without_image(image: object) -> dict[str, str]:  # noqa: ARG001 - mammoth's signature
    return {"src": ""}


def _warnings(messages: list[mammoth.results.Message]) -> tuple[str, ...]:
    """Return what could not be read; styles that only change the looks are not named."""
    equations = sum("}oMath" in each.message and "Para" not in each.message for each in messages)
    errors = dict.fromkeys(each.message for each in messages if each.type == "error")
    return (*errors, *((f"{equations} equations were left out",) if equations else ()))
