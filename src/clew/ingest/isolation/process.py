"""A parsing worker seen from outside: asked, timed, and ended."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from typing import IO, BinaryIO, cast

from clew.ingest.isolation.frames import FrameTooLargeError, read_frame, write_frame
from clew.ingest.isolation.limits import ParseLimits
from clew.ingest.isolation.messages import (
    Answer,
    Failure,
    Request,
    decode_answer,
    encode_request,
)

_SERVE = (
    "import sys; from clew.ingest.isolation.worker import serve; "
    "serve(sys.argv[1], int(sys.argv[2]))"
)
_LARGEST_ANSWER = 256 * 2**20
_LAST_BREATH = 5.0
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)


class ParsingWorker:
    """One process of `clew.ingest.isolation.worker`, which answers one request after another.

    `usable` turns False with the first answer that it owes; it must then be closed. One `ask` at a
    time.
    """

    def __init__(self, parser: str, limits: ParseLimits) -> None:
        self._limits = limits
        self.usable = True
        self.answered = 0
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-c", _SERVE, parser, str(limits.megabytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )

    def ask(self, request: Request, data: bytes | None) -> Answer:
        """Return the worker's answer; one that is late, too long or missing is a failure."""
        overdue = threading.Event()
        timer = threading.Timer(self._limits.seconds, self._end_overdue, [overdue])
        timer.daemon = True
        timer.start()
        try:
            answer = self._exchange(request, data)
        except FrameTooLargeError:
            answer = _too_much_text(request.name)
        except ValueError:
            answer = _crashed(request.name, "its answer was no answer")
        except (EOFError, OSError):
            answer = self._late(request) if overdue.is_set() else self._died(request)
        finally:
            timer.cancel()
            timer.join()
        self.answered += 1
        spoilt = isinstance(answer, Failure) and answer.reason in _SPOILING
        # the time may have run out after the answer was read: the process is then gone
        self.usable = not (spoilt or overdue.is_set())
        return answer

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                _close_quietly(stream)

    def _exchange(self, request: Request, data: bytes | None) -> Answer:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise EOFError
        requests, answers = cast("BinaryIO", stdin), cast("BinaryIO", stdout)
        write_frame(requests, encode_request(request))
        if data is not None:
            write_frame(requests, data)
        return decode_answer(read_frame(answers, limit=_LARGEST_ANSWER))

    def _end_overdue(self, overdue: threading.Event) -> None:
        overdue.set()
        self._process.kill()

    def _late(self, request: Request) -> Failure:
        return Failure(
            "timeout",
            f"{request.name}: parsing took longer than {self._limits.seconds:g} seconds "
            "(ingest.parse_seconds) and was stopped; split the file or raise the setting",
        )

    def _died(self, request: Request) -> Failure:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_BREATH)
        return _crashed(request.name, _cause(self._process.returncode))


_SPOILING = frozenset({"crashed", "memory", "timeout", "too-much-text"})
"""Reasons after which a worker is ended, or has ended."""

_MEANINGS = {
    "SIGABRT": "it gave up, often because ingest.parse_megabytes did not suffice",
    "SIGKILL": "it was killed from outside, perhaps for want of memory",
}


def _crashed(name: str, cause: str) -> Failure:
    return Failure(
        "crashed",
        f"{name}: the parser died ({cause}); the file is damaged, or made to do harm; repair it "
        "or leave it out",
    )


def _too_much_text(name: str) -> Failure:
    return Failure(
        "too-much-text",
        f"{name}: the text is longer than {_LARGEST_ANSWER // 2**20} MiB; split the file",
    )


def _environment() -> dict[str, str]:
    """Return the environment of a worker: where Clew is found, and no key or token of the caller,
    which no parser needs and a hostile file might look for."""
    kept = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _cause(code: int | None) -> str:
    """Return in words how a process ended."""
    if code is None:
        return "it closed its pipe"
    if code >= 0:
        return f"it left with exit code {code}"
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
        return f"{name}: {_MEANINGS[name]}" if name in _MEANINGS else name
    return f"signal {-code}"


def _close_quietly(stream: IO[bytes]) -> None:
    """Close a pipe whose reader may be gone and whose buffer may then not be flushed."""
    with contextlib.suppress(OSError):
        stream.close()
