"""Conversations: follow-ups, what is kept, and what becomes of removed documents."""

from datetime import UTC, datetime

import pytest

from clew.core.conversation import Turn
from clew.core.errors import ModelError, NotFoundError, QueryError
from clew.core.query import Principal
from clew.engine.async_clew import AsyncClew
from clew.engine.clew import Clew
from clew.engine.library import Library
from clew.settings.load import load_settings
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.testing.fakes import HashingEmbedder, ScriptedLLM
from tests.engine.stand_ins import PatternExtractor

BRIDGE = {
    "text": "The Tamega Bridge was opened in 1998. Ada Vale designed the Tamega Bridge.",
    "source": "bridge",
}
VALE = {"text": "Ada Vale was born in Braga.", "source": "vale"}
WHO = "Who designed the Tamega Bridge?"


def opened(store=None, **given):
    return Clew.open(
        "unused.clew",
        store=store if store is not None else MemoryStore(),
        settings=load_settings({}),
        embedder=HashingEmbedder(),
        extractor=PatternExtractor(),
        **given,
    )


@pytest.fixture
def kb():
    with opened() as made:
        made.add(BRIDGE, VALE)
        yield made


def test_a_follow_up_is_answered_as_a_full_question(kb):
    session = kb.chat()
    first = session.ask(WHO)
    assert "Ada Vale" in first.text
    second = session.ask("Where was she born?")
    assert second.question == "Where was Ada Vale born?"
    assert "Braga" in second.text
    asked = [(turn.question, turn.asked) for turn in session.history]
    assert asked == [(WHO, WHO), ("Where was she born?", "Where was Ada Vale born?")]
    assert session.history[1].sources == ("bridge", "vale")
    assert session.history[0].answer == first.text


def test_parameters_reach_the_question(kb):
    told: list[str] = []
    answer = kb.chat().ask(WHO, mode="keyword", top_k=1, on_text=told.append, sources=["bridge"])
    assert answer.retrieval.query.mode == "keyword"
    assert len(answer.retrieval.results) == 1
    assert told == [answer.text]


def test_names_in_lower_case_are_those_that_the_collection_knows(kb):
    session = kb.chat()
    session.ask("who designed the tamega bridge?")
    assert session.condense("When was it opened?") == "When was tamega bridge opened?"


def test_a_model_condenses_and_answers():
    llm = ScriptedLLM(
        "Ada Vale designed the Tamega Bridge.", "Where was Ada Vale born?", "In Braga."
    )
    with opened(llm=llm) as kb:
        kb.add(BRIDGE, VALE)
        session = kb.chat()
        session.ask(WHO)
        assert session.ask("Where was she born?").question == "Where was Ada Vale born?"
        with pytest.raises(ModelError):
            session.ask("And in 1999?")
    assert len(llm.prompts) == 4
    assert [turn.model for turn in session._chat.turns] == ["scripted", "scripted"]


def test_a_conversation_is_taken_up_again(tmp_path):
    store = EmbeddedStore(tmp_path / "kb.clew")
    with opened(store) as kb:
        kb.add(BRIDGE, VALE)
        session = kb.chat(owner="eve")
        session.ask(WHO)
    with opened(store) as kb:
        again = kb.chat(session.id)
        assert again.history == session.history
        assert again.ask("Where was she born?").question == "Where was Ada Vale born?"
        [listed] = kb.chats.list()
        assert (listed.id, listed.title, listed.owner) == (session.id, WHO, "eve")
        assert len(listed.turns) == 2
        with pytest.raises(NotFoundError, match="there is no conversation 'nothing'"):
            kb.chat("nothing")
        with pytest.raises(NotFoundError):
            kb.chat("../../etc/passwd")
        kb.chats.remove(session.id)
        assert kb.chats.list() == ()
        with pytest.raises(NotFoundError):
            kb.chats.remove(session.id)
    store.close()


def test_a_conversation_of_another_owner_is_not_found(kb):
    mine = kb.chat(owner="me")
    mine.ask(WHO)
    with pytest.raises(NotFoundError):
        kb.chat(mine.id, owner="you")
    with pytest.raises(NotFoundError):
        kb.chats.show(mine.id, owner="you")
    assert kb.chats.list(owner="you") == ()
    assert [chat.id for chat in kb.chats.list(owner="me")] == [mine.id]
    assert kb.chats.show(mine.id, owner="me").turns == mine.history


def test_what_is_not_kept_is_not_listed_and_given_history_counts(kb):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    earlier = Turn(WHO, WHO, "Ada Vale designed it.", answered=True, at=now)
    session = kb.chat(history=[earlier], keep=False)
    assert session.ask("Where was she born?").question == "Where was Ada Vale born?"
    assert kb.chats.list() == ()
    with pytest.raises(QueryError, match="leave history out"):
        kb.chat("some", history=[earlier])


def test_of_a_removed_document_nothing_is_left(tmp_path):
    store = EmbeddedStore(tmp_path / "kb.clew")
    with opened(store) as kb:
        kb.add(BRIDGE, VALE)
        session = kb.chat()
        session.ask(WHO)
        session.ask("Where was she born?")
        kb.remove("bridge")
        assert [turn.withdrawn for turn in session.history] == [True, True]
        assert session.condense("Where was she born?") == "Where was she born?"
        session.ask("Where was Ada Vale born?")
        written = "".join(
            file.read_text(encoding="utf-8")
            for file in (tmp_path / "kb.clew").rglob("*.json")
            if "chats" in file.parts
        )
    assert written.count(WHO) == 2  # the person's own words stay: typed, and so asked
    assert "Ada Vale designed" not in written
    # Of the two turns about her birth, only the one that was typed in full names her.
    assert written.count("Where was Ada Vale born?") == 2
    store.close()


def test_who_may_not_see_a_document_sees_no_answer_of_it():
    with opened() as kb:
        kb.add({**BRIDGE, "acl": ["staff"]})
        session = kb.chat(principal=Principal(frozenset({"staff"})))
        assert session.ask(WHO).answered
        outside = kb.chat(session.id, principal=Principal(frozenset({"guests"})))
        [turn] = outside.history
        assert (turn.answer, turn.withdrawn) == ("", True)
        assert outside.condense("Where was she born?") == "Where was she born?"
        [listed] = kb.chats.list(principal=Principal(frozenset({"guests"})))
        assert listed.turns == (turn,)
        assert session.history[0].answer


def test_a_dropped_collection_takes_its_conversations_along(tmp_path):
    store = EmbeddedStore(tmp_path / "kb.clew")
    library = Library(
        store,
        settings=load_settings({}),
        embedder=HashingEmbedder(),
        extractor=PatternExtractor(),
    )
    kb = library.create("bridges")
    kb.add(BRIDGE)
    kb.chat().ask(WHO)
    library.drop("bridges")
    assert library.create("bridges").chats.list() == ()
    library.close()
    store.close()


@pytest.mark.asyncio
async def test_the_awaited_session_does_the_same():
    async with AsyncClew(opened()) as kb:
        await kb.add(BRIDGE, VALE)
        session = await kb.chat()
        await session.ask(WHO)
        assert await session.condense("Where was she born?") == "Where was Ada Vale born?"
        answer = await session.ask("Where was she born?")
        assert answer.question == "Where was Ada Vale born?"
        assert [turn.asked for turn in await session.history()] == [WHO, answer.question]
        [chat] = await kb.chats.list()
        assert chat == await kb.chats.show(session.id)
        await kb.chats.remove(session.id)
        assert await kb.chats.list() == ()
