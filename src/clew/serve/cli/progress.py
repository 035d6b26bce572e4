"""Progress of an ingest on stderr: a bar a stage, with rate and time left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars
from rich.text import Text

from clew.core.jobs import Progress


class _RateColumn(ProgressColumn):
    """Units a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.1f}/s" if speed else "", style="progress.data.speed")


@contextmanager
def progress_bars() -> Iterator[Callable[[Progress], None] | None]:
    """Give what draws progress, None where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bars = Bars(
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        _RateColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    tasks: dict[str, TaskID] = {}

    def draw(progress: Progress) -> None:
        if progress.stage not in tasks:
            tasks[progress.stage] = bars.add_task(progress.stage, total=progress.total)
        bars.update(tasks[progress.stage], completed=progress.done, total=progress.total)

    with bars:
        yield draw
