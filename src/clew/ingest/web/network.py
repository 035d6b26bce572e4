"""Connections that end at a deadline and lead only to addresses that were checked.

A name is resolved once, every address that it gives is checked, and the connection is made to
one of these and not to the name: a name server that answers otherwise the second time (DNS
rebinding) changes nothing. TLS and the Host header keep the name.
"""

from __future__ import annotations

import queue
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from time import monotonic
from typing import TypeAlias

import httpcore

from clew.core.errors import FetchError
from clew.ingest.web.addresses import refusal

Resolve: TypeAlias = Callable[[str, int], list[str]]
SocketOptions: TypeAlias = "Iterable[httpcore.SOCKET_OPTION] | None"


class Deadline:
    """The moment at which a fetch must be over, whatever it is doing."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left.

        Raises:
            FetchError: none are; reason "time-out".
        """
        left = self._end - monotonic()
        if left <= 0:
            raise self.error()
        return left

    def error(self) -> FetchError:
        """Return what a fetch that takes too long ends with."""
        return FetchError(f"no end within {self.seconds:g} seconds", reason="time-out")


def resolve_name(host: str, port: int) -> list[str]:
    """Return the addresses of a host in the order of the system's preference.

    Raises:
        OSError: the name is unknown, or cannot be resolved now.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class CheckedNetwork(httpcore.NetworkBackend):
    """Connects to public addresses, or to all with `allow_private`; implements httpcore's port."""

    def __init__(
        self, deadline: Deadline, *, allow_private: bool, resolve: Resolve = resolve_name
    ) -> None:
        self._deadline = deadline
        self._allow_private = allow_private
        self._resolve = resolve
        self._system = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadline is the time-out
        local_address: str | None = None,
        socket_options: SocketOptions = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first of the host's addresses that answers.

        Raises:
            FetchError: reason "refused-address", "unreachable" or "time-out".
        """
        addresses = self.checked_addresses(host, port)
        for address in addresses:
            try:
                stream = self._system.connect_tcp(
                    address, port, self._deadline.left(), local_address, socket_options
                )
            except httpcore.ConnectTimeout:
                raise self._deadline.error() from None
            except httpcore.ConnectError:
                continue
            return DeadlineStream(stream, self._deadline)
        raise FetchError(f"nothing answers at {host}, port {port}", reason="unreachable")

    def checked_addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host, all of which may be connected to.

        Raises:
            FetchError: reason "refused-address", "unreachable" or "time-out".
        """
        addresses = self._resolved(host, port)
        refused = ((address, refusal(address)) for address in addresses)
        bad = next(((address, kind) for address, kind in refused if kind is not None), None)
        if bad is None or self._allow_private:
            return addresses
        raise FetchError(
            f"{host} leads to {bad[0]}, which is {bad[1]} and not public; to read it anyway, "
            "allow private addresses",
            reason="refused-address",
        )

    def _resolved(self, host: str, port: int) -> list[str]:
        """Resolve in a thread of its own, since the system's resolver knows no time-out."""
        answers: queue.SimpleQueue[list[str] | OSError] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._resolve(host, port))
            except (OSError, UnicodeError) as error:
                answers.put(error if isinstance(error, OSError) else OSError(str(error)))

        threading.Thread(target=ask, daemon=True, name="clew-resolve").start()
        try:
            answer = answers.get(timeout=self._deadline.left())
        except queue.Empty:
            raise self._deadline.error() from None
        if isinstance(answer, OSError) or not answer:
            raise FetchError(f"the name {host} has no address", reason="unreachable")
        return answer


class DeadlineStream(httpcore.NetworkStream):
    """A connection whose every step ends at the deadline: drops that never end add up."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        """Read what is there, at most `max_bytes`."""
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        """Write all of `buffer`."""
        self._stream.write(buffer, self._deadline.left())

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        """Return the connection under TLS; the certificate must be the name's."""
        secured = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left())
        return DeadlineStream(secured, self._deadline)

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def get_extra_info(self, info: str) -> object:
        """Return what the connection knows of itself."""
        return self._stream.get_extra_info(info)
