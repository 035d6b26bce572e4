"""The time that a retrieval may take; what is cut short by it is marked as partial."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of a monotonic clock, None for none."""

    moment: float | None = None
    clock: Callable[[], float] = time.monotonic

    @property
    def passed(self) -> bool:
        """Return whether the time is up."""
        return self.moment is not None and self.clock() >= self.moment


NO_DEADLINE = Deadline()


def deadline_in(
    milliseconds: float | None, clock: Callable[[], float] = time.monotonic
) -> Deadline:
    """Return the deadline that many milliseconds from now, none for None."""
    if milliseconds is None:
        return NO_DEADLINE
    return Deadline(clock() + milliseconds / 1000, clock)
