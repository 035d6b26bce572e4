"""The figures of an Office chart of any type: categories down, series across."""

from __future__ import annotations

from lxml import etree

from clew.ingest.parsers.tables import markdown_table

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MOST_POINTS = 10_000


def chart_markdown(part: bytes) -> str:
    """Return a chart's title and the values that its part holds, as a table.

    Raises:
        etree.XMLSyntaxError: the part is no XML.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    root = etree.fromstring(part, parser=parser)
    columns: list[tuple[str, dict[int, str]]] = []
    labels: dict[int, str] = {}
    for series in root.iter(f"{_C}ser"):
        labels |= _points(series, "cat", "xVal")
        columns.append((" ".join(_points(series, "tx").values()), _points(series, "val", "yVal")))
    indexes = sorted({*labels, *(index for _, values in columns for index in values)})
    rows = [["", *(name for name, _ in columns)]]
    rows += [
        [labels.get(index, ""), *(values.get(index, "") for _, values in columns)]
        for index in indexes[:_MOST_POINTS]
    ]
    parts = (_title(root), markdown_table(rows) if indexes else "")
    return "\n\n".join(part for part in parts if part)


def _points(series: etree._Element, *names: str) -> dict[int, str]:
    """Return the cached texts of a reference by their index."""
    found: dict[int, str] = {}
    for name in names:
        for holder in series.iterchildren(f"{_C}{name}"):
            levels = list(holder.iter(f"{_C}lvl"))
            for point in (levels[0] if levels else holder).iter(f"{_C}pt"):
                found[_index(point)] = _figure(point.findtext(f"{_C}v") or "")
            if not found:
                found = dict(enumerate(each.text or "" for each in holder.iterchildren(f"{_C}v")))
    return found


def _index(point: etree._Element) -> int:
    written = point.get("idx") or "0"
    return int(written) if written.isascii() and written.isdigit() and len(written) < 9 else 0


def _figure(written: str) -> str:
    """Return a figure without rounding noise, other texts as they are."""
    try:
        return f"{float(written):.15g}" if "." in written else written
    except ValueError:
        return written


def _title(root: etree._Element) -> str:
    titles = (
        title for chart in root.iter(f"{_C}chart") for title in chart.iterchildren(f"{_C}title")
    )
    texts = (
        " ".join("".join(each.text or "" for each in title.iter(f"{_A}t")).split())
        for title in titles
    )
    return next((text for text in texts if text), "")
