"""What the application does with errors: each becomes a response of the shape its path speaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from clew.core.errors import ClewError
from clew.serve.rest.error_shapes import error_response
from clew.serve.rest.problems import (
    HIDDEN,
    Problem,
    problem_of,
    request_id_of,
    tell_log,
    writable,
)


def respond(
    request: Request,
    status: int,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    **more: object,
) -> JSONResponse:
    """Return the response of an error."""
    return error_response(
        request.url.path,
        status,
        detail,
        request_id=request_id_of(request),
        headers=headers,
        **more,
    )


def install(app: FastAPI) -> None:
    """Make every error of the application a problem."""
    app.add_exception_handler(Problem, _own)
    app.add_exception_handler(ClewError, _clew)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _unforeseen)


async def _own(request: Request, error: Any) -> JSONResponse:  # noqa: ANN401 - Starlette's handler
    return respond(request, error.status, error.detail, headers=error.headers)


async def _clew(request: Request, error: Any) -> JSONResponse:  # noqa: ANN401
    tell_log(error, request_id_of(request))
    return await _own(request, problem_of(error))


async def _http(request: Request, error: Any) -> JSONResponse:  # noqa: ANN401
    return respond(request, error.status_code, str(error.detail), headers=error.headers)


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
    return respond(request, 422, f"{first['place']}: {first['problem']}", errors=found)


async def _unforeseen(request: Request, _error: Exception) -> JSONResponse:
    return respond(request, 500, HIDDEN, headers={"X-Request-ID": request_id_of(request)})
