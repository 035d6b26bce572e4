"""What a question says about time: the constraint, its signal and the kind of question."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from clew.core.errors import QueryError
from clew.core.knowledge import Period


class TemporalType(StrEnum):
    """How a constraint bounds time (guide, part 5.5; `NONE`: the question names no time)."""

    NONE = "none"
    BEFORE = "before"
    AFTER = "after"
    BETWEEN = "between"
    SINCE = "since"
    UNTIL = "until"
    BY = "by"
    DURING = "during"
    AS_OF = "as_of"
    RELATIVE = "relative"
    IMPLICIT = "implicit"


class TemporalSignal(StrEnum):
    """The relation that the words state, as in TimeQuestions (Jia et al., CIKM 2021)."""

    NONE = "none"
    OVERLAP = "overlap"
    BEFORE = "before"
    AFTER = "after"
    START = "start"
    FINISH = "finish"
    ORDINAL = "ordinal"


class TemporalKind(StrEnum):
    """What makes a question temporal: a date, an event, a rank in time, or that it asks for one."""

    NONE = "none"
    EXPLICIT = "explicit"
    IMPLICIT = "implicit"
    ORDINAL = "ordinal"
    ANSWER = "temporal_answer"


@dataclass(frozen=True, slots=True)
class TemporalConstraint:
    """The time that a question asks about: half open, `start <= t < end`, open ends None.

    `words` are the question's own. An implicit constraint has no dates: `words` name the event.
    `names` is True where the date identifies something ("born in 1984", "the 2008 games") and so
    asks for no view at that time.

    Raises:
        QueryError: the interval is empty, or an end has no time zone.
    """

    type: TemporalType = TemporalType.NONE
    start: datetime | None = None
    end: datetime | None = None
    signal: TemporalSignal = TemporalSignal.NONE
    kind: TemporalKind = TemporalKind.NONE
    words: str = ""
    names: bool = False

    def __post_init__(self) -> None:
        for name, moment in (("start", self.start), ("end", self.end)):
            if moment is not None and moment.tzinfo is None:
                raise QueryError(f"{name} of the temporal constraint has no time zone; give one")
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise QueryError(
                f"the temporal constraint {self.words!r} is empty: it starts at "
                f"{self.start.isoformat()} and ends at {self.end.isoformat()}"
            )

    @property
    def dated(self) -> bool:
        """Return whether the constraint has a date."""
        return self.start is not None or self.end is not None

    @property
    def views(self) -> bool:
        """Return whether the question asks how things stood then, so that it filters the graph."""
        return self.dated and not self.names

    def overlaps(self, period: Period) -> bool:
        """Return whether something of this period may hold within the constraint.

        A point counts where it lies inside; an undated period always does.
        """
        if period.occurred_at is not None:
            return self.contains(period.occurred_at)
        if self.end is not None and period.valid_from is not None and period.valid_from >= self.end:
            return False
        return self.start is None or period.valid_to is None or period.valid_to > self.start

    def contains(self, moment: datetime) -> bool:
        """Return whether a moment lies within the constraint."""
        if self.start is not None and moment < self.start:
            return False
        return self.end is None or moment < self.end


NO_CONSTRAINT = TemporalConstraint()
