"""A worker process: reads texts from its standard input and answers with what a function makes.

Frames in both directions are an unsigned 64-bit length and a pickle. Started as a plain Python
process and not by `multiprocessing`, so that it never imports the caller's main module (a script
or notebook needs no guard) and inherits no threads or locks.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from clew.core.annotation import AnnotatedText

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Work:
    """Texts with their contexts, and what to make of each annotation."""

    texts: Sequence[str]
    contexts: Sequence[object]
    function: Callable[[AnnotatedText, object], object]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a worker could not do its work: the traceback."""

    trace: str


def write_frame(stream: BinaryIO, value: object) -> None:
    """Write one value."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: BinaryIO) -> object:
    """Return the next value.

    Raises:
        EOFError: the other side closed the stream.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)  # noqa: S301 - the other end is our own process


def serve() -> None:
    """Answer frames until the input ends. Ctrl-C is the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # Loading takes a second; it starts here so that it is done when the first work arrives.
    from clew.models.spacy_pipeline import SpacyPipeline

    pipeline = SpacyPipeline()
    while True:
        try:
            work = read_frame(sys.stdin.buffer)
        except EOFError:
            return
        write_frame(answers, _answer(pipeline.annotate, work))


def _answer(
    annotate: Callable[[Sequence[str]], Iterator[AnnotatedText]], work: object
) -> list[object] | Failure:
    """Return one result a text, or the failure in words that the parent can raise."""
    try:
        if not isinstance(work, Work):
            return Failure(f"a worker was sent {type(work).__name__} in place of Work")
        pairs = zip(annotate(work.texts), work.contexts, strict=True)
        return [work.function(annotated, context) for annotated, context in pairs]
    except Exception:  # noqa: BLE001 - whatever fails is raised again in the parent
        return Failure(traceback.format_exc())
