"""`clew entities list`: the things that the documents speak of."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.entity_display import list_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.parameters import principal_of

application = typer.Typer()


@application.command(name="list", epilog=EXIT_CODES_HELP)
def entities_list(
    search: Annotated[str, typer.Argument(help="A part of a name or alias.")] = "",
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    prefix: Annotated[str, typer.Option("--prefix", help="The beginning of a name.")] = "",
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="entity, concept, event, metric, document; repeatable."),
    ] = None,
    label: options.Labels = None,
    order: Annotated[str, typer.Option("--sort", help="mentions or name.")] = "mentions",
    limit: Annotated[int, typer.Option("--limit", help="How many to list.")] = 50,
    offset: Annotated[int, typer.Option("--offset", help="How many to leave out before.")] = 0,
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """List entities with the number of passages that mention them. Exits with 4 if there is none."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            found = clew.entities.list(
                search=search,
                prefix=prefix,
                kinds=kind or (),
                labels=label or (),
                order=order,
                limit=limit,
                offset=offset,
                principal=principal_of(group),
            )
        if as_json:
            write_json({"total": found.total, "entities": to_json(found.nodes)})
        else:
            write_lines(list_lines(found))
        if not found.total:
            raise typer.Exit(ExitCode.NOTHING_FOUND)
