"""A page from the web, whatever fetched it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page: its address as it was named, without credentials and fragment; its bytes, text as
    UTF-8 where the server named a charset; and the suffix whose parser reads it."""

    address: str
    data: bytes
    suffix: str
