"""How much a file may cost, and how a worker process is held to it."""

from __future__ import annotations

import contextlib
import importlib
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MEGABYTE = 2**20
_SHARED = 1024 * _MEGABYTE
_NOTICE = Path("/proc/self/oom_score_adj")
_FIRST_TO_GO = "1000"


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """What one file may cost: `seconds` by the clock, `megabytes` that its parser may allocate,
    `file_megabytes` that it may have on disk."""

    seconds: float = 120.0
    megabytes: int = 2048
    file_megabytes: int = 256

    @property
    def file_bytes(self) -> int:
        """Return the largest size of a file."""
        return self.file_megabytes * _MEGABYTE


def limit_memory(megabytes: int) -> None:
    """Hold this process to so much memory, and let the system end it before any other.

    On Linux an allocation beyond the limit fails (RLIMIT_DATA; RLIMIT_AS, which counts libraries
    too, lies one GiB higher). Other systems refuse or ignore the limits: there the clock is the
    only guard. No core dump is written, since it would hold the document.
    """
    resource = _resource()
    if resource is not None:
        allowed = megabytes * _MEGABYTE
        _lower(resource, "RLIMIT_DATA", allowed)
        _lower(resource, "RLIMIT_AS", allowed + _SHARED)
        _lower(resource, "RLIMIT_CORE", 0)
    if _NOTICE.exists():
        with contextlib.suppress(OSError):
            _NOTICE.write_text(_FIRST_TO_GO, encoding="ascii")


def end_after(seconds: float) -> None:
    """End this process after so many seconds, even inside a library; 0 calls it off.

    The parent ends an overdue worker earlier; this is for a worker whose parent was killed.
    Windows has no such timer.
    """
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _resource() -> Any | None:  # noqa: ANN401 - a module of the standard library
    """Return the module that sets limits; Windows has none."""
    try:
        return importlib.import_module("resource")
    except ImportError:
        return None


def _lower(resource: Any, name: str, allowed: int) -> None:  # noqa: ANN401
    """Lower a limit, unless it is lower already or the system does not know it."""
    if not hasattr(resource, name):
        return
    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    lowest = allowed if hard == resource.RLIM_INFINITY else min(allowed, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (lowest, lowest))
