"""Milliseconds by stage."""

from __future__ import annotations

import time


class Stopwatch:
    """Measures the stages of one retrieval; each lap ends at the call that names it."""

    def __init__(self) -> None:
        self._begun = self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """Add the time since the last lap to `stage`."""
        now = time.perf_counter()
        self._laps[stage] = self._laps.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now

    def lap_embedding(self, milliseconds: float) -> None:
        """End the lap in which a question was made ready: the embedding took that much of it."""
        self._laps["embed"] = self._laps.get("embed", 0.0) + milliseconds
        self._last += milliseconds / 1000
        self.lap("prepare")

    def timings(self) -> dict[str, float]:
        """Return milliseconds by stage, and `total`."""
        return {**self._laps, "total": (time.perf_counter() - self._begun) * 1000}
