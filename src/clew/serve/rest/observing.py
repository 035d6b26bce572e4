"""Around every request: its id, its line in the log, and its place in the metrics."""

from __future__ import annotations

import logging
import re
import secrets
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clew.serve.rest.metrics import Metrics

_LOG = logging.getLogger("clew.serve")
_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS".split())


class Observing:
    """Gives a request its id (the caller's `X-Request-ID` where it is a plain word) and tells what
    became of it."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and tell what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        given = Headers(scope=scope).get("x-request-id", "")
        state["request_id"] = given if _GIVEN_ID.fullmatch(given) else secrets.token_hex(8)
        state["mode"] = ""
        state["key"] = ""
        start, status = perf_counter(), 500

        async def tell(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = state["request_id"]
            await send(message)

        with self._metrics.in_flight.track_inprogress():
            try:
                await self._app(scope, receive, tell)
            finally:
                self._tell(scope, status, perf_counter() - start)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        state = scope["state"]
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        route = getattr(scope.get("route"), "path", "unmatched")
        self._metrics.finished(
            method=method, route=route, status=status, mode=state["mode"], seconds=seconds
        )
        _LOG.info(
            "request",
            extra={
                "request_id": state["request_id"],
                "method": method,
                "route": route,
                "status": status,
                "milliseconds": round(seconds * 1000, 1),
                "mode": state["mode"],
                "key": state["key"],
            },
        )
