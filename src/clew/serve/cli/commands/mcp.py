"""`clew mcp`: the store to agents."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.core.lazy import load
from clew.serve.access.api_key import Right
from clew.serve.cli import options
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_problems
from clew.settings.load import load_settings

application = typer.Typer()
_PACKAGES = ("mcp", "fastapi", "uvicorn", "sse_starlette", "prometheus_client")


@application.command(epilog=EXIT_CODES_HELP)
def mcp(
    store: options.Store = options.DEFAULT_STORE,
    http: Annotated[
        bool, typer.Option("--http", help="Serve /mcp over HTTP in place of standard input.")
    ] = False,
    host: Annotated[
        str | None, typer.Option("--host", help="With --http. Default: 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="With --http; 0 takes a free one."),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Without --http: no tool may write.")
    ] = False,
    collection: Annotated[
        list[str] | None,
        typer.Option("--collection", help="Without --http: these alone; repeatable."),
    ] = None,
    group: options.Groups = None,
) -> None:
    """Serve a store to agents over MCP (extra `serve`); docs/mcp.md names the tools.

    Over HTTP the keys of `clew keys` say who may do what.
    """
    with guarded():
        for package in _PACKAGES:
            load(package, package, "serve")
        running = load("clew.serve.mcp.running", "clew")
        if http:
            running.serve_http(
                store,
                settings=load_settings(),
                host=host,
                port=port,
                on_listening=lambda address: write_problems([f"clew: listening on {address}"]),
            )
            return
        running.serve_stdio(
            store,
            settings=load_settings(),
            rights=(Right.READ,) if read_only else tuple(Right),
            collections=collection or None,
            groups=group or None,
        )
