"""Whether the server lives and can answer, and its figures."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from clew.serve.rest.services import services_of

router = APIRouter(tags=["health"])
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/healthz", summary="Whether the process answers")
async def healthz() -> dict[str, str]:
    """Say that the process lives."""
    return {"status": "ok"}


@router.get("/readyz", summary="Whether the store can be read")
def readyz(request: Request) -> dict[str, str]:
    """Read from the store; a store that fails is a 5xx problem."""
    services_of(request).library.names()
    return {"status": "ready"}


@router.get("/metrics", response_class=PlainTextResponse, summary="Prometheus metrics")
def metrics(request: Request) -> Response:
    """Return the figures in Prometheus' text format."""
    return Response(services_of(request).metrics.text(), media_type=_PROMETHEUS)
