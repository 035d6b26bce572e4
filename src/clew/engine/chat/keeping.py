"""Where conversations are kept, and what of them may still be shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from clew.core.chat_port import ChatLog
from clew.core.conversation import Turn
from clew.core.ports import Store
from clew.core.query import Principal
from clew.engine.loading import load

_FOLDER = "chats"


def log_of(store: Store) -> ChatLog:
    """Return the log of a store: files in its folder, memory where it has none."""
    folder = getattr(store, "path", None)
    if folder is None:
        memory: ChatLog = load("clew.stores.chat_memory:MemoryChats")()
        return memory
    files: ChatLog = load("clew.stores.chat_files:FileChats")(folder / _FOLDER)
    return files


def standing_turns(
    turns: Iterable[Turn], store: Store, collection: str, *, principal: Principal
) -> tuple[Turn, ...]:
    """Return turns; those that rest on a document which is gone, or not to be seen, withdrawn."""
    held = tuple(turns)
    named = sorted({source for turn in held for source in turn.sources})
    seen = {
        document.source
        for document in (
            store.documents(collection, sources=named, principal=principal) if named else ()
        )
    }
    return tuple(turn if seen.issuperset(turn.sources) else withdrawn(turn) for turn in held)


def withdrawn(turn: Turn) -> Turn:
    """Return a turn without what it took from documents."""
    return replace(turn, asked=turn.question, answer="", sources=(), withdrawn=True)


def forget_source(log: ChatLog, collection: str, source: str) -> None:
    """Withdraw all that kept conversations took from a document, where they are kept too."""
    for chat in log.chats(collection):
        if any(source in turn.sources for turn in chat.turns):
            turns = (withdrawn(turn) if source in turn.sources else turn for turn in chat.turns)
            log.save_chat(collection, replace(chat, turns=tuple(turns)))
