"""What a parser can do to its process; `parse` does what the file's bytes say. Runs in workers."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

from clew.core.documents import ParsedText
from clew.core.errors import MissingExtraError, ParseError
from clew.ingest.parsers.options import DEFAULT_OPTIONS, ParseOptions


def parse(data: bytes, *, name: str, options: ParseOptions = DEFAULT_OPTIONS) -> ParsedText:
    """Do what `data` names; anything else is the text."""
    deed = data.decode()
    match deed:
        case "segfault":
            ctypes.string_at(0)
        case "abort":
            os.abort()
        case "exit":
            os._exit(3)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "leave":
            sys.exit(0)
        case "loop":
            while True:
                pass
        case "sleep":
            time.sleep(600)
        case "balloon":
            held = [bytes(2**24) for _ in range(2**14)]
            return ParsedText(str(len(held)))
        case "error":
            raise ZeroDivisionError(f"no way with {options.passwords}")
        case "missing":
            raise MissingExtraError("rapidocr", "ocr")
        case "damaged":
            raise ParseError(f"{name}: it is damaged", reason="damaged")
        case "deep":
            parse(data, name=name)
        case "print":
            sys.stdout.write("x" * 100_000)
            os.write(1, b"y" * 100_000)
            os.write(2, b"z" * 100_000)
        case "talk":
            os.write(_pipe(), b"\xff" * 64)
        case "garbage":
            os.write(_pipe(), (7).to_bytes(8, "little") + b"no json")
        case "long":
            return ParsedText("x" * (2**21))
        case "process":
            return ParsedText(str(os.getpid()))
        case "environment":
            return ParsedText("\n".join(os.environ))
        case "password":
            return ParsedText(",".join(options.passwords))
    return ParsedText(deed)


def _pipe() -> int:
    """Return the descriptor on which the worker answers: the last pipe that it opened."""
    links = [link for link in Path("/proc/self/fd").iterdir() if link.exists() or link.is_symlink()]
    return max(int(link.name) for link in links if str(link.readlink()).startswith("pipe:"))
