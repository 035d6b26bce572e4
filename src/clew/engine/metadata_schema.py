"""The schema of a collection's metadata, kept among its facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from clew.core.errors import SchemaError, StoreError
from clew.core.metadata_schema import MetadataSchema, SchemaReport, SchemaViolation
from clew.core.ports import Store
from clew.ingest.metadata_schema import problems_as_stored
from clew.ingest.schema_files import read_schema, read_schema_file, write_schema

SCHEMA = "metadata_schema"
SchemaInput = MetadataSchema | Mapping[str, object] | Path


def schema_of(given: SchemaInput | None) -> MetadataSchema | None:
    """Return a schema that is given as such, as a mapping, or as the path of a file.

    Raises:
        SchemaError: it is malformed.
    """
    if given is None:
        return None
    if isinstance(given, MetadataSchema):
        return read_schema(write_schema(given))
    return read_schema_file(given) if isinstance(given, Path) else read_schema(given)


def stored_schema(store: Store, collection: str) -> MetadataSchema | None:
    """Return the schema that a collection's documents must obey, None where there is none.

    Raises:
        StoreError: what is stored is no schema.
    """
    written = store.facts(collection).get(SCHEMA)
    if written is None:
        return None
    try:
        held = json.loads(written)
        return None if held is None else read_schema(held)
    except (ValueError, SchemaError) as error:
        raise StoreError(
            f"the schema of the collection {collection!r} cannot be read ({error}); set it again "
            "or clear it with clew schema"
        ) from error


def set_schema(store: Store, collection: str, schema: MetadataSchema | None) -> SchemaReport:
    """Keep a schema, or none, and return which documents that are there break it."""
    written = None if schema is None else write_schema(schema)
    with store.transaction():
        store.set_fact(collection, SCHEMA, json.dumps(written, ensure_ascii=False))
    documents = store.documents(collection)
    if schema is None:
        return SchemaReport(len(documents))
    found = ((document, problems_as_stored(document.metadata, schema)) for document in documents)
    return SchemaReport(
        len(documents),
        tuple(
            SchemaViolation(document.id, document.source, problems)
            for document, problems in found
            if problems
        ),
    )


def schema_json(schema: MetadataSchema) -> dict[str, object]:
    """Return a schema as it is written in a file."""
    return write_schema(schema)
