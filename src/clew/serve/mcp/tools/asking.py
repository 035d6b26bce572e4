"""Tools that ask: answers with sources in every mode, the hybrid guide's two, and passages."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, Field

from clew.core.hybrid_response import hybrid_response
from clew.core.ids import format_id
from clew.core.query import MAX_QUESTION_CHARACTERS, RetrievalMode
from clew.core.results import Answer, Retrieval
from clew.serve.access.api_key import Right
from clew.serve.json_form import Json, to_json
from clew.serve.mcp.arguments import AtCollection
from clew.serve.mcp.call import Call
from clew.serve.mcp.outputs import CitedAnswer, CitedHybridAnswer, Kept, Passages
from clew.serve.mcp.tool import Told, Tool
from clew.serve.mcp.wording import answer_text, passages_text
from clew.serve.rest.caller import Caller
from clew.serve.rest.models_of_questions import (
    HybridQuestion,
    ModeName,
    Question,
    Words,
    storable,
)


class Asked(AtCollection):
    """A question in words, with what narrows it."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)
    mode: ModeName | None = Field(
        default=None,
        description="How to retrieve; `adaptive` chooses, `global` is for overviews of everything.",
    )
    top_k: int | None = Field(default=None, ge=1, le=100, description="How many passages.")
    max_hops: int | None = Field(default=None, ge=1, le=5)
    labels: list[Words] = Field(default=[], max_length=100, description="Kinds such as Company.")
    sources: list[Words] = Field(default=[], max_length=100, description="Keep to these sources.")
    where: Annotated[dict[str, Any], AfterValidator(storable)] | None = Field(
        default=None, description="A condition on metadata, such as {'year': {'gte': 2020}}."
    )
    temporal_at: AwareDatetime | None = Field(default=None, description="What held then.")

    def plain(self) -> Question:
        """Return it as a question of the REST API."""
        given = self.model_dump(exclude={"collection"}, exclude_unset=True)
        return Question(**given)


class Rated(AtCollection):
    """How good the answer to a question was."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)
    score: float = Field(ge=0, le=1, description="0 useless, 1 right.")
    mode: ModeName | None = Field(default=None, description="The mode that was asked in.")


def _ask(call: Call, given: Asked) -> Told:
    caller, question = call.at(given.collection, Right.READ), given.plain()
    answer = caller.clew.ask(
        question.question,
        mode=question.mode,
        top_k=question.top_k,
        principal=caller.principal,
        **question.parameters(search_ms=call.services.settings.search_ms),
    )
    _count(call, answer)
    return Told(
        answer_text(answer),
        {
            "question": answer.question,
            "mode": answer.retrieval.query.mode.value,
            "answer": answer.text,
            "reasoning_path": to_json(answer.reasoning_path),
            "notes": to_json(answer.retrieval.notes),
            **_cited(caller, answer),
        },
    )


def _hybrid(call: Call, given: HybridQuestion) -> Told:
    return _guide(call, given, RetrievalMode.HYBRID)


def _flat(call: Call, given: HybridQuestion) -> Told:
    return _guide(call, given, RetrievalMode.VECTOR_ONLY)


def _guide(call: Call, given: HybridQuestion, mode: RetrievalMode) -> Told:
    caller = call.at(given.collection, Right.READ)
    if given.write_inferred:
        caller = call.at(given.collection, Right.WRITE)
    answer = caller.clew.ask(
        given.question,
        mode=mode,
        principal=caller.principal,
        **given.parameters(search_ms=call.services.settings.search_ms),
    )
    _count(call, answer)
    data: dict[str, Json] = {
        name: to_json(value) for name, value in hybrid_response(answer).items()
    }
    return Told(answer_text(answer), {**data, **_cited(caller, answer)})


def _search(call: Call, given: Asked) -> Told:
    caller, question = call.at(given.collection, Right.READ), given.plain()
    found = _found(call, caller, question)
    ids = sorted({result.document for result in found.results})
    documents = {
        document.id: document
        for document in caller.clew.documents(ids=ids, principal=caller.principal)
    }
    told = [
        (rank, documents[result.document], result)
        for rank, result in enumerate(found.results, 1)
        if result.document in documents
    ]
    rows = [(rank, document.title, document.source, one.content) for rank, document, one in told]
    passages: list[Json] = [
        {
            "rank": rank,
            "chunk": format_id(result.id),
            "document": format_id(result.document),
            "title": document.title,
            "source": document.source,
            "text": result.content,
            "score": result.score,
            "similarity": result.similarity,
            "signals": list(result.signals),
            "path": result.path.description if result.path else None,
        }
        for rank, document, result in told
    ]
    data: dict[str, Json] = {
        "collection": caller.collection,
        "mode": found.query.mode.value,
        "passages": passages,
        "paths": [path.description for path in found.paths],
        "notes": to_json(found.notes),
    }
    return Told(passages_text(rows, found.paths), data)


def _feedback(call: Call, given: Rated) -> Told:
    caller = call.at(given.collection, Right.READ)
    found = _found(call, caller, Question(question=given.question, mode=given.mode))
    kept = caller.clew.feedback(found, given.score)
    return Told(
        f"kept as {format_id(kept.id)}",
        {
            "collection": caller.collection,
            "outcome": format_id(kept.id),
            "query_type": kept.query_type,
            "contributions": to_json(kept.contributions),
        },
    )


def _found(call: Call, caller: Caller, question: Question) -> Retrieval:
    found = caller.clew.search(
        question.question,
        mode=question.mode,
        top_k=question.top_k,
        principal=caller.principal,
        **question.parameters(search_ms=call.services.settings.search_ms),
    )
    call.services.metrics.stages(found.query.mode.value, found.timings)
    return found


def _cited(caller: Caller, answer: Answer) -> dict[str, Json]:
    return {
        "collection": caller.collection,
        "answered": answer.answered,
        "confidence": answer.confidence,
        "sources": to_json(answer.sources),
    }


def _count(call: Call, answer: Answer) -> None:
    call.services.metrics.stages(answer.retrieval.query.mode.value, answer.timings)


ASK = Tool(
    name="ask",
    title="Answer a question",
    description=(
        "Answer a question from the documents, with numbered citations and the path through the "
        "knowledge graph that leads to it. Says so where the documents do not answer."
    ),
    arguments=Asked,
    output=CitedAnswer,
    run=_ask,
)
HYBRID = Tool(
    name="rag_hybrid_query",
    title="Hybrid graph-vector RAG",
    description=(
        "Answer by the hybrid guide's four stages (seeds, guided expansion, path scores, context): "
        "for questions about relationships and several hops. Returns the subgraph, the paths and "
        "why each node is there. `mode` is the preset of graph against vectors."
    ),
    arguments=HybridQuestion,
    output=CitedHybridAnswer,
    run=_hybrid,
)
FLAT = Tool(
    name="rag_query",
    title="Flat vector RAG",
    description=(
        "Answer from the passages nearest to the question, without walking the graph: the quickest, "
        "for a fact that one passage states."
    ),
    arguments=HybridQuestion,
    output=CitedHybridAnswer,
    run=_flat,
)
SEARCH = Tool(
    name="search",
    title="Find passages",
    description="Return the passages that bear on a question, best first; writes no answer.",
    arguments=Asked,
    output=Passages,
    run=_search,
)
FEEDBACK = Tool(
    name="feedback",
    title="Say how good an answer was",
    description="Keep a score for the answer to a question; learning starts from such outcomes.",
    arguments=Rated,
    output=Kept,
    run=_feedback,
    read_only=False,
    idempotent=False,
)
