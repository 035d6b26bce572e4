"""From a conversation to the question that a collection is asked."""

from __future__ import annotations

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
