"""`clew watch`: folders that are followed."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Annotated

import typer

from clew.core.watching import WatchEvent
from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.display import watch_line
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json_line
from clew.serve.cli.options import pairs, scalar

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def watch(
    folders: Annotated[list[str], typer.Argument(metavar="FOLDER...", help="Folders to follow.")],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    remove: Annotated[
        bool,
        typer.Option(
            "--remove/--keep", help="Whether the document of a deleted file leaves the index."
        ),
    ] = True,
    debounce: Annotated[
        float, typer.Option("--debounce", help="Seconds without a change before one counts.")
    ] = 0.5,
    exclude: options.Exclude = None,
    mapping: options.Mapping = None,
    metadata: options.Metadata = None,
    group: options.SeenBy = None,
    language: options.Language = None,
    authority: options.Authority = None,
    ocr: options.Ocr = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object a line for each event.")
    ] = False,
) -> None:
    """Add what folders hold and follow what is created, changed and deleted, until Ctrl-C.

    A file that fails is told and does not end the watch. Ctrl-C and a request to terminate end it
    after the current document, with exit code 0; a second Ctrl-C ends it at once.
    """
    stop = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    def tell(event: WatchEvent) -> None:
        if as_json:
            write_json_line(to_json(event))
        else:
            write_lines([watch_line(event)])

    with guarded(), Clew.open(store, collection) as clew:
        before = {each: signal.signal(each, end) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            clew.watch(
                *folders,
                on_event=tell,
                stop=stop,
                remove=remove,
                debounce=debounce,
                metadata={key: scalar(text) for key, text in pairs("--metadata", metadata).items()},
                acl=group or (),
                language=language,
                authority=authority,
                field_mapping=pairs("--map", mapping),
                exclude=exclude or (),
                ocr=ocr,
            )
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)
