"""Numbers of pages in words: `page 4`, `pages 1-3, 7`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby


def page_list(numbers: Sequence[int]) -> str:
    """Return ascending page numbers in words, runs as ranges."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    ]
    written = ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
    return f"page {written}" if len(numbers) == 1 else f"pages {written}"
