"""The application: the routes behind the gate, with errors as problems. No CORS header is sent."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from clew.engine.library import Library
from clew.engine.version import VERSION
from clew.serve.access.key_file import KeyFile
from clew.serve.rest.gate import Gate
from clew.serve.rest.handlers import install
from clew.serve.rest.ingest_jobs import resume_jobs
from clew.serve.rest.metrics import Metrics
from clew.serve.rest.observing import Observing
from clew.serve.rest.routes.table import ROUTERS
from clew.serve.rest.services import Services
from clew.serve.rest.spool import FOLDER, Spool
from clew.settings.model import ServeSettings

_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {"type": "array", "items": {"type": "object"}},
    },
}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "description": "What was wrong with the request (RFC 9457)",
        "content": {"application/problem+json": {"schema": _PROBLEM}},
    },
    "5XX": {
        "description": "The server failed, and nothing was answered (RFC 9457)",
        "content": {"application/problem+json": {"schema": _PROBLEM}},
    },
}


def create_app(
    library: Library,
    *,
    keys: KeyFile,
    settings: ServeSettings | None = None,
    keys_required: bool = False,
) -> FastAPI:
    """Return the application over a library, which stays the caller's to close.

    Jobs that an earlier server left are taken up. Keys are required once the file holds one, or from the start with `keys_required`.
    """
    services = Services(
        library=library,
        keys=keys,
        settings=settings or library.settings.serve,
        metrics=Metrics(),
        keys_required=keys_required or bool(keys.keys()),
        spool=Spool(library.folder and library.folder / FOLDER),
    )
    resume_jobs(services)
    app = FastAPI(
        title="Clew",
        version=VERSION,
        description="Answers questions over documents, with evidence.",
        docs_url=None,
        redoc_url=None,
        responses=_PROBLEMS,
    )
    app.state.services = services
    install(app)
    for router in ROUTERS:
        app.include_router(router)
    app.add_middleware(Gate, services=services)
    app.add_middleware(Observing, metrics=services.metrics)
    return app
