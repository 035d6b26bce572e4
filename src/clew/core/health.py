"""What an examination of a store finds, and what a backup holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """ERROR: answers may be wrong or missing. WARNING: they will be, or work is unfinished.
    NOTE: good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an examination found: where, what is wrong, and how to mend it."""

    severity: Severity
    place: str
    problem: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class HealthReport:
    """What `doctor` found, worst first, and what it mended before it looked."""

    findings: tuple[Finding, ...]
    mended: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def sound(self) -> bool:
        """Whether there is no error."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was written or restored, verified: its place, size, and rows by table."""

    path: str
    bytes: int
    rows: Mapping[str, int]
