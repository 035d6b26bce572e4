"""Frames on a pipe: an unsigned 64-bit length and so many bytes."""

from __future__ import annotations

import struct
from typing import BinaryIO

_LENGTH = struct.Struct("<Q")


class FrameTooLargeError(Exception):
    """The other side announces a frame beyond the limit; nothing of it was read."""


def write_frame(stream: BinaryIO, data: bytes) -> None:
    """Write one frame.

    Raises:
        OSError: the other side is gone.
    """
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: BinaryIO, *, limit: int) -> bytes:
    """Return the next frame.

    Raises:
        EOFError: the other side closed the stream.
        FrameTooLargeError: the frame is longer than `limit`.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    if length > limit:
        raise FrameTooLargeError
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data
