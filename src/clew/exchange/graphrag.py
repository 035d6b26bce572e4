"""Reading the output folder of microsoft/graphrag, versions 0.1 to 3.

Tables are Parquet files called `entities.parquet` (since 2.0), or `create_final_entities.parquet`
(before). Columns differ by version: an entity's name is `name` before 0.4 and `title` since; text
units name `document_ids`, one `document_id` since 3.0; members of communities stand in
`create_final_nodes` before 1.0 and in `entity_ids` since.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clew.core.documents import MetadataValue
from clew.core.errors import IngestError
from clew.core.knowledge import Period
from clew.exchange.foreign import (
    ForeignClaim,
    ForeignCommunity,
    ForeignDocument,
    ForeignEntity,
    ForeignGraph,
    ForeignRelation,
    ForeignUnit,
)
from clew.exchange.parquet import read_rows
from clew.exchange.reading import LeftOut

OLDER = "create_final_"
NEEDED = ("entities", "relationships", "text_units")

_Row = dict[str, Any]


def table_path(folder: Path, table: str) -> Path | None:
    """Return the file of a table under its newer or older name, None if there is none."""
    candidates = (folder / f"{prefix}{table}.parquet" for prefix in ("", OLDER))
    return next((path for path in candidates if path.is_file()), None)


def read_graphrag(folder: Path, left_out: LeftOut) -> ForeignGraph:
    """Return the graph in a folder.

    Raises:
        IngestError: a table is missing or cannot be read.
    """
    for table in NEEDED:
        if table_path(folder, table) is None:
            raise IngestError(
                f"{folder} has no {table}.parquet and no {OLDER}{table}.parquet; name the folder "
                "that holds the tables of microsoft/graphrag"
            )
    entities = list(_entities(folder))
    names = {row["id"]: row["name"] for row in _named(folder) if row["id"] is not None}
    return ForeignGraph(
        documents=tuple(_documents(folder)),
        units=tuple(_units(folder, left_out)),
        entities=tuple(entities),
        relations=tuple(_relations(folder)),
        claims=tuple(_claims(folder)),
        communities=tuple(_communities(folder, names)),
    )


def _rows(folder: Path, table: str, columns: Sequence[str]) -> Iterator[_Row]:
    """Yield rows with every one of the columns, None where the table has it not."""
    path = table_path(folder, table)
    if path is not None:
        for row in read_rows(path, columns):
            yield {name: row.get(name) for name in columns}


def _documents(folder: Path) -> Iterator[ForeignDocument]:
    columns = ("id", "title", "text", "raw_content", "creation_date", "metadata", "raw_data")
    for row in _rows(folder, "documents", columns):
        yield ForeignDocument(
            key=str(row["id"]),
            title=_text(row["title"]),
            text=row["text"] if row["text"] is not None else row["raw_content"],
            metadata=_metadata(row["metadata"] or row["raw_data"]),
        )


def _units(folder: Path, left_out: LeftOut) -> Iterator[ForeignUnit]:
    """Yield text units in the order of the table, which is that of the documents."""
    for row in _rows(folder, "text_units", ("id", "text", "document_ids", "document_id")):
        owners = _ids(row["document_ids"]) or _ids(row["document_id"])
        if len(owners) > 1:
            left_out.count("text units: other documents that share them", len(owners) - 1)
        yield ForeignUnit(str(row["id"]), owners[0] if owners else "", _text(row["text"]))


def _named(folder: Path) -> Iterator[_Row]:
    for row in _rows(folder, "entities", ("id", "title", "name")):
        name = row["title"] if row["title"] is not None else row["name"]
        yield {"id": row["id"], "name": _bare(name)}


def _entities(folder: Path) -> Iterator[ForeignEntity]:
    columns = ("title", "name", "type", "description", "text_unit_ids")
    for row in _rows(folder, "entities", columns):
        yield ForeignEntity(
            name=_bare(row["title"] if row["title"] is not None else row["name"]),
            type=_bare(row["type"]),
            descriptions=_told(row["description"]),
            units=_ids(row["text_unit_ids"]),
        )


def _relations(folder: Path) -> Iterator[ForeignRelation]:
    columns = ("source", "target", "description", "weight", "text_unit_ids")
    for row in _rows(folder, "relationships", columns):
        yield ForeignRelation(
            source=_bare(row["source"]),
            target=_bare(row["target"]),
            descriptions=_told(row["description"]),
            weight=None if row["weight"] is None else float(row["weight"]),
            units=_ids(row["text_unit_ids"]),
        )


def _claims(folder: Path) -> Iterator[ForeignClaim]:
    columns = (
        "description",
        "subject_id",
        "object_id",
        "status",
        "start_date",
        "end_date",
        "source_text",
        "text_unit_id",
    )
    for row in _rows(folder, "covariates", columns):
        if _text(row["description"]):
            names = (_bare(row["subject_id"]), _bare(row["object_id"]))
            yield ForeignClaim(
                unit=_text(row["text_unit_id"]),
                text=_text(row["description"]),
                subjects=tuple(name for name in names if name and name.upper() != "NONE"),
                status=_text(row["status"]).lower() or "stated",
                period=Period(
                    valid_from=_moment(row["start_date"]), valid_to=_moment(row["end_date"])
                ),
                quote=_text(row["source_text"]),
            )


def _communities(folder: Path, names: Mapping[Any, str]) -> Iterator[ForeignCommunity]:
    reports = {
        (str(row["community"]), int(row["level"] or 0)): _summary(row)
        for row in _rows(
            folder, "community_reports", ("community", "level", "title", "summary", "full_content")
        )
    }
    members = _older_members(folder)
    for row in _rows(folder, "communities", ("id", "community", "level", "parent", "entity_ids")):
        key = str(row["id"] if row["community"] is None else row["community"])
        level = int(row["level"] or 0)
        told = [names[entity] for entity in row["entity_ids"] or () if entity in names]
        parent = row["parent"]
        yield ForeignCommunity(
            key=key,
            level=level,
            members=tuple(told or members.get((key, level), ())),
            parent=None if parent is None or int(parent) < 0 else str(int(parent)),
            summary=reports.get((key, level), ""),
        )


def _older_members(folder: Path) -> dict[tuple[str, int], list[str]]:
    """Return names by community and level, as versions before 1.0 keep them with the nodes."""
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for row in _rows(folder, "nodes", ("title", "community", "level")):
        if row["community"] is not None:
            key = str(row["community"]), int(row["level"] or 0)
            found[key].append(_bare(row["title"]))
    return found


def _summary(row: _Row) -> str:
    """Return the whole report where there is one, since it holds the findings too."""
    whole = _text(row["full_content"])
    return whole or "\n".join(part for part in (_text(row["title"]), _text(row["summary"])) if part)


def _metadata(value: object) -> dict[str, MetadataValue]:
    """Return the plain values of a document's metadata, a mapping or JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    if not isinstance(value, Mapping):
        return {}
    return {
        str(name): held
        for name, held in value.items()
        if isinstance(held, str | int | float | bool)
    }


def _moment(value: object) -> datetime | None:
    text = _text(value)
    with suppress(ValueError):
        read = datetime.fromisoformat(text)
        return read if read.tzinfo else read.replace(tzinfo=UTC)
    return None


def _told(value: object) -> tuple[str, ...]:
    """Return what a description says: one text, or a list of them before they were summarised."""
    return tuple(text for text in _texts(value) if text)


def _ids(value: object) -> tuple[str, ...]:
    """Return a list of ids; the first versions joined them by commas."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return _texts(value)


def _texts(value: object) -> tuple[str, ...]:
    """Return a list of texts, or the one that there is."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value.strip(),) if value.strip() else ()
    if isinstance(value, list):
        return tuple(str(item).strip() for item in value if item is not None)
    return (str(value),)


def _bare(value: object) -> str:
    """Return a name without the quotes that the first versions left around it."""
    return _text(value).strip('"').strip()


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()
