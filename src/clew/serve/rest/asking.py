"""From a question of a request to the answer, its mode and stages told to the metrics."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request

from clew.core.results import Answer, Retrieval, Timings
from clew.engine.chat.session import ChatSession
from clew.engine.questions import QueryParameters
from clew.serve.access.api_key import Right
from clew.serve.rest.caller import Caller, require
from clew.serve.rest.models_of_questions import Question
from clew.serve.rest.services import services_of


def parameters_of(request: Request, caller: Caller, body: Question) -> QueryParameters:
    """Return the parameters of a question; to write what is inferred takes the right to write."""
    if body.write_inferred:
        require(request, Right.WRITE, caller.collection)
    return body.parameters(search_ms=services_of(request).settings.search_ms)


def ask(
    request: Request,
    caller: Caller,
    body: Question,
    *,
    session: ChatSession | None = None,
    on_evidence: Callable[[Retrieval], None] | None = None,
) -> Answer:
    """Return the answer to a question, in a conversation where one is given."""
    parameters = parameters_of(request, caller, body)
    if session is not None:
        answer = session.ask(
            body.question,
            mode=body.mode,
            top_k=body.top_k,
            on_evidence=on_evidence,
            **parameters,
        )
    else:
        answer = caller.clew.ask(
            body.question,
            mode=body.mode,
            top_k=body.top_k,
            principal=caller.principal,
            on_evidence=on_evidence,
            **parameters,
        )
    tell(request, answer)
    return answer


def search(request: Request, caller: Caller, body: Question) -> Retrieval:
    """Return the evidence for a question."""
    found = caller.clew.search(
        body.question,
        mode=body.mode,
        top_k=body.top_k,
        principal=caller.principal,
        **parameters_of(request, caller, body),
    )
    _tell(request, found.query.mode.value, found.timings)
    return found


def tell(request: Request, answer: Answer) -> None:
    """Tell the metrics of an answer."""
    _tell(request, answer.retrieval.query.mode.value, answer.timings)


def _tell(request: Request, mode: str, timings: Timings) -> None:
    request.state.mode = mode
    services_of(request).metrics.stages(mode, timings)
