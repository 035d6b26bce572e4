"""The server's process: the store opened, the application run by uvicorn until it is ended."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import AF_INET, AF_INET6, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from typing import Protocol, TypeAlias

import uvicorn
from starlette.types import ASGIApp

from clew.core.errors import SettingsError
from clew.engine.library import Library
from clew.serve.access.key_file import KeyFile, key_file_of
from clew.serve.rest.addresses import is_loopback, require_keys_for
from clew.serve.rest.app import create_app
from clew.serve.rest.logs import LOGGING
from clew.settings.model import Settings

Application: TypeAlias = ASGIApp
_BACKLOG = 256
_GRACE_SECONDS = 20


class Make(Protocol):
    """Makes the application over a library."""

    def __call__(self, library: Library, keys: KeyFile, *, keys_required: bool) -> Application:
        """Return the application."""
        ...


def serve(
    store: Path,
    *,
    settings: Settings,
    host: str | None = None,
    port: int | None = None,
    on_listening: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve a store until the process is told to end; requests that run are finished.

    `on_listening` is given the address.

    Raises:
        SettingsError: others can reach the address and there are no keys, or it cannot be bound.
        StoreError: the store cannot be opened.
    """

    def make(library: Library, keys: KeyFile, *, keys_required: bool) -> Application:
        return create_app(library, keys=keys, keys_required=keys_required)

    listen_until_ended(
        store, settings=settings, host=host, port=port, make=make, on_listening=on_listening
    )


def listen_until_ended(
    store: Path,
    *,
    settings: Settings,
    host: str | None,
    port: int | None,
    make: Make,
    on_listening: Callable[[str], None],
) -> None:
    """Serve what `make` makes over a store, as `serve` does."""
    listen = settings.serve.host if host is None else host
    keys = KeyFile(settings.serve.keys_file or key_file_of(store))
    require_keys_for(listen, there_are_keys=bool(keys.keys()))
    bound = _bind(listen, settings.serve.port if port is None else port)
    library = Library.open(store, settings=settings)
    try:
        server = uvicorn.Server(
            uvicorn.Config(
                make(library, keys, keys_required=not is_loopback(listen)),
                log_config=LOGGING,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_GRACE_SECONDS,
            )
        )
        shown = f"[{listen}]" if ":" in listen else listen
        on_listening(f"http://{shown}:{bound.getsockname()[1]}")
        with _ends_quietly():
            server.run(sockets=[bound])
    finally:
        bound.close()
        library.close()


@contextmanager
def _ends_quietly() -> Iterator[None]:
    """Let the server end by itself when it is told to: uvicorn sends the signal on once it has
    ended, and that would end the process before the store is closed."""
    ends = (signal.SIGINT, signal.SIGTERM)
    before = {each: signal.signal(each, lambda *_: None) for each in ends}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _bind(host: str, port: int) -> socket:
    bound = socket(AF_INET6 if ":" in host else AF_INET, SOCK_STREAM)
    try:
        bound.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        raise SettingsError(f"cannot listen on {host}, port {port}: {error}") from error
    return bound
