"""httpx over a network of our own: the connection pool of httpcore with another back end."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator
from typing import cast

import httpcore
import httpx


class _Body(httpx.SyncByteStream):
    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._parts)

    def close(self) -> None:
        close = getattr(self._parts, "close", None)
        if close is not None:
            close()


class NetworkTransport(httpx.BaseTransport):
    """Sends requests through `network`, by way of `proxy` if there is one.

    Errors are httpcore's own, and whatever `network` raises.
    """

    def __init__(
        self, network: httpcore.NetworkBackend, *, tls: ssl.SSLContext, proxy: str | None = None
    ) -> None:
        given = None if proxy is None else httpx.Proxy(proxy)
        self._pool = httpcore.ConnectionPool(
            ssl_context=tls,
            network_backend=network,
            proxy=None
            if given is None
            else httpcore.Proxy(url=str(given.url), auth=given.raw_auth),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer with its head read and its body to be read."""
        response = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=cast("Iterable[bytes]", request.stream),
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(cast("Iterable[bytes]", response.stream)),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()
