"""What a figure was measured on: processor, memory, disk."""

from __future__ import annotations

import os
import platform
import resource
import sys
from pathlib import Path

_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
_MEGABYTE = 1_000_000


def machine_facts() -> dict[str, str | int]:
    """Return the processor, how many cores this process may use, system and Python version."""
    return {
        "processor": _processor(),
        "cores": _usable_cores(),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
    }


def peak_memory() -> dict[str, float]:
    """Return the peak resident size so far, in MB: of this process, of its largest child."""
    return {
        "process": _own_peak(),
        "largest_child": _peak(resource.RUSAGE_CHILDREN),
    }


def disk_megabytes(folder: Path) -> float:
    """Return the size of all files under `folder`, in MB."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return round(sum(file.stat().st_size for file in files) / _MEGABYTE, 1)


def _own_peak() -> float:
    """Return the peak of this process; `ru_maxrss` would hold that of the one that started it."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.is_file() else []
    for line in lines:
        if line.startswith("VmHWM:"):
            return round(int(line.split()[1]) * 1024 / _MEGABYTE, 1)
    return _peak(resource.RUSAGE_SELF)


def _peak(who: int) -> float:
    return round(resource.getrusage(who).ru_maxrss * _MAXRSS_UNIT / _MEGABYTE, 1)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    description = Path("/proc/cpuinfo")
    if description.is_file():
        for line in description.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
