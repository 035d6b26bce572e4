"""Text without what no store can hold: half surrogate pairs and zero characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clew.core.documents import Metadata, MetadataValue

_UNSTORABLE = re.compile(r"[\ud800-\udfff\x00]")


def storable(text: str) -> str:
    """Return `text` with U+FFFD for each character that cannot be stored."""
    return _UNSTORABLE.sub("\ufffd", text)


def storable_all(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts, each as it can be stored."""
    return tuple(map(storable, texts))


def storable_metadata(metadata: Metadata) -> dict[str, MetadataValue]:
    """Return metadata whose keys and texts can be stored."""
    return {storable(key): _value(value) for key, value in metadata.items()}


def _value(value: MetadataValue) -> MetadataValue:
    if isinstance(value, str):
        return storable(value)
    return [storable(item) for item in value] if isinstance(value, list) else value
