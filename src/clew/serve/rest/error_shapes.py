"""Errors in the shape that a path's clients read: problem details, or OpenAI's error object."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi.responses import JSONResponse

from clew.serve.rest.openai.errors import is_openai_path, openai_error_response
from clew.serve.rest.problems import problem_response


def error_response(
    path: str,
    status: int,
    detail: str,
    *,
    request_id: str,
    headers: Mapping[str, str] | None = None,
    **more: object,
) -> JSONResponse:
    """Return the response of an error under `path`; `more` are further members of a problem."""
    if is_openai_path(path):
        return openai_error_response(status, detail, headers=headers)
    return problem_response(status, detail, request_id=request_id, headers=headers, **more)
