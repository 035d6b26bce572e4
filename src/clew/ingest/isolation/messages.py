"""What goes to a parsing worker and what comes back, as JSON.

Never as pickles: a file that takes over its parser must not be able to run code in this process.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from clew.core.documents import Page, ParsedText, Span


@dataclass(frozen=True, slots=True)
class Request:
    """A file to parse: at `path`, or (without one) in a frame of its own that follows.

    `name` stands in messages, `limit` is the largest size in bytes, `seconds` the time after which
    the worker ends itself where nobody else does.
    """

    name: str
    path: str | None
    limit: int
    seconds: float
    passwords: tuple[str, ...] = field(default=(), repr=False)
    ocr: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a file could not be parsed, in a word and a sentence."""

    reason: str
    message: str


Answer: TypeAlias = ParsedText | Failure


def encode_request(request: Request) -> bytes:
    """Return a request as JSON."""
    values = {name: getattr(request, name) for name in Request.__slots__}
    return json.dumps(values).encode("ascii")


def decode_request(data: bytes) -> Request:
    """Return the request that `encode_request` wrote."""
    values = json.loads(data)
    return Request(**{**values, "passwords": tuple(values["passwords"])})


def encode_answer(answer: Answer) -> bytes:
    """Return an answer as JSON."""
    if isinstance(answer, Failure):
        values: dict[str, Any] = {"reason": answer.reason, "message": answer.message}
    else:
        values = {
            "text": answer.text,
            "title": answer.title,
            "authors": answer.authors,
            "language": answer.language,
            "published_at": answer.published_at.isoformat() if answer.published_at else None,
            "pages": [(page.number, page.span.start, page.span.end) for page in answer.pages],
            "metadata": dict(answer.metadata),
            "authority": answer.authority,
            "warnings": answer.warnings,
        }
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass")


def decode_answer(data: bytes) -> Answer:
    """Return the answer that `encode_answer` wrote.

    Raises:
        ValueError: it is none.
    """
    try:
        values = json.loads(data.decode("utf-8", "surrogatepass"))
        if "reason" in values:
            return Failure(str(values["reason"]), str(values["message"]))
        published = values["published_at"]
        return ParsedText(
            text=str(values["text"]),
            title=_text_or_none(values["title"]),
            authors=tuple(str(author) for author in values["authors"]),
            language=_text_or_none(values["language"]),
            published_at=datetime.fromisoformat(published) if published is not None else None,
            pages=tuple(
                Page(int(number), Span(int(start), int(end)))
                for number, start, end in values["pages"]
            ),
            metadata=dict(values["metadata"]),
            authority=None if values["authority"] is None else float(values["authority"]),
            warnings=tuple(str(warning) for warning in values["warnings"]),
        )
    except (AttributeError, KeyError, RecursionError, TypeError) as error:
        raise ValueError(f"no answer of a parsing worker: {error!r}") from error


def _text_or_none(value: object) -> str | None:
    return None if value is None else str(value)
