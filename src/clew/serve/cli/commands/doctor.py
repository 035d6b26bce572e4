"""`clew doctor`: what is wrong with a store, and how to mend it."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.display import health_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.language_model import model_settings
from clew.settings.load import load_settings

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def doctor(
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    full: Annotated[bool, typer.Option("--full", help="Compare every row, not a sample.")] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="First compute again what follows from the truth.")
    ] = False,
    llm: options.LanguageModel = None,
    probe: Annotated[
        bool,
        typer.Option("--probe/--no-probe", help="Ask the language model two short questions."),
    ] = True,
    as_json: options.AsJson = False,
) -> None:
    """Examine a store, its models, packages and disk. Exits with 3 if there is an error.

    Each finding says what is wrong and how to mend it.
    """
    with guarded():
        settings = load_settings(model_settings(llm, None))
        with Clew.open(store, collection, create=False, settings=settings) as clew:
            report = clew.doctor(full=full, repair=repair, probe=probe)
        if as_json:
            write_json({"sound": report.sound, "report": to_json(report)})
        else:
            write_lines(health_lines(report))
        if not report.sound:
            raise typer.Exit(ExitCode.STORE_OR_MODEL)
