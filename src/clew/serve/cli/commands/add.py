"""`clew add`: documents into a collection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.display import problem_lines, report_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from clew.serve.cli.guard import guarded, write_lines, write_problems
from clew.serve.cli.inputs import inputs_of
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.language_model import budget_of, model_settings
from clew.serve.cli.options import pairs, scalar
from clew.serve.cli.passwords import passwords_of
from clew.serve.cli.progress import progress_bars
from clew.settings.load import load_settings

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def add(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Files, folders, .jsonl, quoted globs, http(s) addresses, - (standard input); "
            "none: finish what was begun.",
        ),
    ] = None,
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    name: Annotated[
        str | None, typer.Option("--name", help="The source that standard input becomes.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", help="Of standard input: md, html, txt, jsonl, pdf ..."),
    ] = None,
    exclude: options.Exclude = None,
    mapping: options.Mapping = None,
    metadata: options.Metadata = None,
    group: options.SeenBy = None,
    language: options.Language = None,
    authority: options.Authority = None,
    allow_private_addresses: Annotated[
        bool,
        typer.Option(
            "--allow-private-addresses", help="Read web addresses that are not public, too."
        ),
    ] = False,
    password: Annotated[
        list[str] | None,
        typer.Option(
            "--password",
            metavar="FILE=SECRET",
            help="Opens a protected file, named by path, name or glob; repeatable. Others see it in "
            "the list of processes: --passwords-file keeps it to yourself.",
        ),
    ] = None,
    passwords_file: Annotated[
        Path | None,
        typer.Option("--passwords-file", help='A JSON file: {"path, name or glob": "secret"}.'),
    ] = None,
    ocr: options.Ocr = None,
    extractor: options.Extractor = None,
    llm: options.LanguageModel = None,
    budget: options.BudgetText = None,
    as_json: options.AsJson = False,
) -> None:
    """Add files, folders, web pages or .jsonl records; unchanged ones cost nothing.

    What an interrupted run left is finished first. Exits with 1 if a source could not be added,
    or the budget of the language model is reached.
    """
    command = f"clew add --store {store}" + (
        f" --collection {collection}" if collection != "default" else ""
    )
    with guarded(interrupted=f"interrupted; nothing is lost. To go on: {command}"):
        inputs = inputs_of(
            paths or (),
            name=name,
            format=format,
            read=lambda: typer.get_binary_stream("stdin").read(),
        )
        settings = load_settings(model_settings(llm, None, extractor=extractor))
        allowed = budget_of(budget)
        with (
            Clew.open(store, collection, settings=settings) as clew,
            progress_bars() as progress,
        ):
            report = clew.add(
                *inputs,
                metadata={key: scalar(text) for key, text in pairs("--metadata", metadata).items()},
                acl=group or (),
                language=language,
                authority=authority,
                field_mapping=pairs("--map", mapping),
                exclude=exclude or (),
                allow_private_addresses=allow_private_addresses or None,
                passwords=passwords_of(password, passwords_file),
                ocr=ocr,
                budget=allowed,
                progress=progress,
            )
        write_problems(problem_lines(report))
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(report_lines(report))
        if report.failed or report.stopped is not None:
            raise typer.Exit(ExitCode.SOME_SOURCES_FAILED)
