"""`clew serve`: the store over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.core.lazy import load
from clew.serve.cli import options
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_problems
from clew.settings.load import load_settings

application = typer.Typer()
_PACKAGES = ("fastapi", "uvicorn", "sse_starlette", "python_multipart", "prometheus_client")


@application.command(epilog=EXIT_CODES_HELP)
def serve(
    store: options.Store = options.DEFAULT_STORE,
    host: Annotated[
        str | None, typer.Option("--host", help="Address to listen on. Default: 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")
    ] = None,
) -> None:
    """Serve a store over HTTP (extra `serve`) until Ctrl-C; docs/rest.md names the routes.

    Only this machine is listened to unless --host says otherwise, and that needs keys: clew keys.
    """
    with guarded():
        for package in _PACKAGES:
            load(package, package, "serve")
        load("clew.serve.rest.running", "clew").serve(
            store,
            settings=load_settings(),
            host=host,
            port=port,
            on_listening=lambda address: write_problems([f"clew: listening on {address}"]),
        )
