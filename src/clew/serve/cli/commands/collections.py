"""`clew collections`: the collections of a store."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import write_json

application = typer.Typer(no_args_is_help=True, epilog=EXIT_CODES_HELP)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The collection.")]


@application.callback()
def collections() -> None:
    """List, create and delete the collections of a store."""


@application.command("list", epilog=EXIT_CODES_HELP)
def list_collections(
    store: options.Store = options.DEFAULT_STORE, as_json: options.AsJson = False
) -> None:
    """List the collections by name."""
    with guarded():
        with Clew.open(store, create=False) as clew:
            names = clew.collections()
        if as_json:
            write_json({"collections": list(names)})
        else:
            write_lines(names)


@application.command(epilog=EXIT_CODES_HELP)
def create(
    name: Name,
    store: options.Store = options.DEFAULT_STORE,
    as_json: options.AsJson = False,
) -> None:
    """Make an empty collection; `clew add --collection NAME` makes one too."""
    with guarded():
        with Clew.open(store) as clew:
            clew.create_collection(name)
        if as_json:
            write_json({"created": name})
        else:
            write_lines([f"created {name}"])


@application.command(epilog=EXIT_CODES_HELP)
def delete(
    name: Name,
    store: options.Store = options.DEFAULT_STORE,
    as_json: options.AsJson = False,
) -> None:
    """Remove a collection with all that is in it; it cannot be brought back."""
    with guarded():
        with Clew.open(store, create=False) as clew:
            clew.delete_collection(name)
        if as_json:
            write_json({"deleted": name})
        else:
            write_lines([f"deleted {name}"])
