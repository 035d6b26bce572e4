"""From the facade's `import_graph` to an import."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from clew.core.errors import QueryError
from clew.core.jobs import Progress
from clew.core.transfer import ImportFormat, ImportReport
from clew.engine.components import Components
from clew.engine.indexing.name_memory import NameMemory
from clew.engine.loading import load
from clew.engine.model_check import EMBEDDER
from clew.engine.transfer.exporting import TITLES_IN_VECTORS, titles_in_vectors
from clew.engine.transfer.importing import Import, batches

_NAMES = 500


def import_graph(
    components: Components,
    path: str | Path,
    *,
    format: ImportFormat | str,
    progress: Callable[[Progress], None] | None,
) -> ImportReport:
    """Bring an export into the collection.

    Raises:
        QueryError: the format is unknown.
        IngestError: the export cannot be read.
        StoreError: the store cannot be written.
    """
    store, collection = components.store, components.collection
    embedder = components.embedder()

    def find_names(keys: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for part in batches(keys, _NAMES):
            found.update(store.find_names(collection, part))
        return found

    reader = load("clew.exchange.opening:open_reader")(
        Path(path), format=import_format(format), find_names=find_names
    )
    titled = titles_in_vectors(components)
    same = (embedder.fingerprint, titled) == (
        reader.facts.get(EMBEDDER),
        reader.facts.get(TITLES_IN_VECTORS),
    )
    return Import(
        store,
        collection,
        NameMemory(embedder),
        reader,
        same_vectors=same,
        titled=titled == "true",
        report_progress=progress,
    ).run(str(path))


def import_format(name: ImportFormat | str) -> ImportFormat:
    """Return the format called `name`.

    Raises:
        QueryError: there is none.
    """
    try:
        return ImportFormat(name)
    except ValueError:
        known = ", ".join(ImportFormat)
        raise QueryError(f"unknown import format {name!r}; choose one of: {known}") from None
