"""HTML to Markdown: headings, paragraphs, lists, tables and code; linear, whatever the nesting."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree

from clew.ingest.parsers.spanning_cells import SpanningRows
from clew.ingest.parsers.tables import has_head, markdown_table

_SILENT = frozenset("script style template noscript svg math head iframe object select".split())
BOILERPLATE = frozenset("nav header footer aside form".split())
"""Elements that hold no part of a page's own text."""
_BLOCKS = frozenset(
    "p div section article main header footer aside nav figure figcaption blockquote address form "
    "fieldset details summary dl dt dd ul ol table caption body html hr center".split()
)
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_SPACES = re.compile(r"\s+")
_ITEM = re.compile(r" *(?:-|\d+\.) ")
_SPAN = re.compile(r"[0-9]{1,5}")


@dataclass(slots=True)
class _Table:
    """Rows of the table that is being read, and the cell that is open with what it spans."""

    rows: SpanningRows = field(default_factory=SpanningRows)
    cell: list[str] | None = None
    columns: int = 1
    down: int = 1
    names_columns: bool = False


class _Writer:
    """Writes Markdown while tags go by. Inline text gathers in a line; block tags end it."""

    def __init__(self, silent: frozenset[str]) -> None:
        self._silent_tags = silent
        self.blocks: list[str] = []
        self._line: list[str] = []
        self._prefix = ""
        self._silent = 0
        self._code = 0
        self._lists: list[int | None] = []
        self._tables: list[_Table] = []

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take note of an opening tag."""
        if tag in self._silent_tags:
            self._silent += 1
        elif tag in _HEADINGS:
            self._end_line()
            self._prefix = _HEADINGS[tag] + " "
        elif tag == "pre":
            self._end_line()
            self._code += 1
        elif tag == "li":
            self._end_line()
            self._prefix = self._list_mark()
        elif tag == "table":
            self._end_line()
            self._tables.append(_Table())
        elif tag == "tr" and self._tables:
            self._end_cell()
            self._tables[-1].rows.begin_row()
        elif tag in ("td", "th") and self._tables:
            self._end_cell()
            table = self._tables[-1]
            table.cell = []
            table.names_columns |= tag == "th" and len(table.rows.rows) <= 1
            table.columns = _span(attributes.get("colspan"))
            table.down = _span(attributes.get("rowspan"))
        elif tag == "br":
            self._line.append("\n")
        elif tag in _BLOCKS:
            self._end_line()
            if tag in ("ul", "ol"):
                self._lists.append(1 if tag == "ol" else None)

    def end(self, tag: str) -> None:
        """Take note of a closing tag."""
        if tag in self._silent_tags:
            self._silent = max(0, self._silent - 1)
        elif tag in _HEADINGS or tag == "li":
            self._end_line()
        elif tag == "pre":
            self._end_line()
            self._code = max(0, self._code - 1)
        elif tag in ("td", "th", "tr"):
            self._end_cell()
        elif tag == "table" and self._tables:
            self._end_table()
        elif tag in _BLOCKS:
            self._end_line()
            if tag in ("ul", "ol") and self._lists:
                self._lists.pop()

    def write(self, data: str) -> None:
        """Add text to the line."""
        if not self._silent:
            self._line.append(data if self._code else _SPACES.sub(" ", data))

    def finish(self) -> str:
        """Return the Markdown of all that went by."""
        self._silent = 0
        while self._tables:
            self._end_table()
        self._end_line()
        return "\n\n".join(self.blocks)

    def _list_mark(self) -> str:
        indent = "  " * min(8, max(0, len(self._lists) - 1))
        if not self._lists or self._lists[-1] is None:
            return f"{indent}- "
        number = self._lists[-1]
        self._lists[-1] = number + 1
        return f"{indent}{number}. "

    def _end_line(self) -> None:
        """Close the line that is being written and keep it as a block or as part of a cell."""
        written = "".join(self._line)
        self._line.clear()
        if self._code:
            text = f"```\n{written.strip(chr(10))}\n```" if written.strip() else ""
        else:
            parts = (part.strip() for part in written.split("\n"))
            text = "\n".join(part for part in parts if part)
        if not text:
            return
        prefix, self._prefix = self._prefix, ""
        if self._tables and self._tables[-1].cell is not None:
            self._tables[-1].cell.append(text)
        elif _ITEM.match(prefix):
            self._add_item(prefix + text)
        else:
            self.blocks.append(prefix + text.replace("\n", " ") if prefix else text)

    def _add_item(self, item: str) -> None:
        """Add a list item; items that follow one another are one block."""
        if self.blocks and _ITEM.match(self.blocks[-1]) and (_later_item(item)):
            self.blocks[-1] += "\n" + item
        else:
            self.blocks.append(item)

    def _end_cell(self) -> None:
        if not self._tables:
            return
        self._end_line()
        table = self._tables[-1]
        if table.cell is None:
            return
        text = " ".join(table.cell).replace("\n", " ")
        table.rows.add(text, columns=table.columns, rows=table.down)
        table.cell = None

    def _end_table(self) -> None:
        self._end_cell()
        table = self._tables.pop()
        rows = [row for row in table.rows.finished() if any(row)]
        if self._tables and self._tables[-1].cell is not None:
            self._tables[-1].cell.extend(" ".join(row) for row in rows)
        elif rows and max(map(len, rows)) == 1:
            self.blocks.extend(row[0] for row in rows)
        elif rows:
            self.blocks.append(markdown_table(rows, head=table.names_columns or has_head(rows)))


def _later_item(item: str) -> bool:
    return not item.startswith("1. ")


def _span(written: str | None) -> int:
    """Return how many rows or columns a cell spans; 1 where that makes no sense."""
    return int(written) if written and _SPAN.fullmatch(written.strip()) else 1


def parse_tree(html: str) -> etree._Element | None:
    """Return the root of `html` as libxml2 mends it, None where nothing is left."""
    parser = etree.HTMLParser(
        encoding="utf-8", recover=True, huge_tree=True, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(html.encode("utf-8", "replace"), parser=parser)
    except etree.XMLSyntaxError:
        return None


def cut_off(root: etree._Element) -> str | None:
    """Return a warning where libxml2 gave up within the page, None where it read all of it."""
    parser = root.getroottree().parser
    log = () if parser is None else parser.error_log
    if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in log):
        return "the page is nested too deeply; what follows the deepest element was left out"
    return None


def markdown_of(root: etree._Element, *, without: frozenset[str] = frozenset()) -> str:
    """Return the text under `root` as Markdown; scripts, styles, the head and the elements
    named in `without` are left out."""
    writer = _Writer(_SILENT | without)
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            writer.begin(element.tag, element.attrib)
            writer.write(element.text or "")
        else:
            writer.end(element.tag)
            writer.write(element.tail or "")
    return writer.finish()
