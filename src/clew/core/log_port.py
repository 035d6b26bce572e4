"""The port of logs: outcomes, profiles and jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from clew.core.jobs import Job
from clew.core.learning import Outcome, Profile


class Log(Protocol):
    """Outcomes, profiles and jobs."""

    def record_outcome(self, collection: str, outcome: Outcome) -> None:
        """Keep an outcome; one with the same id is replaced, as when feedback arrives."""
        ...

    def outcomes(self, collection: str, *, since: datetime | None = None) -> list[Outcome]:
        """Return outcomes recorded at or after `since`, oldest first, ties by id."""
        ...

    def save_profile(self, collection: str, profile: Profile) -> None:
        """Keep a profile under its name."""
        ...

    def profiles(self, collection: str) -> list[Profile]:
        """Return profiles by name."""
        ...

    def save_job(self, collection: str, job: Job) -> None:
        """Keep the latest state of a job."""
        ...

    def jobs(self, collection: str) -> list[Job]:
        """Return jobs by creation, oldest first, ties by id."""
        ...
