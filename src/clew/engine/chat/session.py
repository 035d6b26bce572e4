"""A conversation: questions that may lean on those before them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Protocol, Unpack

from clew.core.chat_port import ChatLog
from clew.core.conversation import Chat, Turn
from clew.core.query import ALL_RIGHTS, Principal, RetrievalMode
from clew.core.results import Answer, Retrieval
from clew.engine.chat.keeping import standing_turns
from clew.engine.chat.names import CollectionNames
from clew.engine.components import Components
from clew.engine.questions import QueryParameters


class Asks(Protocol):
    """What answers a full question: `Clew.ask`."""

    def __call__(
        self,
        question: str,
        *,
        mode: RetrievalMode | str | None = None,
        top_k: int | None = None,
        principal: Principal = ALL_RIGHTS,
        on_text: Callable[[str], None] | None = None,
        on_evidence: Callable[[Retrieval], None] | None = None,
        **parameters: Unpack[QueryParameters],
    ) -> Answer:
        """Return the answer."""
        ...


class ChatSession:
    """A conversation with a collection, made by `Clew.chat`; one question at a time.

    The principal is that of the whole conversation. With `log` every turn is kept as it ends.
    """

    def __init__(
        self,
        chat: Chat,
        *,
        components: Components,
        ask: Asks,
        principal: Principal,
        log: ChatLog | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._chat = chat
        self._components = components
        self._ask = ask
        self._principal = principal
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        """The id under which the conversation is taken up again."""
        return self._chat.id

    @property
    def history(self) -> tuple[Turn, ...]:
        """The turns so far, oldest first; those whose documents are gone are withdrawn."""
        with self._components.one_at_a_time():
            return self._standing(self._chat.turns, self._principal)

    def condense(self, question: str) -> str:
        """Return the full question that `question` stands for here; nothing is asked or kept.

        Raises:
            ModelError: the language model cannot be asked.
        """
        with self._components.one_at_a_time():
            names = CollectionNames(
                self._components.store, self._components.collection, self._principal
            )
            history = self._standing(self._chat.turns, self._principal)
            return self._components.condenser().condense(question, history, names=names)

    def ask(
        self,
        question: str,
        *,
        mode: RetrievalMode | str | None = None,
        top_k: int | None = None,
        on_text: Callable[[str], None] | None = None,
        on_evidence: Callable[[Retrieval], None] | None = None,
        **parameters: Unpack[QueryParameters],
    ) -> Answer:
        """Answer a question that may lean on those before it; `Answer.question` is the full one.

        Raises:
            ClewError: as `Clew.ask`; the turn is then not kept.
        """
        with self._lock:
            full = self.condense(question)
            answer = self._ask(
                full,
                mode=mode,
                top_k=top_k,
                principal=self._principal,
                on_text=on_text,
                on_evidence=on_evidence,
                **parameters,
            )
            self._keep(question, full, answer)
            return answer

    def _keep(self, question: str, full: str, answer: Answer) -> None:
        sources = {source.source for source in answer.sources} if answer.answered else set()
        if full != question:
            # The full question may hold a name that an earlier answer gave.
            sources |= {source for turn in self._chat.turns for source in turn.sources}
        turn = Turn(
            question=question,
            asked=full,
            answer=answer.text,
            answered=answer.answered,
            at=self._clock(),
            sources=tuple(sorted(sources)),
            model=answer.model,
        )
        # What rested on a document that was removed meanwhile is not written again.
        with self._components.one_at_a_time():
            before = self._standing(self._chat.turns, ALL_RIGHTS)
        self._chat = replace(self._chat, turns=(*before, turn))
        if self._log is not None:
            self._log.save_chat(self._components.collection, self._chat)

    def _standing(self, turns: Iterable[Turn], principal: Principal) -> tuple[Turn, ...]:
        store, collection = self._components.store, self._components.collection
        return standing_turns(turns, store, collection, principal=principal)
