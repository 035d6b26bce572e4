"""`clew path`: how two things are connected."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.display import path_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.options import moment
from clew.serve.cli.parameters import principal_of

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def path(
    first: Annotated[str, typer.Argument(metavar="A", help="A name, or a node's id.")],
    second: Annotated[str, typer.Argument(metavar="B", help="A name, or a node's id.")],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    max_hops: Annotated[int, typer.Option("--max-hops", help="Longest path, 1 to 8.")] = 4,
    as_of: options.AsOf = None,
    known_as_of: options.KnownAsOf = None,
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the shortest paths between two things, the surest first. Exits with 4 if there is none.

    A passage that mentions two things joins them by two hops.
    """
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            paths = clew.path(
                first,
                second,
                max_hops=max_hops,
                temporal_at=moment("--as-of", as_of),
                known_as_of=moment("--known-as-of", known_as_of),
                principal=principal_of(group),
            )
        if as_json:
            write_json({"from": first, "to": second, "paths": to_json(paths)})
        elif paths:
            write_lines(path_lines(paths))
        else:
            write_lines([f"No path of at most {max_hops} hops leads from {first} to {second}."])
        if not paths:
            raise typer.Exit(ExitCode.NOTHING_FOUND)
