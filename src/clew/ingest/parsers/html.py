"""HTML: the main text of a page as Markdown, without navigation, with what its head says."""

from __future__ import annotations

import re

import trafilatura
from lxml import etree

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.parsers.decoding import decode
from clew.ingest.parsers.html_markdown import BOILERPLATE, cut_off, markdown_of, parse_tree
from clew.ingest.parsers.html_properties import read_properties
from clew.ingest.whitespace import tidy

_DECLARED = re.compile(rb"charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_HEAD_BYTES = 2048
_FEW_BLOCKS = 3


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the page's main text.

    A page with navigation goes through trafilatura; one without, or one in which trafilatura
    finds no structure, is taken whole except for what is marked as navigation.

    Raises:
        ParseError: reason "empty" or "binary".
    """
    declared = _DECLARED.search(data[:_HEAD_BYTES])
    decoded = decode(data, name=name, declared=declared[1].decode() if declared else None)
    root = parse_tree(decoded.text)
    if root is None:
        raise ParseError(f"{name}: the page holds no text; nothing to index", reason="empty")
    text = tidy(_main_text(decoded.text, root))
    cut = cut_off(root)
    if not text:
        why = f" ({cut})" if cut else ""
        raise ParseError(f"{name}: the page holds no text{why}; nothing to index", reason="empty")
    properties = read_properties(root)
    return ParsedText(
        text=text,
        title=properties.title,
        authors=properties.authors,
        language=properties.language,
        published_at=properties.published_at,
        warnings=(*decoded.warnings, *((cut,) if cut else ())),
    )


def _main_text(html: str, root: etree._Element) -> str:
    whole = markdown_of(root)
    if next(root.iter(*BOILERPLATE), None) is None:
        return whole
    article = _article(html)
    if article.count("\n\n") + 1 >= min(_FEW_BLOCKS, whole.count("\n\n") + 1) and article:
        return article
    return markdown_of(root, without=BOILERPLATE) or whole


def _article(html: str) -> str:
    """Return what trafilatura takes for the article, "" where it finds none or gives up."""
    try:
        found = trafilatura.extract(
            html, output_format="html", include_tables=True, favor_recall=True
        )
    except (AttributeError, RecursionError, TypeError, ValueError, etree.LxmlError):
        # odd trees trip its heuristics; the whole page is then the better text
        return ""
    tree = parse_tree(found) if found else None
    return markdown_of(tree) if tree is not None else ""
