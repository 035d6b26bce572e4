"""The command line `clew`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import typer

from clew.engine.version import VERSION
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.lazy import LazyGroup, Place

_COMMANDS = "clew.serve.cli.commands"


class Commands(LazyGroup):
    """Every command of `clew`."""

    PLACES: ClassVar[Mapping[str, Place]] = {
        "add": Place(f"{_COMMANDS}.add", "Add files, folders, web pages or .jsonl records."),
        "estimate": Place(f"{_COMMANDS}.estimate", "Quote what a language model would cost."),
        "watch": Place(f"{_COMMANDS}.watch", "Add folders and follow their changes."),
        "schema": Place(f"{_COMMANDS}.schema", "Say which metadata the documents must have."),
        "ask": Place(f"{_COMMANDS}.ask", "Answer a question, with sources and the path."),
        "chat": Place(f"{_COMMANDS}.chat", "Talk with the documents; follow-ups are understood."),
        "search": Place(f"{_COMMANDS}.search", "Find passages."),
        "path": Place(f"{_COMMANDS}.path", "Show how two things are connected."),
        "algorithms": Place(f"{_COMMANDS}.algorithms", "Rank things, find paths and rings."),
        "status": Place(f"{_COMMANDS}.status", "Show what a collection holds."),
        "remove": Place(f"{_COMMANDS}.remove", "Remove a document and what rested on it."),
        "versions": Place(f"{_COMMANDS}.versions", "List the versions of a document."),
        "doctor": Place(f"{_COMMANDS}.doctor", "Say what is wrong with a store, and mend it."),
        "backup": Place(f"{_COMMANDS}.backup", "Copy a store to one file while it is in use."),
        "restore": Place(f"{_COMMANDS}.restore", "Make a store from a backup."),
        "communities": Place(f"{_COMMANDS}.communities", "Build, list and show communities."),
        "entities": Place(f"{_COMMANDS}.entities", "List, show, merge and unmerge entities."),
        "documents": Place(f"{_COMMANDS}.documents", "List the documents."),
        "collections": Place(f"{_COMMANDS}.collections", "List, create, delete collections."),
        "export": Place(f"{_COMMANDS}.export", "Write a collection to files."),
        "import": Place(f"{_COMMANDS}.import_graph", "Bring in an export, also of others."),
        "serve": Place(f"{_COMMANDS}.serve", "Serve a store over HTTP."),
        "mcp": Place(f"{_COMMANDS}.mcp", "Serve a store to agents over MCP."),
        "keys": Place(f"{_COMMANDS}.keys", "Make, list and remove API keys."),
        "reembed": Place(f"{_COMMANDS}.reembed", "Go over to another embedding model."),
    }


application = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog=EXIT_CODES_HELP,
)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - Typer's callback
    if wanted:
        typer.echo(f"clew {VERSION}")
        raise typer.Exit


@application.callback()
def clew(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Answer questions over your documents and show the thread of evidence."""


def run() -> None:
    """Run the command line; the entry point of the script `clew`."""
    application(prog_name="clew")
