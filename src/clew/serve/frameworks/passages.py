"""What a retriever of another framework asks of Clew, and what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from clew.core.ids import format_id
from clew.core.query import ALL_RIGHTS, Principal, RetrievalMode
from clew.core.results import Result, Retrieval
from clew.engine.clew import Clew
from clew.engine.questions import QueryParameters
from clew.serve.json_form import to_json


@dataclass(frozen=True, slots=True)
class Passage:
    """A ranked passage; ids are sixteen hexadecimal digits, `metadata` is JSON.

    `metadata` holds `source`, `title`, `document_id`, `chunk_id`, `rank` (from 1), `score`,
    `mode`, `published_at`, the `path` whose evidence stands in the passage, in words, and under
    `document` the fields that the document was given. What is unknown is left out.
    """

    chunk_id: str
    document_id: str
    text: str
    score: float
    metadata: dict[str, Any]


def passages(
    base: Clew,
    question: str,
    *,
    mode: RetrievalMode | str | None = None,
    top_k: int | None = None,
    principal: Principal = ALL_RIGHTS,
    parameters: Mapping[str, object] | None = None,
) -> list[Passage]:
    """Return the passages that bear on a question, best first.

    A passage whose document is removed while the question runs is left out, and so are summaries
    of communities.

    Raises:
        QueryError: the question or a parameter is invalid.
        StoreError: the store cannot be read.
    """
    named = cast("QueryParameters", dict(parameters or {}))
    found = base.search(question, mode=mode, top_k=top_k, principal=principal, **named)
    described = _documents(base, found)
    return [
        Passage(
            chunk_id=format_id(result.id),
            document_id=format_id(result.document),
            text=result.content,
            score=result.score,
            metadata=_present(
                {
                    **described[result.document],
                    "document_id": format_id(result.document),
                    "chunk_id": format_id(result.id),
                    "rank": rank,
                    "score": result.score,
                    "mode": found.query.mode.value,
                    "path": _path(result),
                }
            ),
        )
        for rank, result in enumerate(found.results, start=1)
        if result.document in described
    ]


def _documents(base: Clew, found: Retrieval) -> dict[int, dict[str, Any]]:
    """Return what describes each document of the results, as the asker may see it."""
    documents = base.documents(
        ids={result.document for result in found.results},
        known_as_of=found.query.known_as_of,
        principal=found.query.principal,
    )
    return {
        document.id: {
            "source": document.source,
            "title": document.title,
            "published_at": to_json(document.published_at),
            "document": to_json(document.metadata) or None,
        }
        for document in documents
    }


def _path(result: Result) -> str | None:
    return result.path.description if result.path else None


def _present(metadata: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if value is not None}
