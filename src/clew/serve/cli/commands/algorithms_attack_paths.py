"""`clew algorithms attack-paths`: the likeliest ways to a target."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.algorithm_display import costed_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.options import moment
from clew.serve.cli.parameters import principal_of

application = typer.Typer()


@application.command(name="attack-paths", epilog=EXIT_CODES_HELP)
def algorithms_attack_paths(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A name, or a node's id.")],
    entries: Annotated[
        list[str], typer.Argument(metavar="ENTRY...", help="Names or ids to start from.")
    ],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    limit: Annotated[int, typer.Option("--limit", help="How many to show.")] = 5,
    max_hops: Annotated[int, typer.Option("--max-hops", help="Longest path, 1 to 8.")] = 6,
    kind: options.EdgeKinds = None,
    as_of: options.AsOf = None,
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the likeliest ways from an entry to a target, edges walked forward only. Exits with 4 if there is none."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            found = clew.algorithms.attack_paths(
                entries,
                target,
                limit=limit,
                max_hops=max_hops,
                kinds=kind or (),
                temporal_at=moment("--as-of", as_of),
                principal=principal_of(group),
            )
        if as_json:
            write_json({"paths": to_json(found.paths), "partial": to_json(found.partial)})
        else:
            write_lines(costed_lines(found))
        if not found:
            raise typer.Exit(ExitCode.NOTHING_FOUND)
