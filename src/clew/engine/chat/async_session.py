"""A conversation for asyncio: `ChatSession` in threads."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from typing import Unpack

from clew.core.conversation import Turn
from clew.core.query import RetrievalMode
from clew.core.results import Answer, Retrieval
from clew.engine.chat.session import ChatSession
from clew.engine.questions import QueryParameters


class AsyncChatSession:
    """`ChatSession`, to be awaited. Arguments and errors are the same."""

    def __init__(self, session: ChatSession) -> None:
        self._session = session

    @property
    def id(self) -> str:
        """As `ChatSession.id`."""
        return self._session.id

    async def history(self) -> tuple[Turn, ...]:
        """As `ChatSession.history`; the store is read, so it is a method here."""
        return await to_thread(lambda: self._session.history)

    async def condense(self, question: str) -> str:
        """As `ChatSession.condense`."""
        return await to_thread(self._session.condense, question)

    async def ask(
        self,
        question: str,
        *,
        mode: RetrievalMode | str | None = None,
        top_k: int | None = None,
        on_text: Callable[[str], None] | None = None,
        on_evidence: Callable[[Retrieval], None] | None = None,
        **parameters: Unpack[QueryParameters],
    ) -> Answer:
        """As `ChatSession.ask`; the callbacks are called in its thread."""
        return await to_thread(
            self._session.ask,
            question,
            mode=mode,
            top_k=top_k,
            on_text=on_text,
            on_evidence=on_evidence,
            **parameters,
        )
