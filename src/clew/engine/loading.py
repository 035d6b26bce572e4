"""Components whose third parties are slow to import are loaded when they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(place: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Return what `place` names, written `module:attribute`, importing the module if needed.

    A question then does not wait for what only ingest uses (spaCy, parsers), nor the reverse.
    """
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)
