"""What the routes work with: the library, the keys, the settings and the figures."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from fastapi import Request

from clew.engine.library import Library
from clew.serve.access.key_file import KeyFile
from clew.serve.rest.metrics import Metrics
from clew.settings.model import ServeSettings


@dataclass(frozen=True, slots=True)
class Services:
    """One server's parts. `writing` is held by whoever adds documents: the models that extract
    serve one run at a time. With `keys_required`, nobody comes in without a key even where there
    is none."""

    library: Library
    keys: KeyFile
    settings: ServeSettings
    metrics: Metrics
    keys_required: bool
    writing: threading.Lock = field(default_factory=threading.Lock)


def services_of(request: Request) -> Services:
    """Return the parts of the server that a request came to."""
    services: Services = request.app.state.services
    return services
