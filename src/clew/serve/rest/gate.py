"""The gate before all routes: host, key, rate and size, in that order; no body is read before."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from clew.core.errors import SettingsError
from clew.serve.access.api_key import ApiKey
from clew.serve.rest.addresses import is_loopback
from clew.serve.rest.body_limit import announced_length, limited, too_large
from clew.serve.rest.error_shapes import error_response
from clew.serve.rest.problems import problem_of, tell_log
from clew.serve.rest.rate_limit import RateLimit
from clew.serve.rest.services import Services

UPLOAD_SUFFIX = "/documents/upload"
OPEN_PATHS = frozenset({"/healthz", "/readyz", "/openapi.json"})


class Gate:
    """Lets a request in, with its key in `state.api_key` (None where no keys are needed).

    Without keys the server is for this machine alone: a `Host` that is not this machine is refused,
    so that a web page cannot reach it by a name of its own that resolves here, and so is an
    `Origin` of another site.
    """

    def __init__(self, app: ASGIApp, *, services: Services) -> None:
        self._app = app
        self._services = services
        self._rate = RateLimit(services.settings.requests_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state, headers = scope["state"], Headers(scope=scope)

        async def refuse(status: int, detail: str, **extra: str) -> None:
            named = {name.replace("_", "-"): value for name, value in extra.items()}
            response = error_response(
                scope["path"], status, detail, request_id=state["request_id"], headers=named
            )
            await response(scope, receive, send)

        try:
            key, needed = self._key_of(headers)
        except SettingsError as error:
            tell_log(error, state["request_id"])
            problem = problem_of(error)
            await refuse(problem.status, problem.detail)
            return
        if not needed and not _is_local(headers.get("host", "")):
            await refuse(421, "Without keys this server answers to this machine's own names alone.")
            return
        if not needed and not _is_own_origin(headers.get("origin")):
            await refuse(403, "Without keys this server answers to no web page of another site.")
            return
        wait = self._rate.wait(f"key {key.id}" if key else f"address {_address(scope)}")
        if wait:
            await refuse(429, f"Too many requests; wait {wait} s.", Retry_After=str(wait))
            return
        if needed and key is None and scope["path"] not in OPEN_PATHS:
            await refuse(
                401,
                "Give a valid key in the header: Authorization: Bearer KEY",
                WWW_Authenticate="Bearer",
            )
            return
        state["api_key"] = key
        state["key"] = key.id if key else ""
        limits = self._services.settings
        upload = scope["path"].endswith(UPLOAD_SUFFIX)
        limit = limits.max_upload_bytes if upload else limits.max_body_bytes
        if announced_length(headers.get("content-length")) > limit:
            await refuse(413, too_large(limit))
            return
        await self._app(scope, limited(receive, limit), send)

    def _key_of(self, headers: Headers) -> tuple[ApiKey | None, bool]:
        """Return the key of a request and whether one is needed; reads the file where it changed."""
        needed = self._services.keys_required or bool(self._services.keys.keys())
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        if not needed or scheme.casefold() != "bearer":
            return None, needed
        return self._services.keys.find(secret.strip()), needed


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


def _is_local(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    return name is not None and is_loopback(name)


def _is_own_origin(origin: str | None) -> bool:
    """Return whether no web page asks, or one that came from this machine."""
    return origin is None or _is_local(origin.partition("://")[2])
