"""`clew status`: what a collection holds and how it is."""

from __future__ import annotations

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.display import status_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def status(
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    as_json: options.AsJson = False,
) -> None:
    """Show counts, the embedding model, unfinished work and disk use of a collection."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            found = clew.status()
            collections = clew.collections()
        if as_json:
            write_json({"status": to_json(found), "collections": to_json(collections)})
        else:
            write_lines(status_lines(found))
