"""Errors as problem details (RFC 9457): a status, what was wrong, and nothing of the inside."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from fastapi import Request
from fastapi.responses import JSONResponse

from clew.core import errors
from clew.core.errors import ClewError

MEDIA_TYPE = "application/problem+json"
_LOG = logging.getLogger("clew.serve")

STATUSES: Mapping[type[ClewError], int] = {
    errors.QueryError: 400,
    errors.IngestError: 422,
    errors.NotFoundError: 404,
    errors.StoreBusyError: 503,
    errors.StoreError: 500,
    errors.ModelMismatchError: 409,
    errors.JobCancelledError: 409,
    errors.ModelError: 500,
    errors.MissingExtraError: 501,
    errors.SettingsError: 500,
    errors.ExtractionError: 500,
    errors.ReasoningError: 500,
    errors.CausalError: 422,
    errors.EvaluationError: 422,
    ClewError: 500,
}
"""Status of each error; those that are not here have that of their nearest ancestor."""

_TITLES = {
    400: "Bad request",
    401: "No valid key",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported type",
    421: "Misdirected request",
    422: "Unprocessable content",
    429: "Too many requests",
    500: "Server error",
    501: "Not installed",
    503: "Busy",
}
HIDDEN = "The server could not do this; its log says why under the request id."
_BUSY = "The store is busy with another write; try again."


class Problem(Exception):  # noqa: N818 - the RFC's word
    """What a route or the gate answers with in place of a result."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})


def status_of(error: ClewError) -> int:
    """Return the HTTP status that stands for an error."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def problem_of(error: ClewError) -> Problem:
    """Return the problem that an error becomes; errors of the server itself say no more than that,
    since their messages name files and hosts."""
    status = status_of(error)
    if status == 503:
        return Problem(status, _BUSY, headers={"Retry-After": "1"})
    return Problem(status, str(error) if status < 500 or status == 501 else HIDDEN)


def problem_body(status: int, detail: str, *, request_id: str, **more: object) -> dict[str, object]:
    """Return the members of RFC 9457, with `request_id` as an extension."""
    return {
        "type": "about:blank",
        "title": _TITLES.get(status, "Error"),
        "status": status,
        "detail": writable(detail),
        "request_id": request_id,
        **more,
    }


def problem_response(
    status: int,
    detail: str,
    *,
    request_id: str,
    headers: Mapping[str, str] | None = None,
    **more: object,
) -> JSONResponse:
    """Return the response of a problem."""
    return JSONResponse(
        problem_body(status, detail, request_id=request_id, **more),
        status,
        headers={"Cache-Control": "no-store", **(headers or {})},
        media_type=MEDIA_TYPE,
    )


def writable(text: str) -> str:
    """Return `text` as UTF-8 can hold it: what a caller sent may have half characters."""
    return text.encode("utf-8", "replace").decode("utf-8")


def request_id_of(request: Request) -> str:
    """Return the id that the request was given."""
    return str(getattr(request.state, "request_id", ""))


def tell_log(error: ClewError, request_id: str) -> None:
    """Write an error of the server to the log, with its trace."""
    if status_of(error) >= 500:
        _LOG.error("%s", error, exc_info=error, extra={"request_id": request_id})
