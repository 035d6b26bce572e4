"""`clew entities unmerge`: two entities are not one."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.entity_display import unmerge_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json

application = typer.Typer()


@application.command(name="unmerge", epilog=EXIT_CODES_HELP)
def entities_unmerge(
    name: Annotated[str, typer.Argument(metavar="A", help="A name, or an id.")],
    other: Annotated[
        str | None, typer.Argument(metavar="B", help="What is not A. Default: merged last.")
    ] = None,
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    as_json: options.AsJson = False,
) -> None:
    """Take back the merge of A and B; or, if resolution took B for A, read its documents again.

    Either way the decision holds for documents to come.
    """
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            report = clew.entities.unmerge(name, other)
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(unmerge_lines(report))
