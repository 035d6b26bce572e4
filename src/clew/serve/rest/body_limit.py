"""A request's body may not be larger than its limit, whether or not it says how large it is."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive


def announced_length(header: str | None) -> int:
    """Return the length that `Content-Length` announces, 0 where it announces none."""
    return int(header) if header is not None and header.isascii() and header.isdigit() else 0


def too_large(limit: int) -> str:
    """Return what a caller is told."""
    return f"The body is larger than {limit} bytes, which is the limit of this server."


def limited(receive: Receive, limit: int) -> Receive:
    """Return `receive` that ends with status 413 once more than `limit` bytes have come."""
    seen = 0

    async def receive_within() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise HTTPException(413, too_large(limit))
        return message

    return receive_within
