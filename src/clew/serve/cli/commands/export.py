"""`clew export`: a collection into files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.parameters import principal_of
from clew.serve.cli.transfer_lines import export_lines

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def export(
    destination: Annotated[
        Path, typer.Argument(metavar="DEST", help="A new folder; for graphml a file.")
    ],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    format: Annotated[
        str, typer.Option("--format", help="jsonl, parquet, or graphml (the graph alone).")
    ] = "jsonl",
    text: Annotated[
        bool, typer.Option("--text/--no-text", help="With the text of documents and passages.")
    ] = True,
    vectors: Annotated[bool, typer.Option("--vectors/--no-vectors", help="With vectors.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace what is at DEST.")] = False,
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """Write a collection to files that `clew import` and other programs read."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            report = clew.export(
                destination,
                format=format,
                text=text,
                vectors=vectors,
                overwrite=force,
                principal=principal_of(group),
            )
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(export_lines(report))
