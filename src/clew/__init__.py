"""Clew answers questions over documents and shows the thread of evidence.

Names are imported when first used, so that `import clew` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.core.errors import (
        ClewError,
        IngestError,
        ModelError,
        ModelMismatchError,
        NotFoundError,
        QueryError,
        SchemaError,
        SettingsError,
        StoreError,
        UnsupportedModeError,
    )
    from clew.core.inputs import FileBytes
    from clew.core.jobs import CollectionStatus, IngestReport, Progress, RemovalReceipt
    from clew.core.metadata_schema import FieldKind, FieldRule, MetadataSchema, SchemaReport
    from clew.core.query import Filter, Principal, RetrievalMode
    from clew.core.results import Answer, Path, Result, Retrieval, Source
    from clew.core.transfer import ExportReport, ImportReport, ReembedReport
    from clew.core.watching import WatchEvent
    from clew.engine.async_clew import AsyncClew
    from clew.engine.clew import Clew
    from clew.engine.version import VERSION as __version__  # noqa: N811 - Python's own name
    from clew.settings.model import Settings

__all__ = [
    "Answer",
    "AsyncClew",
    "Clew",
    "ClewError",
    "CollectionStatus",
    "ExportReport",
    "FieldKind",
    "FieldRule",
    "FileBytes",
    "Filter",
    "ImportReport",
    "IngestError",
    "IngestReport",
    "MetadataSchema",
    "ModelError",
    "ModelMismatchError",
    "NotFoundError",
    "Path",
    "Principal",
    "Progress",
    "QueryError",
    "ReembedReport",
    "RemovalReceipt",
    "Result",
    "Retrieval",
    "RetrievalMode",
    "SchemaError",
    "SchemaReport",
    "Settings",
    "SettingsError",
    "Source",
    "StoreError",
    "UnsupportedModeError",
    "WatchEvent",
    "__version__",
]

_PLACES = {
    "clew.core.errors": (
        "ClewError",
        "IngestError",
        "ModelError",
        "ModelMismatchError",
        "NotFoundError",
        "QueryError",
        "SchemaError",
        "SettingsError",
        "StoreError",
        "UnsupportedModeError",
    ),
    "clew.core.inputs": ("FileBytes",),
    "clew.core.jobs": ("CollectionStatus", "IngestReport", "Progress", "RemovalReceipt"),
    "clew.core.metadata_schema": ("FieldKind", "FieldRule", "MetadataSchema", "SchemaReport"),
    "clew.core.query": ("Filter", "Principal", "RetrievalMode"),
    "clew.core.results": ("Answer", "Path", "Result", "Retrieval", "Source"),
    "clew.core.transfer": ("ExportReport", "ImportReport", "ReembedReport"),
    "clew.core.watching": ("WatchEvent",),
    "clew.engine.async_clew": ("AsyncClew",),
    "clew.engine.clew": ("Clew",),
    "clew.settings.model": ("Settings",),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    """Import a public name when it is first asked for (PEP 562)."""
    if name == "__version__":
        return import_module("clew.engine.version").VERSION
    if name not in _MODULES:
        raise AttributeError(f"module 'clew' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
