"""`Clew.chats`: the conversations that are kept."""

from __future__ import annotations

import secrets
from asyncio import to_thread
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from clew.core.conversation import Chat, Turn
from clew.core.errors import NotFoundError, QueryError
from clew.core.query import ALL_RIGHTS, Principal
from clew.engine.chat.keeping import standing_turns
from clew.engine.chat.session import Asks, ChatSession
from clew.engine.components import Components


class Chats:
    """Lists, shows and removes conversations. `owner` None means those of everybody."""

    def __init__(self, components: Components) -> None:
        self._components = components

    def list(
        self, *, owner: str | None = None, principal: Principal = ALL_RIGHTS
    ) -> tuple[Chat, ...]:
        """Return the conversations, the one that was added to last first.

        What rests on documents that are gone, or that `principal` may not see, is withdrawn.
        """
        components = self._components
        with components.one_at_a_time():
            return tuple(
                self._standing(chat, principal)
                for chat in components.chat_log().chats(components.collection)
                if owner is None or chat.owner == owner
            )

    def show(
        self, session_id: str, *, owner: str | None = None, principal: Principal = ALL_RIGHTS
    ) -> Chat:
        """Return a conversation, as `list` gives it.

        Raises:
            NotFoundError: there is none of that id and owner.
        """
        with self._components.one_at_a_time():
            return self._standing(self._held(session_id, owner), principal)

    def remove(self, session_id: str, *, owner: str | None = None) -> None:
        """Remove a conversation for good.

        Raises:
            NotFoundError: there is none of that id and owner.
        """
        self._held(session_id, owner)
        self._components.chat_log().remove_chat(self._components.collection, session_id)

    def open(
        self,
        session_id: str | None,
        *,
        ask: Asks,
        history: Iterable[Turn],
        keep: bool,
        owner: str | None,
        principal: Principal,
        clock: Callable[[], datetime],
    ) -> ChatSession:
        """Return the conversation of that id, a new one where it is None."""
        given = tuple(history)
        if session_id is not None and given:
            raise QueryError("a conversation that is kept has its history; leave history out")
        if session_id is None:
            chat = Chat(secrets.token_hex(8), clock(), given, owner or "")
        else:
            chat = self._held(session_id, owner)
        return ChatSession(
            chat,
            components=self._components,
            ask=ask,
            principal=principal,
            log=self._components.chat_log() if keep else None,
            clock=clock,
        )

    def _held(self, session_id: str, owner: str | None) -> Chat:
        found = self._components.chat_log().chat(self._components.collection, session_id)
        if found is None or (owner is not None and found.owner != owner):
            raise NotFoundError(
                f"there is no conversation {session_id!r}; `clew chat --list` shows them"
            )
        return found

    def _standing(self, chat: Chat, principal: Principal) -> Chat:
        components = self._components
        return replace(
            chat,
            turns=standing_turns(
                chat.turns, components.store, components.collection, principal=principal
            ),
        )


class AsyncChats:
    """`Chats` in threads. Arguments and errors are the same."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats

    async def list(
        self, *, owner: str | None = None, principal: Principal = ALL_RIGHTS
    ) -> tuple[Chat, ...]:
        """As `Chats.list`."""
        return await to_thread(self._chats.list, owner=owner, principal=principal)

    async def show(
        self, session_id: str, *, owner: str | None = None, principal: Principal = ALL_RIGHTS
    ) -> Chat:
        """As `Chats.show`."""
        return await to_thread(self._chats.show, session_id, owner=owner, principal=principal)

    async def remove(self, session_id: str, *, owner: str | None = None) -> None:
        """As `Chats.remove`."""
        await to_thread(self._chats.remove, session_id, owner=owner)
