"""One page from the web, within limits of size, time, redirects and addresses."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpcore
import httpx

from clew.core.errors import FetchError
from clew.ingest.web.content_types import read_content_type, suffix_of, transcoded
from clew.ingest.web.locations import without_credentials
from clew.ingest.web.network import CheckedNetwork, Deadline, Resolve, resolve_name
from clew.ingest.web.page import FetchedPage
from clew.ingest.web.transport import NetworkTransport

_UP_TO_AT = re.compile(r"(://).*@", re.DOTALL)
_LAST_PORT = 65_535
_PORTS = {"http": 80, "https": 443}
_GZIP = 16 + zlib.MAX_WBITS
_ENCODINGS = {"": False, "identity": False, "gzip": True, "x-gzip": True}
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"


@dataclass(frozen=True, slots=True)
class WebLimits:
    """What a fetch may cost and where it may lead; `seconds` is for all of it, redirects too."""

    max_bytes: int = 20 * 2**20
    seconds: float = 30.0
    max_redirects: int = 5
    allow_private_addresses: bool = False
    proxy: str | None = None
    user_agent: str = "clew"


def page_name(address: str) -> str:
    """Return the address as the source of a page: without credentials and fragment."""
    return without_credentials(address.strip()).partition("#")[0]


def fetch_page(address: str, limits: WebLimits, *, resolve: Resolve = resolve_name) -> FetchedPage:
    """Return the page at an http or https address.

    Proxies and passwords that the environment names are not used: `limits` alone decide where
    the request goes. Certificates that it names (SSL_CERT_FILE) are. A proxy resolves names by
    itself, so that behind one only what resolves here too is checked.

    Raises:
        FetchError: with a `reason`: "bad-address", "refused-address", "unreachable", "tls",
            "time-out", "too-large", "redirects", "http-status", "bad-answer" or "unsupported".
    """
    deadline = Deadline(limits.seconds)
    targets = CheckedNetwork(
        deadline, allow_private=limits.allow_private_addresses, resolve=resolve
    )
    network = targets
    if limits.proxy is not None:
        network = CheckedNetwork(deadline, allow_private=True, resolve=resolve)
    with _explained(page_name(address), address, deadline):
        transport = NetworkTransport(network, tls=httpx.create_ssl_context(), proxy=limits.proxy)
        headers = {
            "User-Agent": limits.user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": "gzip",
        }
        with httpx.Client(transport=transport, trust_env=False, headers=headers) as client:
            response = _follow(client, address.strip(), limits, targets)
            try:
                data = _body(response, limits.max_bytes)
            finally:
                response.close()
    content = read_content_type(response.headers.get("content-type", ""))
    suffix = suffix_of(content, str(response.url), data)
    if suffix is None:
        raise FetchError(
            f"{page_name(address)}: nothing reads the content type {content.media}",
            reason="unsupported",
        )
    return FetchedPage(page_name(address), transcoded(data, content, suffix), suffix)


def _follow(
    client: httpx.Client, address: str, limits: WebLimits, targets: CheckedNetwork
) -> httpx.Response:
    """Return the answer at the end of all redirects, its body unread."""
    request = client.build_request("GET", address)
    for _ in range(limits.max_redirects + 1):
        _check_target(request.url, targets, by_proxy=limits.proxy is not None)
        response = client.send(request, stream=True)
        following = response.next_request
        if following is None:
            if response.status_code != httpx.codes.OK:
                response.close()
                raise FetchError(
                    f"the server answers {response.status_code} {response.reason_phrase}".strip(),
                    reason="http-status",
                )
            return response
        response.close()
        request = following
    raise FetchError(
        f"more than {limits.max_redirects} redirects, the last to "
        f"{without_credentials(str(request.url))}",
        reason="redirects",
    )


def _check_target(url: httpx.URL, targets: CheckedNetwork, *, by_proxy: bool) -> None:
    if url.scheme not in _PORTS or not url.host or not 0 < (url.port or 1) <= _LAST_PORT:
        raise FetchError(
            f"{without_credentials(str(url))} is no http or https address", reason="bad-address"
        )
    if not by_proxy:
        return
    try:
        targets.checked_addresses(url.raw_host.decode("ascii"), url.port or _PORTS[url.scheme])
    except FetchError as error:
        if error.reason != "unreachable":
            raise


def _body(response: httpx.Response, most: int) -> bytes:
    """Return the body, decompressed; what is larger than `most` bytes is not read to its end."""
    encoding = response.headers.get("content-encoding", "").strip().casefold()
    if encoding not in _ENCODINGS:
        raise FetchError(f"the answer is encoded as {encoding}", reason="bad-answer")
    inflate = zlib.decompressobj(_GZIP) if _ENCODINGS[encoding] else None
    stated = response.headers.get("content-length", "")
    if stated.isascii() and stated.isdigit() and int(stated) > most:
        raise _too_large(most)
    body = bytearray()
    for raw in response.iter_raw():
        part = raw if inflate is None else inflate.decompress(raw, most + 1 - len(body))
        body += part
        if len(body) > most:
            raise _too_large(most)
    if inflate is not None and not inflate.eof:
        raise FetchError("the compressed answer is cut short", reason="bad-answer")
    return bytes(body)


def _too_large(most: int) -> FetchError:
    return FetchError(
        f"the answer is larger than {most:,} bytes; raise web.max_bytes to read it",
        reason="too-large",
    )


@contextmanager
def _explained(shown: str, address: str, deadline: Deadline) -> Iterator[None]:
    """Give every error of a fetch one form: the address without credentials, and the reason."""
    try:
        yield
    except FetchError as error:
        raise FetchError(f"{shown}: {error}", reason=error.reason) from None
    except httpx.InvalidURL:
        # a password with a slash or a hash in it makes the rest of the address unreadable
        hidden = _UP_TO_AT.sub(r"\1", address.strip())
        raise FetchError(f"{hidden}: this is no web address", reason="bad-address") from None
    except httpx.RemoteProtocolError as error:
        raise FetchError(
            f"{shown}: the redirect is malformed ({error})", reason="bad-answer"
        ) from None
    except httpcore.TimeoutException:
        timed_out = deadline.error()
        raise FetchError(f"{shown}: {timed_out}", reason=timed_out.reason) from None
    except httpcore.ConnectError as error:
        raise FetchError(f"{shown}: no secure connection ({error})", reason="tls") from None
    except (httpcore.ProtocolError, zlib.error) as error:
        raise FetchError(
            f"{shown}: the answer is malformed ({error})", reason="bad-answer"
        ) from None
    except (httpcore.NetworkError, httpcore.ProxyError) as error:
        raise FetchError(f"{shown}: the connection broke ({error})", reason="unreachable") from None
