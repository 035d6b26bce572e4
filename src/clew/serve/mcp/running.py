"""The MCP server's process: over standard input and output, or over HTTP behind the gate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from clew.engine.library import Library
from clew.serve.access.api_key import ApiKey, Right
from clew.serve.access.key_file import KeyFile, key_file_of
from clew.serve.mcp.server import Context, create_server
from clew.serve.rest.gate import Gate
from clew.serve.rest.metrics import Metrics
from clew.serve.rest.observing import Observing
from clew.serve.rest.running import Application, listen_until_ended
from clew.serve.rest.services import Services
from clew.settings.model import Settings

PATH = "/mcp"


def serve_stdio(
    store: Path,
    *,
    settings: Settings,
    rights: Iterable[Right] = tuple(Right),
    collections: Iterable[str] | None = None,
    groups: Iterable[str] | None = None,
) -> None:
    """Serve one client over standard input and output until it closes them.

    Whoever started the process decides by `rights`, `collections` and `groups` what it may do.

    Raises:
        StoreError: the store cannot be opened.
    """
    key = ApiKey(
        id="stdio",
        name="stdio",
        digest="",
        rights=frozenset(rights),
        created_at=datetime.now(UTC),
        collections=None if collections is None else frozenset(collections),
        groups=None if groups is None else frozenset(groups),
    )
    library = Library.open(store, settings=settings)
    try:
        keys = KeyFile(settings.serve.keys_file or key_file_of(store))
        services = _services(library, keys, keys_required=False)
        anyio.run(_over_stdio, services, key)
    finally:
        library.close()


async def _over_stdio(services: Services, key: ApiKey) -> None:
    server = create_server(services, key_of=lambda _: key)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def serve_http(
    store: Path,
    *,
    settings: Settings,
    host: str | None = None,
    port: int | None = None,
    on_listening: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve the path `/mcp` until the process is told to end; keys are those of `clew serve`.

    Raises:
        SettingsError: others can reach the address and there are no keys, or it cannot be bound.
        StoreError: the store cannot be opened.
    """
    listen_until_ended(
        store,
        settings=settings,
        host=host,
        port=port,
        make=mcp_app,
        on_listening=lambda address: on_listening(f"{address}{PATH}"),
    )


def mcp_app(library: Library, keys: KeyFile, *, keys_required: bool = False) -> Application:
    """Return the application behind the gate: no sessions, so that a request has its own key."""
    services = _services(library, keys, keys_required=keys_required)
    server = create_server(services, key_of=_key_of_request)
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=services.settings.max_body_bytes,
        # The gate checks hosts and origins.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Observing(Gate(inner, services=services), metrics=services.metrics)


def _services(library: Library, keys: KeyFile, *, keys_required: bool) -> Services:
    return Services(
        library=library,
        keys=keys,
        settings=library.settings.serve,
        metrics=Metrics(),
        keys_required=keys_required or bool(keys.keys()),
    )


def _key_of_request(context: Context) -> ApiKey | None:
    if context.request is None:
        raise RuntimeError("a request over HTTP has come without its headers")
    key: ApiKey | None = context.request.state.api_key
    return key
