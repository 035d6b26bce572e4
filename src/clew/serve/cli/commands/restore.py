"""`clew restore`: a store from a backup."""

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
def restore(
    source: Annotated[Path, typer.Argument(metavar="SRC", help="A backup, or another store.")],
    destination: Annotated[Path, typer.Argument(metavar="DEST", help="The store to make.")],
    overwrite: options.Overwrite = False,
    as_json: options.AsJson = False,
) -> None:
    """Make a store from a backup: verified, brought to the present format, indexes built."""
    with guarded():
        report = Clew.restore(source, destination, overwrite=overwrite)
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(backup_lines("Restored", report))
