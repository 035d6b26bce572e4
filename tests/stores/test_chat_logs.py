"""Conversations that are kept: both logs give what was saved."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from clew.core.conversation import Chat, Turn
from clew.core.errors import StoreError
from clew.stores.chat_files import FileChats
from clew.stores.chat_memory import MemoryChats

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def chat(identifier, minute, **about):
    at = NOW + timedelta(minutes=minute)
    turn = Turn("Wo?", "Wo ist sie?", "Ü “x” [1]", answered=True, at=at, sources=("a",), model="m")
    return Chat(identifier, NOW, (turn, replace(turn, withdrawn=True, model=None)), **about)


@pytest.fixture(params=["files", "memory"])
def log(request, tmp_path):
    return FileChats(tmp_path / "chats") if request.param == "files" else MemoryChats()


def test_what_was_saved_is_given_back(log):
    first, second = chat("a-1", 1, owner="eve"), chat("B_2", 2)
    log.save_chat("main", first)
    log.save_chat("main", second)
    log.save_chat("other", first)
    assert log.chat("main", "a-1") == first
    assert log.chats("main") == [second, first]
    assert log.chat("main", "c") is None
    assert log.chats("nowhere") == []
    newer = chat("a-1", 3, owner="eve")
    log.save_chat("main", newer)
    assert log.chats("main") == [newer, second]
    assert log.remove_chat("main", "a-1")
    assert not log.remove_chat("main", "a-1")
    log.drop_chats("main")
    assert log.chats("main") == []
    assert log.chats("other") == [first]
    log.drop_chats("nowhere")


def test_an_id_is_no_path(tmp_path):
    log = FileChats(tmp_path / "chats")
    (tmp_path / "secret.json").write_text("{}", encoding="utf-8")
    assert log.chat("main", "../../secret") is None
    assert not log.remove_chat("main", "../../secret")
    with pytest.raises(StoreError, match="no id of a conversation"):
        log.save_chat("main", chat("../x", 1))
    assert (tmp_path / "secret.json").exists()


def test_a_damaged_file_is_named(tmp_path):
    log = FileChats(tmp_path / "chats")
    log.save_chat("main", chat("a", 1))
    [file] = (tmp_path / "chats").rglob("a.json")
    file.write_text('{"format": 2}', encoding="utf-8")
    with pytest.raises(StoreError, match=r"a\.json is damaged \(format 2"):
        log.chat("main", "a")
    file.write_text("{", encoding="utf-8")
    with pytest.raises(StoreError, match="is damaged"):
        log.chats("main")
