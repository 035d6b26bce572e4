"""`clew versions`: the versions of a document that the store keeps."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.display import version_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def versions(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A source as `documents` shows it, or an id.")
    ],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    as_json: options.AsJson = False,
) -> None:
    """List the versions of a document, oldest first, with the time in which each stood."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            found = clew.versions(source)
        if as_json:
            write_json({"versions": to_json(found)})
        else:
            write_lines(version_lines(found))
