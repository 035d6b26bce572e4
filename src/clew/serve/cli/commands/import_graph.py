"""`clew import`: an export of Clew, microsoft/graphrag or LightRAG into a collection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines, write_problems
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.progress import progress_bars
from clew.serve.cli.transfer_lines import import_lines, import_problem_lines

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def import_graph(
    source: Annotated[Path, typer.Argument(metavar="SRC", help="The folder of an export.")],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    format: Annotated[
        str, typer.Option("--format", help="auto, jsonl, parquet, graphrag or lightrag.")
    ] = "auto",
    as_json: options.AsJson = False,
) -> None:
    """Bring in documents and graph of an export; the same call goes on where one was interrupted.

    What could not be taken over is counted by reason on stderr.
    """
    with guarded(interrupted="interrupted; nothing is lost. To go on, give the same command again"):
        with Clew.open(store, collection) as clew, progress_bars() as progress:
            report = clew.import_graph(source, format=format, progress=progress)
        write_problems(import_problem_lines(report))
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(import_lines(report))
