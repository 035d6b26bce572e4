"""An answer as a chat completion, whole or in chunks; its sources are the message's annotations."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from clew.core.ids import format_id
from clew.core.results import Answer, Source
from clew.serve.addresses import DOCUMENTS, Address
from clew.serve.json_form import Json, to_json
from clew.serve.rest.openai.chat_request import ChatRequest
from clew.text.token_count import estimated_tokens

_MARKER = re.compile(r"\[(\d+)\]")
_WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands at the head of a completion and of each of its chunks. `created` is in seconds
    since 1970."""

    id: str
    created: int
    model: str

    def record(self, kind: str) -> dict[str, Json]:
        """Return it as JSON; `kind` is the API's name of the object."""
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


def new_heading(model: str, *, created: int) -> Heading:
    """Return the heading of a new completion."""
    return Heading(f"chatcmpl-{secrets.token_hex(12)}", created, model)


def completion(heading: Heading, body: ChatRequest, answer: Answer) -> dict[str, Json]:
    """Return the whole answer as one object."""
    message: dict[str, Json] = {
        "role": "assistant",
        "content": answer.text,
        "refusal": None,
        "annotations": citations_of(answer, collection=heading.model),
    }
    return {
        **heading.record("chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": usage(body, answer),
        "clew": particulars(answer),
    }


def chunk(
    heading: Heading, delta: dict[str, Json], *, finish_reason: str | None = None
) -> dict[str, Json]:
    """Return one piece of a stream."""
    choice: dict[str, Json] = {
        "index": 0,
        "delta": delta,
        "logprobs": None,
        "finish_reason": finish_reason,
    }
    return {**heading.record("chat.completion.chunk"), "choices": [choice]}


def citations_of(answer: Answer, *, collection: str) -> list[Json]:
    """Return a citation for each marker in the text, at its place; characters count from 0.

    `url` is the page's own address where the source has one, else `clew://COLLECTION/documents/ID`.
    Beside the API's fields stand those of the source: document, chunk, page, snippet, confidence.
    """
    known = {source.marker: source for source in answer.sources}
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": found.start(),
                "end_index": found.end(),
                "title": source.title,
                "url": _address(source, collection),
                **_place(source),
            },
        }
        for found in _MARKER.finditer(answer.text)
        if (source := known.get(int(found.group(1)))) is not None
    ]


def particulars(answer: Answer) -> dict[str, Json]:
    """Return what the API has no field for."""
    return {
        "question": answer.question,
        "answered": answer.answered,
        "confidence": answer.confidence,
        "mode": answer.retrieval.query.mode.value,
        "written_by": answer.model,
        "reasoning_path": to_json(answer.reasoning_path),
        "sources": to_json(answer.sources),
    }


def usage(body: ChatRequest, answer: Answer) -> dict[str, Json]:
    """Return the estimated tokens of the messages and of the answer; passages are not counted."""
    asked = sum(estimated_tokens(message.text) for message in body.messages)
    written = estimated_tokens(answer.text)
    return {
        "prompt_tokens": asked,
        "completion_tokens": written,
        "total_tokens": asked + written,
    }


def _address(source: Source, collection: str) -> str:
    if source.source.startswith(_WEB):
        return source.source
    return str(Address(collection, DOCUMENTS, source.doc_id))


def _place(source: Source) -> dict[str, Json]:
    return {
        "marker": source.marker,
        "document": format_id(source.doc_id),
        "chunk": format_id(source.chunk_id),
        "source": source.source,
        "page": source.page,
        "span": to_json(source.span),
        "snippet": source.snippet,
        "confidence": source.confidence,
    }
