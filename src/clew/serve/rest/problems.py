"""Errors as problem details (RFC 9457): a status, what was wrong, and nothing of the inside."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

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
_HIDDEN = "The server could not do this; its log says why under the request id."
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
    return Problem(status, str(error) if status < 500 or status == 501 else _HIDDEN)


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


def install(app: FastAPI) -> None:
    """Make every error of the application a problem."""
    app.add_exception_handler(Problem, _own)
    app.add_exception_handler(ClewError, _clew)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _unforeseen)


async def _own(request: Request, error: Any) -> JSONResponse:  # noqa: ANN401 - Starlette's handler
    return problem_response(
        error.status, error.detail, request_id=request_id_of(request), headers=error.headers
    )


async def _clew(request: Request, error: Any) -> JSONResponse:  # noqa: ANN401
    tell_log(error, request_id_of(request))
    return await _own(request, problem_of(error))


async def _http(request: Request, error: Any) -> JSONResponse:  # noqa: ANN401
    return problem_response(
        error.status_code,
        str(error.detail),
        request_id=request_id_of(request),
        headers=error.headers,
    )


async def _invalid(request: Request, error: Any) -> JSONResponse:  # noqa: ANN401
    """What was sent is not repeated: it may be a secret, or no JSON."""
    found = [
        {
            "place": writable(".".join(str(part) for part in each["loc"])),
            "problem": writable(each["msg"]),
        }
        for each in error.errors()
    ]
    first = found[0] if found else {"place": "body", "problem": "invalid"}
    return problem_response(
        422,
        f"{first['place']}: {first['problem']}",
        request_id=request_id_of(request),
        errors=found,
    )


async def _unforeseen(request: Request, _error: Exception) -> JSONResponse:
    identifier = request_id_of(request)
    return problem_response(
        500, _HIDDEN, request_id=identifier, headers={"X-Request-ID": identifier}
    )
