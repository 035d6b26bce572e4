"""`clew entities show`: names, evidence, merges and contradictions of one entity."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.entity_display import details_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.parameters import principal_of

application = typer.Typer()


@application.command(name="show", epilog=EXIT_CODES_HELP)
def entities_show(
    name: Annotated[str, typer.Argument(help="A name, or an id.")],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    limit: Annotated[int, typer.Option("--limit", help="Passages and edges to show.")] = 20,
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """Show an entity: its names, labels, passages, edges, why names were merged, and conflicts."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            found = clew.entities.show(name, limit=limit, principal=principal_of(group))
        if as_json:
            write_json(to_json(found))
        else:
            write_lines(details_lines(found))
