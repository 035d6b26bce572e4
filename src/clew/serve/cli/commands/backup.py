"""`clew backup`: the whole store in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.display import backup_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def backup(
    destination: Annotated[Path, typer.Argument(metavar="DEST", help="The file to write.")],
    store: options.Store = options.DEFAULT_STORE,
    overwrite: options.Overwrite = False,
    as_json: options.AsJson = False,
) -> None:
    """Copy all collections of a store to one file, verified, while others use the store."""
    with guarded():
        with Clew.open(store, create=False) as clew:
            report = clew.backup(destination, overwrite=overwrite)
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(backup_lines("Written", report))
