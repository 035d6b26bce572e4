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
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.options import pairs, scalar
from clew.serve.cli.passwords import passwords_of
from clew.serve.cli.progress import progress_bars

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def add(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...", help="Files, folders, .jsonl; none: finish what was begun."
        ),
    ] = None,
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    mapping: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="OURS=THEIRS",
            help="Field of .jsonl records, as text=body; repeatable.",
        ),
    ] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option("--metadata", metavar="KEY=VALUE", help="For all sources; repeatable."),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option("--group", help="A group that may see the sources; repeatable. None: all."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", help="Language of the sources. Default: detected.")
    ] = None,
    authority: Annotated[
        float | None, typer.Option("--authority", help="How far to trust the sources, 0 to 1.")
    ] = None,
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
    as_json: options.AsJson = False,
) -> None:
    """Add files, folders or .jsonl records; unchanged ones cost nothing.

    What an interrupted run left is finished first. Exits with 1 if a source could not be added.
    """
    command = f"clew add --store {store}" + (
        f" --collection {collection}" if collection != "default" else ""
    )
    with guarded(interrupted=f"interrupted; nothing is lost. To go on: {command}"):
        with Clew.open(store, collection) as clew, progress_bars() as progress:
            report = clew.add(
                *(paths or ()),
                metadata={key: scalar(text) for key, text in pairs("--metadata", metadata).items()},
                acl=group or (),
                language=language,
                authority=authority,
                field_mapping=pairs("--map", mapping),
                passwords=passwords_of(password, passwords_file),
                progress=progress,
            )
        write_problems(problem_lines(report))
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(report_lines(report))
        if report.failed:
            raise typer.Exit(ExitCode.SOME_SOURCES_FAILED)
