"""The knowledge graph as GraphML (Brandes et al. 2002), for Gephi, yEd, NetworkX and the like.

Only what holds now is written: live nodes, and edges in force. Lists are JSON texts, since GraphML
knows no lists; a collection is exported whole as JSON Lines or Parquet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from clew.core.ids import format_id
from clew.core.knowledge import Edge, Statement
from clew.exchange.tables import Row

SUFFIX = ".graphml"
NAMESPACE = "http://graphml.graphdrawing.org/xmlns"

_NODE_KEYS = {
    "name": "string",
    "kind": "string",
    "label": "string",
    "aliases": "string",
    "mentions": "int",
    "community": "string",
}
_EDGE_KEYS = {
    "relation": "string",
    "kind": "string",
    "confidence": "double",
    "standing": "string",
    "negated": "boolean",
    "occurred_at": "string",
    "valid_from": "string",
    "valid_to": "string",
    "recorded_at": "string",
    "evidence": "string",
}
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 (section 2.2) does not allow, not even escaped."""


def write_graphml(
    path: Path, nodes: Iterable[Row], edges: Iterable[tuple[Edge, list[Statement]]]
) -> dict[str, int]:
    """Write a graph; return how many nodes and edges it has.

    `nodes` are rows of the table nodes; edges that are retired are left out.
    """
    counts = {"nodes": 0, "edges": 0}
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(_head())
        for node in nodes:
            file.write(_node(node))
            counts["nodes"] += 1
        for edge, statements in edges:
            if edge.retired_at is None:
                file.write(_edge(edge, statements))
                counts["edges"] += 1
        file.write("  </graph>\n</graphml>\n")
    return counts


def _head() -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield (
        f'<graphml xmlns="{NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xsi:schemaLocation="{NAMESPACE} {NAMESPACE}/1.0/graphml.xsd">\n'
    )
    for domain, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name, kind in keys.items():
            yield (
                f'  <key id="{_key(domain, name)}" for="{domain}" '
                f'attr.name="{name}" attr.type="{kind}"/>\n'
            )
    yield '  <graph id="knowledge" edgedefault="directed">\n'


def _node(row: Row) -> str:
    values = {**row, "aliases": _list(row["aliases"])}
    return f'    <node id="{format_id(row["id"])}">\n{_data("node", values)}    </node>\n'


def _edge(edge: Edge, statements: list[Statement]) -> str:
    values: dict[str, object] = {
        "relation": edge.relation,
        "kind": edge.kind.value,
        "confidence": edge.confidence,
        "standing": edge.standing.value,
        "negated": edge.negated,
        "occurred_at": edge.period.occurred_at,
        "valid_from": edge.period.valid_from,
        "valid_to": edge.period.valid_to,
        "recorded_at": edge.recorded_at,
        "evidence": _list(
            [format_id(row.chunk), row.span.start, row.span.end, row.confidence]
            for row in statements
            if row.chunk is not None and row.retired_at is None
        ),
    }
    return (
        f'    <edge id="{format_id(edge.id)}" source="{format_id(edge.source)}" '
        f'target="{format_id(edge.target)}">\n{_data("edge", values)}    </edge>\n'
    )


def _data(domain: str, values: Mapping[str, object]) -> str:
    keys = _NODE_KEYS if domain == "node" else _EDGE_KEYS
    return "".join(
        f"      <data key={quoteattr(_key(domain, name))}>{_text(values[name])}</data>\n"
        for name in keys
        if values[name] is not None
    )


def _key(domain: str, name: str) -> str:
    return f"{domain}_{name}"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    return escape(_NOT_IN_XML.sub("\ufffd", str(value)))


def _list(items: Iterable[object]) -> str | None:
    held = list(items)
    return json.dumps(held, ensure_ascii=False) if held else None
