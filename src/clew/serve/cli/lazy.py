"""A command group whose commands are imported when one is run, so that `clew --help` is quick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

if TYPE_CHECKING:
    # Typer carries its own copy of Click.
    from typer._click.core import Command, Context


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command's Typer application stands, and its line in the list of commands."""

    module: str
    summary: str


class LazyCommand(TyperCommand):
    """Stands for a command; becomes the real one when its arguments are parsed."""

    def __init__(self, name: str, place: Place) -> None:
        super().__init__(name=name, help=place.summary, short_help=place.summary)
        self._place = place

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: Context | None = None,
        **extra: Any,  # noqa: ANN401 - Click's signature
    ) -> Context:
        """Import the command and parse its arguments."""
        real = get_command(import_module(self._place.module).application)
        real.name = self.name
        return real.make_context(info_name, args, parent, **extra)


class LazyGroup(TyperGroup):
    """The commands of `PLACES`, in order. Subclasses set it."""

    PLACES: ClassVar[Mapping[str, Place]]

    def list_commands(self, ctx: Context) -> list[str]:  # noqa: ARG002 - Click's signature
        """Return the names of all commands."""
        return list(self.PLACES)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:  # noqa: ARG002
        """Return the stand-in of a command, None where there is none of that name."""
        place = self.PLACES.get(cmd_name)
        return LazyCommand(cmd_name, place) if place else None
