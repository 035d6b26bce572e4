"""Web addresses as callers write them, and how they may be shown."""

from __future__ import annotations

import re

_WEB = re.compile(r"https?://\S+", re.IGNORECASE)
_OTHER = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://\S*")
_CREDENTIALS = re.compile(r"(://)[^/?#\s]*@")


def is_web_address(text: str) -> bool:
    """Return whether `text` is an http or https address and nothing else."""
    return _WEB.fullmatch(text.strip()) is not None


def other_scheme(text: str) -> str | None:
    """Return the scheme of an address that is neither http nor https, None where it is none."""
    match = _OTHER.fullmatch(text.strip())
    return match[1].casefold() if match is not None else None


def without_credentials(address: str) -> str:
    """Return an address as it may stand in reports: without user name and password."""
    return _CREDENTIALS.sub(r"\1", address)
