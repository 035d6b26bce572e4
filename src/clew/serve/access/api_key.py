"""API keys: what one may do, where, and as whom. Only the hash of a secret is ever kept."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from clew.core.query import ALL_RIGHTS, Principal

_PREFIX = "clew_"
_SECRET_BYTES = 32


class Right(StrEnum):
    """READ: ask and list. WRITE: add and remove documents. ADMIN: make and delete collections."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key. `collections` None means all of them, `groups` None all rights to documents.

    `digest` is the SHA-256 of the whole key in hexadecimal: the secret has 256 random bits, so that
    a slow hash would add nothing.
    """

    id: str
    name: str
    digest: str
    rights: frozenset[Right]
    created_at: datetime
    collections: frozenset[str] | None = None
    groups: frozenset[str] | None = None

    @property
    def principal(self) -> Principal:
        """Return who asks with this key."""
        return ALL_RIGHTS if self.groups is None else Principal(self.groups)

    def may(self, right: Right, collection: str | None) -> bool:
        """Return whether the key has a right in a collection; None: in the store as a whole."""
        if right not in self.rights:
            return False
        return self.collections is None or (
            collection is not None and collection in self.collections
        )


def new_secret() -> str:
    """Return a new key, to be shown once."""
    return _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def digest_of(secret: str) -> str:
    """Return what is kept of a key."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
