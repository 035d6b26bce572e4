"""A trace as GraphML (Brandes et al. 2002): things and passages, path edges and mentions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clew.core.ids import format_id
from clew.engine.trace.markup import plain
from clew.engine.trace.trace import Trace

_NODE_KEYS = {
    "type": "string",
    "name": "string",
    "hop": "int",
    "seed_rank": "int",
    "similarity": "double",
    "degree": "int",
    "rank": "int",
    "score": "double",
    "source": "string",
    "text": "string",
    "cited_as": "string",
}
_EDGE_KEYS = {
    "kind": "string",
    "relation": "string",
    "confidence": "double",
    "paths": "string",
}


def trace_graphml(trace: Trace) -> str:
    """Return the trace as a directed graph. Ids stand for nodes and passages alike."""
    return "\n".join(_lines(trace)) + "\n"


def _lines(trace: Trace) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for owner, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name, kind in keys.items():
            yield (
                f'<key id="{owner}_{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>'
            )
    yield '<key id="question" for="graph" attr.name="question" attr.type="string"/>'
    yield '<graph id="trace" edgedefault="directed">'
    yield f'<data key="question">{plain(trace.question)}</data>'
    for node in trace.nodes:
        yield _item(
            f'node id="{format_id(node.id)}"',
            "node",
            {
                "type": "thing",
                "name": node.name,
                "hop": node.hop,
                "seed_rank": node.seed_rank,
                "similarity": node.similarity,
                "degree": node.degree,
            },
        )
    for passage in trace.passages:
        yield _item(
            f'node id="{format_id(passage.id)}"',
            "node",
            {
                "type": "passage",
                "name": passage.title or passage.source,
                "rank": passage.rank,
                "score": passage.score,
                "similarity": passage.similarity,
                "source": passage.source,
                "text": passage.text,
                "cited_as": ", ".join(map(str, passage.markers)) or None,
            },
        )
    known = {node.id for node in trace.nodes} | {passage.id for passage in trace.passages}
    for edge in trace.edges:
        if {edge.source, edge.target} <= known:
            yield _item(
                f'edge id="{format_id(edge.id)}" source="{format_id(edge.source)}" '
                f'target="{format_id(edge.target)}"',
                "edge",
                {
                    "kind": edge.kind,
                    "relation": edge.relation,
                    "confidence": edge.confidence,
                    "paths": ", ".join(map(str, edge.paths)),
                },
            )
    for passage in trace.passages:
        for target in passage.nodes:
            yield _item(
                f'edge source="{format_id(passage.id)}" target="{format_id(target)}"',
                "edge",
                {"kind": "mentions", "relation": "mentions"},
            )
    yield "</graph>"
    yield "</graphml>"


def _item(head: str, owner: str, values: Mapping[str, object]) -> str:
    data = "".join(
        f'<data key="{owner}_{name}">{plain(value)}</data>'
        for name, value in values.items()
        if value is not None
    )
    return f"<{head}>{data}</{head.partition(' ')[0]}>"
