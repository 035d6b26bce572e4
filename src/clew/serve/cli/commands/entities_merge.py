"""`clew entities merge`: two entities are one."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.entity_display import merge_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json

application = typer.Typer()


@application.command(name="merge", epilog=EXIT_CODES_HELP)
def entities_merge(
    kept: Annotated[str, typer.Argument(metavar="A", help="A name, or an id.")],
    merged: Annotated[str, typer.Argument(metavar="B", help="What is A too.")],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    as_json: options.AsJson = False,
) -> None:
    """Decide that B is A, now and for documents to come, and report what contradicts itself.

    `clew entities unmerge A B` brings both back as they were.
    """
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            report = clew.entities.merge(kept, merged)
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(merge_lines(report))
