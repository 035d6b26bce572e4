"""Reading the working folder of LightRAG (HKUDS), with its default storages.

`graph_chunk_entity_relation.graphml` holds entities and relations, `kv_store_text_chunks.json` the
passages and `kv_store_full_docs.json` the documents. What came from several passages is joined by
`<SEP>`. Versions before 1.0 (and nano-graphrag) put quotes around names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from clew.core.errors import IngestError
from clew.exchange.foreign import (
    ForeignDocument,
    ForeignEntity,
    ForeignGraph,
    ForeignRelation,
    ForeignUnit,
)
from clew.exchange.reading import LeftOut

GRAPH = "graph_chunk_entity_relation.graphml"
CHUNKS = "kv_store_text_chunks.json"
DOCUMENTS = "kv_store_full_docs.json"
SEPARATOR = "<SEP>"

_NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
_NO_PATHS = frozenset({"", "unknown_source", "no-file-path"})


def read_lightrag(folder: Path, left_out: LeftOut) -> ForeignGraph:
    """Return the graph in a folder.

    Raises:
        IngestError: a file is missing or cannot be read.
    """
    chunks = _objects(folder / CHUNKS)
    documents = _objects(folder / DOCUMENTS) if (folder / DOCUMENTS).is_file() else {}
    entities, relations = _graph(folder / GRAPH)
    if any(folder.glob("vdb_*.json")):
        left_out.note(
            "the vectors in vdb_*.json were made by another model; passages were embedded anew"
        )
    return ForeignGraph(
        documents=tuple(_documents(documents, chunks)),
        units=tuple(_units(chunks)),
        entities=tuple(_entity(values) for values in entities),
        relations=tuple(_relation(values) for values in relations),
    )


def _objects(path: Path) -> dict[str, dict[str, Any]]:
    """Return the objects of a key-value store by key."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise IngestError(f"{path} cannot be read: {error}") from error
    if not isinstance(held, dict):
        raise IngestError(f"{path} holds no JSON object")
    return {key: value for key, value in held.items() if isinstance(value, dict)}


def _documents(
    documents: Mapping[str, Mapping[str, Any]], chunks: Mapping[str, Mapping[str, Any]]
) -> Iterator[ForeignDocument]:
    """Yield documents; the path of a document's file may stand with its passages alone."""
    paths: dict[str, str] = {}
    for chunk in chunks.values():
        paths.setdefault(str(chunk.get("full_doc_id", "")), str(chunk.get("file_path") or ""))
    for key in dict.fromkeys((*documents, *(paths.keys() - {""}))):
        told = documents.get(key, {})
        path = str(told.get("file_path") or paths.get(key, ""))
        yield ForeignDocument(
            key=key,
            title="" if path in _NO_PATHS else path,
            text=told.get("content"),
        )


def _units(chunks: Mapping[str, Mapping[str, Any]]) -> list[ForeignUnit]:
    ordered = sorted(
        chunks.items(),
        key=lambda item: (str(item[1].get("full_doc_id", "")), _order(item[1]), item[0]),
    )
    return [
        ForeignUnit(key, str(chunk.get("full_doc_id") or ""), str(chunk.get("content") or ""))
        for key, chunk in ordered
    ]


def _order(chunk: Mapping[str, Any]) -> int:
    order = chunk.get("chunk_order_index")
    return order if isinstance(order, int) else 0


def _entity(values: Mapping[str, str]) -> ForeignEntity:
    return ForeignEntity(
        name=_bare(values.get("entity_id") or values["id"]),
        type=_bare(values.get("entity_type", "")),
        descriptions=_parts(values.get("description", "")),
        units=_parts(values.get("source_id", "")),
    )


def _relation(values: Mapping[str, str]) -> ForeignRelation:
    keywords = (
        word.strip().strip('"')
        for part in _parts(values.get("keywords", ""))
        for word in part.split(",")
    )
    return ForeignRelation(
        source=_bare(values["source"]),
        target=_bare(values["target"]),
        descriptions=_parts(values.get("description", "")),
        keywords=tuple(word for word in keywords if word),
        weight=_number(values.get("weight")),
        units=_parts(values.get("source_id", "")),
    )


def _graph(path: Path) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Return the attributes of nodes and of edges, by the names that the keys declare.

    The file is read as a stream; entities that XML declares are not resolved.
    """
    names: dict[str, str] = {}
    nodes: list[dict[str, str]] = []
    edges: list[dict[str, str]] = []
    tags = [_NAMESPACE + tag for tag in ("key", "node", "edge")]
    try:
        with path.open("rb") as file:
            for _, element in etree.iterparse(
                file, events=("end",), tag=tags, resolve_entities=False, no_network=True
            ):
                if element.tag == tags[0]:
                    names[element.get("id")] = element.get("attr.name")
                    continue
                (nodes if element.tag == tags[1] else edges).append(_attributes(element, names))
                element.clear()
    except (OSError, etree.XMLSyntaxError) as error:
        raise IngestError(f"{path} cannot be read as GraphML: {error}") from error
    except KeyError as error:
        raise IngestError(f"{path} uses the undeclared key {error}") from error
    return nodes, edges


def _attributes(element: Any, names: Mapping[str, str]) -> dict[str, str]:  # noqa: ANN401
    values = {names[data.get("key")]: data.text or "" for data in element.iter(f"{_NAMESPACE}data")}
    return {**values, **dict(element.attrib)}


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in (held.strip() for held in text.split(SEPARATOR)) if part)


def _bare(text: str) -> str:
    return text.strip().strip('"').strip()


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
