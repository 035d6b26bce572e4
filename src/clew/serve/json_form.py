"""Core types as JSON: ids as sixteen hexadecimal digits, times in ISO 8601, sets as sorted lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from numbers import Integral, Real
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

from clew.core.documents import Document
from clew.core.ids import format_id
from clew.core.results import Answer, Path, Provenance, Retrieval

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_ID_FIELDS = frozenset(
    (
        "id kept document doc_id chunk chunk_id node node_id edge source target parent superseded_by "
        "into other other_node claim"
    ).split()
)
_ID_LIST_FIELDS = frozenset(
    "nodes edge_path edge_ids members subjects seed_node_ids documents chunks".split()
)


def answer_json(answer: Answer) -> Json:
    """Return an answer with its evidence; the passages that were retrieved stand in `results`."""
    retrieval = answer.retrieval
    return {
        "question": answer.question,
        "mode": retrieval.query.mode.value,
        "answer": answer.text,
        "answered": answer.answered,
        "model": answer.model,
        "verdicts": to_json(answer.verdicts),
        "confidence": answer.confidence,
        "contradictions": to_json(answer.contradictions),
        "sources": to_json(answer.sources),
        "reasoning_path": to_json(answer.reasoning_path),
        **_evidence(retrieval),
        "timings": to_json(answer.timings),
    }


def retrieval_json(retrieval: Retrieval) -> Json:
    """Return ranked passages with paths and provenance."""
    return {
        "question": retrieval.query.text,
        "mode": retrieval.query.mode.value,
        **_evidence(retrieval),
        "timings": to_json(retrieval.timings),
    }


def document_json(document: Document) -> Json:
    """Return what describes a document; its text is left out."""
    return {
        field.name: _field_json(field.name, getattr(document, field.name))
        for field in fields(document)
        if field.name not in {"text", "pages"}
    } | {"characters": len(document.text), "pages": len(document.pages)}


def to_json(value: object) -> Json:
    """Return any core value as JSON."""
    if value is None or (isinstance(value, bool | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return to_json(value.value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _record(value)
    if isinstance(value, AbstractSet):
        return sorted((to_json(item) for item in value), key=str)
    if isinstance(value, Iterable):
        return [to_json(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _evidence(retrieval: Retrieval) -> dict[str, Json]:
    names = (
        "results",
        "communities",
        "paths",
        "provenance",
        "subgraph",
        "seed_fusion_stats",
        "pruning_stats",
        "suppressed",
        "partial",
        "notes",
        "routing",
        "temporal",
        "refused",
    )
    return {name: to_json(getattr(retrieval, name)) for name in names}


def _record(value: DataclassInstance) -> dict[str, Json]:
    record = {
        field.name: _field_json(field.name, getattr(value, field.name)) for field in fields(value)
    }
    if isinstance(value, Path):
        record["description"] = value.description
    if isinstance(value, Provenance):
        record["annotation"] = value.annotation
    return record


def _field_json(name: str, value: object) -> Json:
    """Return a field's value; integers in fields of ids are written as ids."""
    if name in _ID_FIELDS and isinstance(value, int):
        return format_id(value)
    if name in _ID_LIST_FIELDS and isinstance(value, tuple | AbstractSet):
        if isinstance(value, AbstractSet):
            return sorted_ids(value)
        # The nodes of a subgraph are nodes, those of a path are ids.
        return [format_id(one) if isinstance(one, int) else to_json(one) for one in value]
    return to_json(value)


def sorted_ids(identifiers: Iterable[int]) -> Json:
    """Return ids in their public form, in order."""
    return [format_id(identifier) for identifier in sorted(identifiers)]
