"""`clew remove`: a document and all that rested on it."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.display import receipt_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def remove(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A source as `documents` shows it, or an id.")
    ],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    as_json: options.AsJson = False,
) -> None:
    """Remove a document with its passages, and the knowledge that rested on it alone."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            receipt = clew.remove(source)
        if as_json:
            write_json(to_json(receipt))
        else:
            write_lines(receipt_lines(receipt))
