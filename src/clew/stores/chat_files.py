"""Conversations kept as JSON files: one a conversation, in a folder a collection."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from clew.core.conversation import Chat, Turn
from clew.core.errors import StoreError
from clew.stores.chat_memory import newest_first

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FORMAT = 1


class FileChats:
    """Implements `ChatLog` in the folder `path`, which the first conversation creates.

    A file is replaced as a whole, so that a reader never sees a part. Where two processes go on
    with one conversation, the last one to save it wins.

    Raises:
        StoreError: a file cannot be read or written, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def save_chat(self, collection: str, chat: Chat) -> None:
        """Keep a conversation in the place of what its id stood for."""
        file = self._file(collection, chat.id)
        if file is None:
            raise StoreError(
                f"{chat.id!r} is no id of a conversation: take up to 64 letters, digits, - and _"
            )
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
            with os.fdopen(handle, "w", encoding="utf-8") as part:
                json.dump(_to_json(chat), part, ensure_ascii=False)
            Path(name).replace(file)
        except OSError as error:
            raise StoreError(f"the conversation cannot be written to {file}: {error}") from error

    def chat(self, collection: str, identifier: str) -> Chat | None:
        """Return a conversation, None where there is none of that id."""
        file = self._file(collection, identifier)
        return None if file is None else _read(file)

    def chats(self, collection: str) -> list[Chat]:
        """Return all conversations, the one that was added to last first, ties by id."""
        found = [_read(file) for file in self._folder(collection).glob("*.json")]
        return newest_first([chat for chat in found if chat is not None])

    def remove_chat(self, collection: str, identifier: str) -> bool:
        """Remove a conversation; return whether it was there."""
        file = self._file(collection, identifier)
        if file is None:
            return False
        try:
            file.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StoreError(f"the conversation {file} cannot be removed: {error}") from error
        return True

    def drop_chats(self, collection: str) -> None:
        """Remove all conversations of a collection."""
        folder = self._folder(collection)
        if not folder.exists():
            return
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise StoreError(f"the conversations in {folder} cannot be removed: {error}") from error

    def _folder(self, collection: str) -> Path:
        # Names of collections are free text; those of folders are not.
        return self._path / sha256(collection.encode()).hexdigest()[:32]

    def _file(self, collection: str, identifier: str) -> Path | None:
        """Return the place of a conversation, None for what is no id."""
        if not _ID.fullmatch(identifier):
            return None
        return self._folder(collection) / f"{identifier}.json"


def _read(file: Path) -> Chat | None:
    try:
        return _from_json(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"the conversation {file} cannot be read: {error}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"the conversation {file} is damaged ({error}); remove it") from error


def _to_json(chat: Chat) -> dict[str, object]:
    return {
        "format": _FORMAT,
        "id": chat.id,
        "created_at": chat.created_at.isoformat(),
        "owner": chat.owner,
        "turns": [
            {
                "question": turn.question,
                "asked": turn.asked,
                "answer": turn.answer,
                "answered": turn.answered,
                "at": turn.at.isoformat(),
                "sources": list(turn.sources),
                "model": turn.model,
                "withdrawn": turn.withdrawn,
            }
            for turn in chat.turns
        ],
    }


def _from_json(held: dict[str, object]) -> Chat:
    if held["format"] != _FORMAT:
        raise ValueError(f"format {held['format']}, and this Clew reads {_FORMAT}")
    turns = held["turns"]
    if not isinstance(turns, list):
        raise TypeError("turns is no list")
    return Chat(
        id=str(held["id"]),
        created_at=datetime.fromisoformat(str(held["created_at"])),
        owner=str(held["owner"]),
        turns=tuple(
            Turn(
                question=row["question"],
                asked=row["asked"],
                answer=row["answer"],
                answered=row["answered"],
                at=datetime.fromisoformat(row["at"]),
                sources=tuple(row["sources"]),
                model=row["model"],
                withdrawn=row["withdrawn"],
            )
            for row in turns
        ),
    )
