"""From the facade's `export` to the exchange stage."""

from __future__ import annotations

from pathlib import Path

from clew.core.errors import QueryError
from clew.core.query import Principal
from clew.core.transfer import ExportFormat, ExportReport
from clew.engine.components import Components
from clew.engine.loading import load
from clew.settings.model import ChunkingPreset

TITLES_IN_VECTORS = "titles_in_vectors"


def export(
    components: Components,
    path: str | Path,
    *,
    format: ExportFormat | str,
    text: bool,
    vectors: bool,
    overwrite: bool,
    principal: Principal,
) -> ExportReport:
    """Write the collection to `path`.

    Raises:
        QueryError: the format is unknown.
        StoreError: the files cannot be written, or something is there already.
    """
    store, collection = components.store, components.collection
    chosen = export_format(format)
    collected = load("clew.exchange.collecting:Collected")(
        store, collection, principal, vectors=vectors
    )
    report: ExportReport = load("clew.exchange.export:export_collection")(
        collected,
        Path(path),
        format=chosen,
        text=text,
        facts={**store.facts(collection), TITLES_IN_VECTORS: titles_in_vectors(components)},
        overwrite=overwrite,
    )
    return report


def export_format(name: ExportFormat | str) -> ExportFormat:
    """Return the format called `name`.

    Raises:
        QueryError: there is none.
    """
    try:
        return ExportFormat(name)
    except ValueError:
        known = ", ".join(ExportFormat)
        raise QueryError(f"unknown export format {name!r}; choose one of: {known}") from None


def titles_in_vectors(components: Components) -> str:
    """Return whether titles are part of what is embedded, as a fact: it tells vectors apart."""
    return str(components.settings.chunking.preset is not ChunkingPreset.PAPER_V1).lower()
