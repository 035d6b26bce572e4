"""What a command runs in: errors become one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import typer

from clew.core.errors import ClewError
from clew.serve.cli.exit_codes import ExitCode, exit_code_of, one_line


@contextmanager
def guarded(*, interrupted: str = "interrupted") -> Iterator[None]:
    """Run a command; `interrupted` is what Ctrl-C is answered with."""
    try:
        yield
    except ClewError as error:
        typer.echo(f"clew: {one_line(error)}", err=True)
        raise typer.Exit(exit_code_of(error)) from None
    except KeyboardInterrupt:
        typer.echo(f"clew: {interrupted}", err=True)
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def write_lines(lines: Iterable[str]) -> None:
    """Write results to stdout."""
    for line in lines:
        typer.echo(line)


def write_problems(lines: Iterable[str]) -> None:
    """Write all that is no result to stderr."""
    for line in lines:
        typer.echo(line, err=True)
