"""`clew algorithms rings`: cycles and dense groups."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.algorithm_display import ring_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.options import moment
from clew.serve.cli.parameters import principal_of

application = typer.Typer()


@application.command(name="rings", epilog=EXIT_CODES_HELP)
def algorithms_rings(
    entity_type: Annotated[
        list[str], typer.Argument(metavar="TYPE...", help="Labels or kinds, such as Account.")
    ],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    min_size: Annotated[int, typer.Option("--min-size", help="Smallest ring, 2 to 12.")] = 3,
    max_size: Annotated[int, typer.Option("--max-size", help="Longest cycle, up to 12.")] = 8,
    limit: Annotated[int, typer.Option("--limit", help="How many to show.")] = 100,
    kind: options.EdgeKinds = None,
    as_of: options.AsOf = None,
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """Find cycles and dense groups among the things of a type. Exits with 4 if there is none."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            found = clew.algorithms.fraud_ring_detection(
                entity_type,
                min_size,
                max_ring_size=max_size,
                limit=limit,
                kinds=kind or (),
                temporal_at=moment("--as-of", as_of),
                principal=principal_of(group),
            )
        if as_json:
            write_json({"rings": to_json(found.rings), "partial": to_json(found.partial)})
        else:
            write_lines(ring_lines(found))
        if not found:
            raise typer.Exit(ExitCode.NOTHING_FOUND)
