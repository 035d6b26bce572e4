"""From a conversation to the question that a collection is asked."""

from __future__ import annotations

from datetime import UTC, datetime

from clew.core.conversation import Turn
from clew.engine.chat.session import ChatSession
from clew.serve.rest.caller import Caller
from clew.serve.rest.models_of_questions import Question
from clew.serve.rest.openai.chat_request import ChatRequest


def question_of(body: ChatRequest) -> Question:
    """Return the last message as a question, with the parameters that the request gives."""
    given = body.clew.model_dump(exclude_unset=True) if body.clew else {}
    most = body.max_completion_tokens or body.max_tokens
    if most is not None:
        given["max_tokens"] = most
    if body.temperature is not None:
        given["temperature"] = body.temperature
    return Question(question=body.messages[-1].text, **given)


def session_of(body: ChatRequest, caller: Caller) -> ChatSession | None:
    """Return the conversation that the messages before the last one are; it is kept nowhere."""
    history = turns_of(body)
    if not history:
        return None
    return caller.clew.chat(history=history, keep=False, principal=caller.principal)


def turns_of(body: ChatRequest) -> tuple[Turn, ...]:
    """Return each question of the user with what the assistant said to it; other roles are left
    out."""
    turns: list[Turn] = []
    question: str | None = None
    for message in body.messages[:-1]:
        if message.role == "user" and message.text.strip():
            question = message.text
        elif message.role == "assistant" and question is not None:
            now = datetime.now(UTC)
            turns.append(Turn(question, question, message.text, answered=True, at=now))
            question = None
    return tuple(turns)
