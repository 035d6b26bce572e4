"""Errors as clients of the OpenAI API read them: an object `error` in the body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi.responses import JSONResponse

from clew.serve.rest.problems import writable

_PATHS = ("/v1/chat/completions", "/v1/models")
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}
_SCHEMA = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}
OPENAI_ERRORS: dict[int | str, dict[str, Any]] = {
    kind: {
        "description": f"{words} (OpenAI's error object)",
        "content": {"application/json": {"schema": _SCHEMA}},
    }
    for kind, words in (
        ("4XX", "What was wrong with the request"),
        ("5XX", "The server failed, and nothing was answered"),
    )
}


def is_openai_path(path: str) -> bool:
    """Return whether a path is one of the OpenAI API's."""
    return any(path == each or path.startswith(f"{each}/") for each in _PATHS)


def openai_error(status: int, message: str) -> dict[str, object]:
    """Return the body of an error."""
    usual = "server_error" if status >= 500 else "invalid_request_error"
    return {
        "error": {
            "message": writable(message),
            "type": _TYPES.get(status, usual),
            "param": None,
            "code": _CODES.get(status),
        }
    }


def openai_error_response(
    status: int, message: str, *, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return the response of an error; what is malformed is status 400, as it is there."""
    shown = 400 if status == 422 else status
    return JSONResponse(
        openai_error(shown, message),
        shown,
        headers={"Cache-Control": "no-store", **(headers or {})},
    )
