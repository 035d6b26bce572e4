"""`clew schema`: which metadata the documents of a collection must have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.engine.metadata_schema import schema_json
from clew.serve.cli import options
from clew.serve.cli.display import schema_lines, schema_report_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json

application = typer.Typer(
    no_args_is_help=True, help="Say which metadata the documents of a collection must have."
)


@application.command(name="set", epilog=EXIT_CODES_HELP)
def set_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .toml or .json file.")],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    as_json: options.AsJson = False,
) -> None:
    """Set the schema that every later `add` obeys, and name the documents that break it.

    Those stay as they are until they are added again.
    """
    with guarded():
        with Clew.open(store, collection) as clew:
            report = clew.set_schema(file)
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(schema_report_lines(report))


@application.command(epilog=EXIT_CODES_HELP)
def show(
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    as_json: options.AsJson = False,
) -> None:
    """Show the schema; with --json as `clew schema set` reads it, null where there is none."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            schema = clew.schema()
        if as_json:
            write_json(None if schema is None else schema_json(schema))
        else:
            write_lines(schema_lines(schema))


@application.command(epilog=EXIT_CODES_HELP)
def clear(
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    as_json: options.AsJson = False,
) -> None:
    """Remove the schema: documents may have any metadata again."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            report = clew.set_schema(None)
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(["The collection has no schema; any metadata are taken."])
