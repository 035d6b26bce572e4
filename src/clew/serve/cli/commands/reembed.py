"""`clew reembed`: vectors of the configured model in the place of another model's."""

from __future__ import annotations

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.progress import progress_bars
from clew.serve.cli.transfer_lines import reembed_lines

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def reembed(
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    as_json: options.AsJson = False,
) -> None:
    """Go over to the embedding model of the settings; the old vectors answer until it is done."""
    with guarded(interrupted="interrupted; nothing is lost. To go on, give the same command again"):
        with Clew.open(store, collection, create=False) as clew, progress_bars() as progress:
            report = clew.reembed(progress=progress)
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(reembed_lines(report))
