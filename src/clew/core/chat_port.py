"""The port of conversations that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from clew.core.conversation import Chat, NamedThing, Turn


class ChatLog(Protocol):
    """Conversations of collections, each under an id of letters, digits, - and _."""

    def save_chat(self, collection: str, chat: Chat) -> None:
        """Keep a conversation in the place of what its id stood for."""
        ...

    def chat(self, collection: str, identifier: str) -> Chat | None:
        """Return a conversation, None where there is none of that id."""
        ...

    def chats(self, collection: str) -> list[Chat]:
        """Return all conversations, the one that was added to last first, ties by id."""
        ...

    def remove_chat(self, collection: str, identifier: str) -> bool:
        """Remove a conversation; return whether it was there."""
        ...

    def drop_chats(self, collection: str) -> None:
        """Remove all conversations of a collection."""
        ...


class NameReader(Protocol):
    """Finds the things that a text names."""

    def __call__(self, text: str) -> Sequence[NamedThing]:
        """Return them in the order of the text, each once."""
        ...


class Condenser(Protocol):
    """Makes full questions of those that lean on what was said before."""

    def condense(self, question: str, history: Sequence[Turn], *, names: NameReader) -> str:
        """Return the question so that it can be understood alone; as it is where it can be."""
        ...
