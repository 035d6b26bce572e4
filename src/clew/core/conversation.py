"""Conversations: what was asked and answered, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of a conversation and its answer.

    `question` is what was typed, `asked` the same as a full question, which was answered. `sources`
    are those of the documents on which the answer rests. `withdrawn`: one of them is gone, or may
    not be seen; `answer` is then empty and `asked` what was typed.
    """

    question: str
    asked: str
    answer: str
    answered: bool
    at: datetime
    sources: tuple[str, ...] = ()
    model: str | None = None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation as it is kept. `owner` is whoever may take it up again, "" for anyone."""

    id: str
    created_at: datetime
    turns: tuple[Turn, ...] = ()
    owner: str = ""

    @property
    def updated_at(self) -> datetime:
        """Return when the last question was answered."""
        return self.turns[-1].at if self.turns else self.created_at

    @property
    def title(self) -> str:
        """Return the first question, "" where there is none."""
        return self.turns[0].question if self.turns else ""


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A name as a text writes it, and whether it is a person's."""

    name: str
    person: bool = False
