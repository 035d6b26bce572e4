"""The parsing worker: a process that reads files and answers with their text, within limits.

Started as a plain Python process and not by `multiprocessing`: it never imports the caller's main
module (a script needs no guard), and inherits no threads or locks.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from clew.core.documents import ParsedText
from clew.core.errors import ClewError, ParseError
from clew.ingest.isolation.frames import read_frame, write_frame
from clew.ingest.isolation.limits import end_after, limit_memory
from clew.ingest.isolation.messages import (
    Answer,
    Failure,
    Request,
    decode_request,
    encode_answer,
)
from clew.ingest.parsers.options import ParseOptions
from clew.ingest.reading import read_file

_LARGEST_REQUEST = 2**20
_LONGEST_ERROR = 300


ParseFunction: TypeAlias = Callable[..., ParsedText]
"""Called with the bytes of a file, and `name` and `options` as keywords."""


def serve(place: str, megabytes: int) -> None:
    """Answer requests until the input ends, with the function at `place` (`module:function`).

    What a library prints goes nowhere. Ctrl-C is the parent's to handle.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    limit_memory(megabytes)
    module, _, name = place.partition(":")
    parse = cast("ParseFunction", getattr(importlib.import_module(module), name))
    while True:
        try:
            request = decode_request(read_frame(sys.stdin.buffer, limit=_LARGEST_REQUEST))
            end_after(request.seconds)
            answer = encode_answer(_answer(parse, request, sys.stdin.buffer))
        except EOFError:
            return
        except MemoryError:
            answer = encode_answer(_too_much_memory(request.name))
        end_after(0)
        write_frame(answers, answer)


def _answer(parse: ParseFunction, request: Request, stream: BinaryIO) -> Answer:
    """Return the text of a file, or why there is none."""
    name = request.name
    options = ParseOptions(passwords=request.passwords, ocr=request.ocr)
    if request.path is None:
        data = read_frame(stream, limit=request.limit)
        return _parsed(lambda: parse(data, name=name, options=options), request)
    path = Path(request.path)
    return _parsed(
        lambda: parse(read_file(path, name=name, limit=request.limit), name=name, options=options),
        request,
    )


def _parsed(parse: Callable[[], ParsedText], request: Request) -> Answer:
    try:
        return parse()
    except ParseError as error:
        return Failure(error.reason, str(error))
    except ClewError as error:
        told = str(error)
        return Failure("invalid", told if request.name in told else f"{request.name}: {told}")
    except MemoryError:
        return _too_much_memory(request.name)
    except Exception as error:  # noqa: BLE001 - what a parser trips over is told in one sentence
        told = f"{type(error).__name__}: {' '.join(str(error).split())}"[:_LONGEST_ERROR]
        for secret in filter(None, request.passwords):
            told = told.replace(secret, "***")
        return Failure("damaged", f"{request.name}: the parser failed ({told})")


def _too_much_memory(name: str) -> Failure:
    return Failure(
        "memory",
        f"{name}: parsing takes more memory than ingest.parse_megabytes allows; split the file or "
        "raise the setting",
    )
