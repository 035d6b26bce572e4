"""Writing a collection to files, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from clew.core.transfer import ExportFormat, ExportReport
from clew.exchange import json_lines, parquet
from clew.exchange.collecting import Collected
from clew.exchange.graphml import write_graphml
from clew.exchange.placing import placed
from clew.exchange.tables import FORMAT_VERSION, MANIFEST, TABLES, columns_of


def export_collection(
    collected: Collected,
    path: Path,
    *,
    format: ExportFormat,
    text: bool = True,
    facts: Mapping[str, str],
    overwrite: bool = False,
) -> ExportReport:
    """Write what `collected` gives to `path`: a file for GraphML, a folder for the other formats.

    Args:
        collected: the rows, as a principal may see them.
        text: whether documents, passages, claims and summaries come with their text; without it
            the export cannot be imported.
        facts: what the manifest says of the models, such as the embedder's fingerprint.
        overwrite: whether what is at `path` may be replaced.

    Raises:
        MissingExtraError: Parquet is asked for and pyarrow is not installed.
        StoreError: the collection cannot be read, or the files cannot be written.
    """
    with placed(path, overwrite=overwrite) as beside:
        if format is ExportFormat.GRAPHML:
            rows = write_graphml(beside, collected.rows("nodes"), collected.edges())
        else:
            beside.mkdir()
            rows = _write_tables(collected, beside, format=format, text=text)
            _write_manifest(beside, format=format, text=text, rows=rows, facts=facts)
    return ExportReport(str(path), format, rows)


def _write_tables(
    collected: Collected, folder: Path, *, format: ExportFormat, text: bool
) -> dict[str, int]:
    writer = parquet if format is ExportFormat.PARQUET else json_lines
    return {
        table: writer.write_table(
            folder,
            table,
            collected.rows(table),
            columns_of(table, text=text, vectors=collected.vectors),
        )
        for table in TABLES
    }


def _write_manifest(
    folder: Path,
    *,
    format: ExportFormat,
    text: bool,
    rows: Mapping[str, int],
    facts: Mapping[str, str],
) -> None:
    manifest = {
        "clew": FORMAT_VERSION,
        "format": format.value,
        "text": text,
        "facts": dict(facts),
        "rows": dict(rows),
    }
    written = json.dumps(manifest, ensure_ascii=False, indent=2)
    (folder / MANIFEST).write_text(written + "\n", encoding="utf-8", newline="\n")
