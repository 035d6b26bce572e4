"""`clew algorithms`: graph algorithms whose results may be the seeds of a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import typer

from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.lazy import LazyGroup, Place

_COMMANDS = "clew.serve.cli.commands"


class AlgorithmCommands(LazyGroup):
    """Every command of `clew algorithms`."""

    PLACES: ClassVar[Mapping[str, Place]] = {
        "pagerank": Place(f"{_COMMANDS}.algorithms_pagerank", "Rank things by PageRank."),
        "ppr": Place(f"{_COMMANDS}.algorithms_ppr", "Rank things by nearness to given ones."),
        "recommend": Place(
            f"{_COMMANDS}.algorithms_recommend", "Name what is near and not joined."
        ),
        "paths": Place(f"{_COMMANDS}.algorithms_paths", "Show the cheapest paths of two things."),
        "attack-paths": Place(
            f"{_COMMANDS}.algorithms_attack_paths", "Show the likeliest ways to a target."
        ),
        "rings": Place(f"{_COMMANDS}.algorithms_rings", "Find cycles and dense groups."),
    }


application = typer.Typer(cls=AlgorithmCommands, no_args_is_help=True, epilog=EXIT_CODES_HELP)


@application.callback()
def algorithms() -> None:
    """Rank things, find cheap paths and rings; results may be given as seeds to a question."""
