"""`clew estimate`: what a language model would cost, before anything is sent."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines, write_problems
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.language_model import model_settings
from clew.serve.cli.model_display import estimate_lines, estimate_problem_lines
from clew.settings.load import load_settings

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def estimate(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]...", help="As of `clew add`.")
    ] = None,
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    exclude: options.Exclude = None,
    language: options.Language = None,
    llm: options.LanguageModel = None,
    as_json: options.AsJson = False,
) -> None:
    """Quote calls, tokens and money that `clew add --extractor llm` would take; nothing is sent.

    Sources are read and cut. What is unchanged, or was answered before, costs nothing.
    """
    with guarded():
        settings = load_settings(model_settings(llm, None, extractor="llm"))
        with Clew.open(store, collection, settings=settings) as clew:
            found = clew.estimate(*(paths or ()), exclude=exclude or (), language=language)
        write_problems(estimate_problem_lines(found))
        if as_json:
            write_json(to_json(found))
        else:
            write_lines(estimate_lines(found))
