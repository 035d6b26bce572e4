"""Conversations kept in memory: gone with the process."""

from __future__ import annotations

import threading

from clew.core.conversation import Chat


class MemoryChats:
    """Implements `ChatLog` for stores without a folder."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], Chat] = {}
        self._lock = threading.Lock()

    def save_chat(self, collection: str, chat: Chat) -> None:
        """Keep a conversation in the place of what its id stood for."""
        with self._lock:
            self._held[collection, chat.id] = chat

    def chat(self, collection: str, identifier: str) -> Chat | None:
        """Return a conversation, None where there is none of that id."""
        with self._lock:
            return self._held.get((collection, identifier))

    def chats(self, collection: str) -> list[Chat]:
        """Return all conversations, the one that was added to last first, ties by id."""
        with self._lock:
            found = [chat for (place, _), chat in self._held.items() if place == collection]
        return newest_first(found)

    def remove_chat(self, collection: str, identifier: str) -> bool:
        """Remove a conversation; return whether it was there."""
        with self._lock:
            return self._held.pop((collection, identifier), None) is not None

    def drop_chats(self, collection: str) -> None:
        """Remove all conversations of a collection."""
        with self._lock:
            for key in [key for key in self._held if key[0] == collection]:
                del self._held[key]


def newest_first(chats: list[Chat]) -> list[Chat]:
    """Return conversations, the one that was added to last first, ties by id."""
    ordered = sorted(chats, key=lambda chat: chat.id)
    return sorted(ordered, key=lambda chat: chat.updated_at, reverse=True)
