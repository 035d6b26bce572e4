"""Progress of a long index run: one line on a terminal, silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable

from clew.core.jobs import Progress


def show_progress() -> Callable[[Progress], None] | None:
    """Return what writes progress to standard error, None when nobody looks."""
    return _write_line if sys.stderr.isatty() else None


def _write_line(progress: Progress) -> None:
    total = f"/{progress.total}" if progress.total else ""
    sys.stderr.write(f"\r\x1b[K{progress.stage} {progress.done}{total}")
    if progress.done == progress.total:
        sys.stderr.write("\n")
    sys.stderr.flush()
