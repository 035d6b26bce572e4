"""From a path to the reader that understands what lies there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clew.core.errors import IngestError
from clew.core.transfer import ImportFormat
from clew.exchange.graphrag import read_graphrag, table_path
from clew.exchange.lightrag import GRAPH, read_lightrag
from clew.exchange.mapping import FindNames, ForeignReader
from clew.exchange.own import OwnReader
from clew.exchange.reading import LeftOut, Reader
from clew.exchange.tables import MANIFEST

_INNER = ("", "output", "artifacts")


def open_reader(path: Path, *, format: ImportFormat, find_names: FindNames) -> Reader:
    """Return the reader of the folder `path`, whose format is looked up if it is `AUTO`.

    Raises:
        IngestError: nothing that can be read lies there, or it is not of that format.
        MissingExtraError: it is Parquet, and pyarrow is not installed.
    """
    if not path.is_dir():
        raise IngestError(f"{path} is no folder; name the folder of an export")
    for folder in _folders(path):
        found = _format_of(folder)
        if found is None or format not in (ImportFormat.AUTO, found):
            continue
        if found in (ImportFormat.JSONL, ImportFormat.PARQUET):
            return OwnReader(folder)
        left_out = LeftOut()
        read = read_graphrag if found is ImportFormat.GRAPHRAG else read_lightrag
        graph = read(folder, left_out)
        return ForeignReader(graph, format=found, find_names=find_names, left_out=left_out)
    wanted = "an export of Clew, microsoft/graphrag or LightRAG"
    if format is not ImportFormat.AUTO:
        wanted = f"an export in the format {format.value}"
    raise IngestError(
        f"{path} does not hold {wanted}; looked for {MANIFEST}, entities.parquet, "
        f"create_final_entities.parquet and {GRAPH}, there and in output/"
    )


def _folders(path: Path) -> Iterator[Path]:
    """Yield where the files may lie: the folder, its `output`, or the newest run below that."""
    for inner in _INNER:
        yield path / inner
    runs = [run / "artifacts" for run in (path / "output").glob("*")]
    yield from sorted((run for run in runs if run.is_dir()), reverse=True)


def _format_of(folder: Path) -> ImportFormat | None:
    if (folder / MANIFEST).is_file():
        return OwnReader(folder).format
    if table_path(folder, "entities") is not None:
        return ImportFormat.GRAPHRAG
    return ImportFormat.LIGHTRAG if (folder / GRAPH).is_file() else None
