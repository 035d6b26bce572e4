"""Addresses of what a collection holds, as MCP resources and citations name it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from clew.core.errors import NotFoundError
from clew.core.ids import format_id, parse_id

SCHEME = "clew"
DOCUMENTS = "documents"
NODES = "nodes"


@dataclass(frozen=True, slots=True)
class Address:
    """A document or node; `kind` is `DOCUMENTS` or `NODES`."""

    collection: str
    kind: str
    id: int

    def __str__(self) -> str:
        return f"{SCHEME}://{quote(self.collection, safe='')}/{self.kind}/{format_id(self.id)}"


def parse_address(text: str) -> Address:
    """Return the address that `text` is.

    Raises:
        NotFoundError: it is none.
    """
    parts = urlsplit(text)
    kind, _, identifier = parts.path.removeprefix("/").partition("/")
    if parts.scheme != SCHEME or kind not in (DOCUMENTS, NODES) or not parts.netloc:
        raise NotFoundError(
            f"{text!r} is no address here: write {SCHEME}://COLLECTION/{DOCUMENTS}/ID "
            f"or {SCHEME}://COLLECTION/{NODES}/ID"
        )
    return Address(unquote(parts.netloc), kind, parse_id(identifier))
