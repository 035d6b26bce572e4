"""What the routes work with: the library, the keys, the settings and the figures."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastapi import Request

from clew.engine.library import Library
from clew.serve.access.key_file import KeyFile
from clew.serve.rest.metrics import Metrics
from clew.serve.rest.spool import Spool
from clew.serve.rest.writing import Writing
from clew.settings.model import ServeSettings


@dataclass(frozen=True, slots=True)
class Services:
    """One server's parts. Whoever writes takes a turn of `writing`; `spool` has what jobs are to
    do. With `keys_required`, nobody comes in without a key even where there is none."""

    library: Library
    keys: KeyFile
    settings: ServeSettings
    metrics: Metrics
    keys_required: bool
    spool: Spool = field(default_factory=lambda: Spool(None))
    writing: Writing = field(default_factory=Writing)


def services_of(request: Request) -> Services:
    """Return the parts of the server that a request came to."""
    services: Services = request.app.state.services
    return services
