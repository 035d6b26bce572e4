"""`clew documents`: what was added."""

from __future__ import annotations

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.display import document_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import document_json, write_json
from clew.serve.cli.parameters import principal_of

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def documents(
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """List the documents of a collection: id, language, date, source and title."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            found = clew.documents(principal=principal_of(group))
        if as_json:
            write_json({"documents": [document_json(document) for document in found]})
        else:
            write_lines(document_lines(found))
