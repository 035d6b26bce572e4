"""Exit codes of the command line, and the one line that an error becomes."""

from __future__ import annotations

from enum import IntEnum

from clew.core.errors import (
    ClewError,
    ExtractionError,
    MissingExtraError,
    ModelError,
    StoreError,
)


class ExitCode(IntEnum):
    """What a script may rely on. As with grep, finding nothing is told apart from failing."""

    OK = 0
    SOME_SOURCES_FAILED = 1
    BAD_INPUT = 2
    STORE_OR_MODEL = 3
    NOTHING_FOUND = 4
    INTERRUPTED = 130


EXIT_CODES_HELP = (
    "Exit codes: 0 done, 1 some sources could not be added, 2 wrong use or input, "
    "3 store or model failed, 4 nothing found (ask: not answered), 130 interrupted."
)


def exit_code_of(error: ClewError) -> ExitCode:
    """Return the exit code that stands for an error."""
    broken = (StoreError, ModelError, MissingExtraError, ExtractionError)
    return ExitCode.STORE_OR_MODEL if isinstance(error, broken) else ExitCode.BAD_INPUT


def one_line(error: Exception) -> str:
    """Return the message on one line."""
    return " ".join(str(error).split())
