"""XML: elements of values become records, running text becomes paragraphs, tables stay tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from lxml import etree

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.parsers import html
from clew.ingest.parsers.safe_xml import parse_xml
from clew.ingest.parsers.sections import NAME_KEYS, Section, label_of, sections_markdown
from clew.ingest.parsers.spanning_cells import SpanningRows
from clew.ingest.parsers.tables import markdown_table
from clew.ingest.timestamps import lenient_timestamp
from clew.ingest.whitespace import tidy

_SPACES = re.compile(r"\s+")
_PARAGRAPHS = frozenset("p para paragraph simpara".split())
_HEADINGS = frozenset("title head heading".split())
_PARTS = frozenset(
    "section sec sect sect1 sect2 sect3 chapter div part article appendix topic body".split()
)
_WRAPPERS = frozenset("body div front back text content table-wrap".split())
_LISTS = frozenset("list itemizedlist orderedlist ul ol".split())
_TABLES = frozenset({"table", "informaltable", "tgroup"})
_ROWS = frozenset({"tr", "row"})
_CELLS = frozenset({"td", "th", "entry"})
_HEADS = frozenset(
    "head header info articleinfo bookinfo metadata meta front article-meta title-group titlepage "
    "teiheader filedesc titlestmt channel".split()
)
_TITLES = ("title", "article-title")
_AUTHORS = frozenset({"author", "creator"})
_DATES = frozenset("date pubdate published issued created pub-date updated".split())
_SMALL = 8
_FEW_OBJECTS = 4
_LONGEST_NAME = 120


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the text of an XML document with its structure; XHTML is read as a page.

    Raises:
        ParseError: reason "empty", "binary", "damaged" or "too-large".
    """
    document = parse_xml(data, name=name)
    root = document.root
    if _tag(root) == "html":
        return html.parse(data, name=name)
    about = list(_about(root))
    title = next((_text(each) for each in about if _tag(each) in _TITLES and _text(each)), None)
    section = Section(title or _label(root, number=0))
    _fill(section, root)
    text = tidy(sections_markdown(section))
    if not section.parts or not text:
        raise ParseError(f"{name}: the document holds no text; nothing to index", reason="empty")
    return ParsedText(
        text=text,
        title=title,
        authors=tuple(
            dict.fromkeys(_text(each) for each in about if _tag(each) in _AUTHORS and _text(each))
        ),
        language=_language(root),
        published_at=_published(about),
        warnings=document.warnings,
    )


def _fill(section: Section, element: etree._Element) -> None:
    """Add to a record what stands in its element, in order."""
    for key, value in element.attrib.items():
        section.add_value(_local(key), value)
    children = _children(element)
    if not children or _is_mixed(element):
        section.add_value("", _text(element))
        return
    counts = Counter(_tag(child) for child in children)
    numbers: Counter[str] = Counter()
    holders = sum(bool(_children(child)) for child in children)
    for child in children:
        tag = _tag(child)
        numbers[tag] += 1
        if tag in _HEADINGS and _tag(element) in _PARTS and _text(child):
            continue
        if tag in _TABLES:
            section.add_block(_table(child))
        elif tag in _LISTS:
            section.add_block("\n".join(f"- {_text(item)}" for item in _children(child)))
        elif not _children(child) or _is_mixed(child):
            _add_leaf(section, tag, child)
        elif counts[tag] == 1 and holders < _FEW_OBJECTS and _is_small(child):
            _add_small(section, tag, child)
        else:
            inner = Section(_label(child, number=numbers[tag] if counts[tag] > 1 else 0))
            _fill(inner, child)
            section.add_section(inner)


def _add_leaf(section: Section, tag: str, element: etree._Element) -> None:
    """Add an element of text: a paragraph, or its value under its name and attributes."""
    text = _text(element)
    if tag in _PARAGRAPHS:
        section.add_block(text)
        return
    attributes = ", ".join(f"{_local(key)} {value}" for key, value in element.attrib.items())
    if attributes:
        tag = f"{tag} ({attributes})"
        if not text:
            section.add_value("", tag)
            return
    section.add_value(tag, text)


def _is_small(element: etree._Element) -> bool:
    """Return whether an element is no more than a few values."""
    children = _children(element)
    leaves = all(
        not _children(child) and _tag(child) not in _PARAGRAPHS | _HEADINGS for child in children
    )
    return leaves and len(children) <= _SMALL and not element.attrib


def _add_small(section: Section, tag: str, element: etree._Element) -> None:
    for child in _children(element):
        _add_leaf(section, f"{tag}.{_tag(child)}", child)


def _label(element: etree._Element, *, number: int) -> str:
    """Return the heading of an element: its kind and its name; of a part of a text its title."""
    tag = _tag(element)
    leaves = {
        _tag(child): _text(child)
        for child in reversed(_children(element))
        if not _children(child) or _tag(child) in _HEADINGS
    }
    if tag in _PARTS:
        title = next((leaves[each] for each in _HEADINGS if leaves.get(each)), "")
        if title:
            return label_of("", title)
    if tag in _WRAPPERS:
        return ""
    attributes = {_local(key): value for key, value in element.attrib.items()}
    named = (leaves.get(key) or attributes.get(key) or "" for key in NAME_KEYS)
    own = next((text for text in named if text and len(text) <= _LONGEST_NAME), "")
    return label_of(tag, own) if own or not number else f"{tag} {number}"


def _table(element: etree._Element) -> str:
    rows = SpanningRows()
    for each in element.iter():
        if _tag(each) in _ROWS:
            rows.begin_row()
        elif _tag(each) in _CELLS:
            rows.add(_text(each), columns=_span(each, "colspan"), rows=_span(each, "rowspan"))
    return markdown_table(rows.finished())


def _span(element: etree._Element, key: str) -> int:
    written = element.get(key) or ""
    return int(written) if written.isascii() and written.isdigit() and len(written) < 6 else 1


def _about(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements that tell of the whole document."""
    for child in _children(root):
        yield child
        if _tag(child) in _HEADS:
            yield from _about(child)


def _published(about: Sequence[etree._Element]) -> datetime | None:
    read = (lenient_timestamp(_text(each)) for each in about if _tag(each) in _DATES)
    return next((moment for moment in read if moment is not None), None)


def _language(root: etree._Element) -> str | None:
    written = root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    code = written.replace("_", "-").split("-")[0].lower()
    return code if len(code) == 2 and code.isascii() and code.isalpha() else None


def _children(element: etree._Element) -> list[etree._Element]:
    return [child for child in element if isinstance(child.tag, str)]


def _is_mixed(element: etree._Element) -> bool:
    """Return whether text stands between the element's children, as in a paragraph."""
    between = [element.text, *(child.tail for child in element)]
    return any(text is not None and text.strip() for text in between) and len(element) > 0


def _text(element: etree._Element) -> str:
    return _SPACES.sub(" ", _written(element)).strip()


def _written(element: etree._Element) -> str:
    """Return the text in an element; elements without text between them are parted by blanks."""
    parts = [element.text or ""]
    for child in element:
        parts += [_written(child) if isinstance(child.tag, str) else "", child.tail or ""]
    return ("" if _is_mixed(element) else " ").join(parts)


def _tag(element: etree._Element) -> str:
    return _local(element.tag).casefold() if isinstance(element.tag, str) else ""


def _local(name: str) -> str:
    return name.rpartition("}")[2]
