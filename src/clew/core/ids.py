"""Identifiers: 63-bit integers hashed from content, so that a repeated run gives the same ids.

Stores and arrays use the integer; people, JSON and URLs see sixteen hexadecimal digits. At ten
million objects the chance of any collision is about 5e-6 (birthday bound over 2**63).
"""

from __future__ import annotations

import hashlib

from clew.core.errors import NotFoundError

_SEPARATOR = "\x1f"
_MASK = (1 << 63) - 1


def stable_id(*parts: str | int) -> int:
    """Return the 63-bit id of `parts`; equal parts give equal ids on every machine."""
    text = _SEPARATOR.join(map(str, parts))
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") & _MASK


def document_id(source: str, content_hash: str) -> int:
    """Return the id of the version of `source` whose content hashes to `content_hash`."""
    return stable_id("document", source, content_hash)


def origin_id(source: str) -> int:
    """Return the id of a source whatever its version; graph rows carry it to be erased by it."""
    return stable_id("origin", source)


def chunk_id(source: str, text: str, occurrence: int = 0) -> int:
    """Return the id of a chunk: it survives a new version of its source that keeps its text.

    `occurrence` counts equal texts of one source from 0.
    """
    return stable_id("chunk", source, text, occurrence)


def node_id(key: str) -> int:
    """Return the id of the node whose normalised canonical name is `key`."""
    return stable_id("node", key)


def edge_id(source: int, target: int, kind: str, relation: str, when: str = "") -> int:
    """Return the id of an edge; `when` tells apart the same relation at different times."""
    return stable_id("edge", source, target, kind, relation, when)


def format_id(identifier: int) -> str:
    """Return the public form: sixteen lower-case hexadecimal digits."""
    return f"{identifier:016x}"


def parse_id(text: str) -> int:
    """Return the integer of a public id.

    Raises:
        NotFoundError: `text` is not sixteen hexadecimal digits of a 63-bit number.
    """
    try:
        value = int(text, 16) if len(text) == 16 else -1
    except ValueError:
        value = -1
    if not 0 <= value <= _MASK:
        raise NotFoundError(f"{text!r} is not an id: ids are sixteen hexadecimal digits")
    return value
