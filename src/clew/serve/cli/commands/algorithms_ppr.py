"""`clew algorithms ppr`: things ranked by nearness to given ones."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.algorithm_display import rank_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.options import moment
from clew.serve.cli.parameters import principal_of

application = typer.Typer()


@application.command(name="ppr", epilog=EXIT_CODES_HELP)
def algorithms_ppr(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names or ids.")],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    limit: Annotated[int, typer.Option("--limit", help="How many to show.")] = 20,
    label: options.Labels = None,
    kind: options.EdgeKinds = None,
    damping: Annotated[float, typer.Option("--damping", help="0 to below 1.")] = 0.85,
    as_of: options.AsOf = None,
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """Rank things by a walk that starts again at the named ones. Exits with 4 if there is none."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            found = clew.algorithms.personalised_pagerank(
                *names,
                limit=limit,
                labels=label or (),
                damping=damping,
                kinds=kind or (),
                temporal_at=moment("--as-of", as_of),
                principal=principal_of(group),
            )
        if as_json:
            write_json({"nodes": to_json(found)})
        else:
            write_lines(rank_lines(found))
        if not found:
            raise typer.Exit(ExitCode.NOTHING_FOUND)
