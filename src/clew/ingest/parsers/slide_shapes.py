"""Shapes of a slide as Markdown: text with its lists, tables, charts, diagrams and groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lxml import etree
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.oxml.ns import qn
from pptx.shapes.autoshape import Shape
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.table import Table
from pptx.text.text import TextFrame, _Paragraph

from clew.ingest.parsers.chart import chart_markdown
from clew.ingest.parsers.tables import markdown_table

SHAPE_ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    etree.LxmlError,
)
"""What python-pptx raises over a shape whose XML is not as it should be."""

_ROW = 230_000
"""Shapes whose tops lie this near (0.64 cm) stand in one row."""
_FURNITURE = frozenset({PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER})
_LISTED = frozenset({PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY})
_TITLES = frozenset(
    {PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE}
)
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DEEPEST_GROUP = 20


def reading_order(shapes: Iterable[BaseShape]) -> list[BaseShape]:
    """Return shapes from top to bottom, those of one row from left to right, titles first."""
    placed = sorted(shapes, key=_top)
    rows: list[list[BaseShape]] = []
    for shape in placed:
        if rows and _top(shape) - _top(rows[-1][0]) <= _ROW:
            rows[-1].append(shape)
        else:
            rows.append([shape])
    ordered = [shape for row in rows for shape in sorted(row, key=_left)]
    return sorted(ordered, key=lambda shape: _placeholder(shape) not in _TITLES)


def shape_markdown(shape: BaseShape, *, title: str | None, depth: int = 0) -> str:
    """Return the text of a shape; "" for the title, which is the slide's heading, and for date,
    footer and number.

    Raises:
        one of SHAPE_ERRORS: the shape's XML makes no sense.
    """
    kind = _placeholder(shape)
    if kind in _FURNITURE or (kind in _TITLES and title is not None):
        return ""
    if isinstance(shape, GroupShape):
        return _group(shape, title=title, depth=depth)
    if isinstance(shape, GraphicFrame):
        return _graphic(shape)
    if not isinstance(shape, Shape) or not shape.has_text_frame:
        return ""
    return _text(shape.text_frame, listed=kind in _LISTED)


def _group(group: GroupShape, *, title: str | None, depth: int) -> str:
    if depth >= _DEEPEST_GROUP:
        raise ValueError("groups are nested too deeply")
    texts = (
        shape_markdown(each, title=title, depth=depth + 1) for each in reading_order(group.shapes)
    )
    return "\n\n".join(text for text in texts if text)


def _graphic(frame: GraphicFrame) -> str:
    if frame.has_table:
        return _table(frame.table)
    if frame.has_chart:
        return chart_markdown(frame.chart_part.blob)
    return "\n".join(f"- {text}" for text in _diagram(frame))


def _text(frame: TextFrame, *, listed: bool) -> str:
    """Return paragraphs; those with a bullet or number, or of a list placeholder, as items."""
    written = [paragraph for paragraph in frame.paragraphs if _written(paragraph)]
    several = len(written) > 1
    lines: list[tuple[bool, str]] = []
    numbers: dict[int, int] = {}
    for paragraph in written:
        text = _written(paragraph)
        mark = _mark(paragraph, listed=listed and several, numbers=numbers)
        indent = "  " * min(8, paragraph.level) if mark else ""
        lines.append((bool(mark), f"{indent}{mark}{text}"))
    parts: list[str] = []
    for index, (is_item, text) in enumerate(lines):
        joined = index > 0 and is_item and lines[index - 1][0]
        parts.append(("\n" if joined else "\n\n" if index else "") + text)
    return "".join(parts)


def _written(paragraph: _Paragraph) -> str:
    return " ".join(paragraph.text.replace("\v", " ").split())


def _mark(paragraph: _Paragraph, *, listed: bool, numbers: dict[int, int]) -> str:
    """Return "- " or the number of a list item, "" for running text."""
    properties = paragraph._p.pPr
    level = paragraph.level
    for deeper in [each for each in numbers if each > level]:
        del numbers[deeper]
    if properties is not None and properties.find(qn("a:buAutoNum")) is not None:
        numbers[level] = numbers.get(level, 0) + 1
        return f"{numbers[level]}. "
    numbers.pop(level, None)
    if properties is not None and properties.find(qn("a:buNone")) is not None:
        return ""
    has_bullet = properties is not None and properties.find(qn("a:buChar")) is not None
    return "- " if has_bullet or listed else ""


def _table(table: Table) -> str:
    """Return a table; merged cells show their text wherever they reach."""
    rows: list[list[str]] = [[cell.text for cell in row.cells] for row in table.rows]
    for index, row in enumerate(table.rows):
        for column, cell in enumerate(row.cells):
            if not cell.is_merge_origin:
                continue
            for covered in rows[index : index + cell.span_height]:
                for place in range(column, min(column + cell.span_width, len(covered))):
                    covered[place] = covered[place] or cell.text
    return markdown_table(rows)


def _diagram(frame: GraphicFrame) -> Iterator[str]:
    """Yield the texts of a diagram (SmartArt), which lie in a part of their own."""
    for relation in frame.element.iter(f"{{{_DIAGRAM}}}relIds"):
        identifier = relation.get(f"{{{_RELATIONS}}}dm")
        if identifier is None:
            continue
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
        root = etree.fromstring(frame.part.related_part(identifier).blob, parser=parser)
        for body in root.iter(f"{{{_DIAGRAM}}}t"):
            for paragraph in body.iter(qn("a:p")):
                text = " ".join(
                    "".join(each.text or "" for each in paragraph.iter(qn("a:t"))).split()
                )
                if text:
                    yield text


def _placeholder(shape: BaseShape) -> PP_PLACEHOLDER | None:
    try:
        return shape.placeholder_format.type if shape.is_placeholder else None
    except SHAPE_ERRORS:
        return None


def _top(shape: BaseShape) -> int:
    return _edge(shape, "top")


def _left(shape: BaseShape) -> int:
    return _edge(shape, "left")


def _edge(shape: BaseShape, name: str) -> int:
    """Return where a shape begins; 0 where it does not say, or says nonsense."""
    try:
        return int(getattr(shape, name) or 0)
    except SHAPE_ERRORS:
        return 0
