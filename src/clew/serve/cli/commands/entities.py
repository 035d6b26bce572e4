"""`clew entities`: which things the documents speak of, and which names are one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import typer

from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.lazy import LazyGroup, Place

_COMMANDS = "clew.serve.cli.commands"


class EntityCommands(LazyGroup):
    """Every command of `clew entities`."""

    PLACES: ClassVar[Mapping[str, Place]] = {
        "list": Place(f"{_COMMANDS}.entities_list", "List entities, most mentioned first."),
        "show": Place(f"{_COMMANDS}.entities_show", "Show what is known of an entity."),
        "merge": Place(f"{_COMMANDS}.entities_merge", "Decide that two entities are one."),
        "unmerge": Place(f"{_COMMANDS}.entities_unmerge", "Take two entities apart again."),
    }


application = typer.Typer(cls=EntityCommands, no_args_is_help=True, epilog=EXIT_CODES_HELP)


@application.callback()
def entities() -> None:
    """List, show, merge and unmerge the things that the documents speak of."""
