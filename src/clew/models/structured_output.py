"""JSON that satisfies a schema, from servers that know schemas and from those that do not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import StrEnum

from clew.core.errors import ModelError, RequestRefusedError, UnusableAnswerError
from clew.models.json_repair import read_object
from clew.models.json_schema import validator

ResponseFormat = Mapping[str, object] | None
_SHOWN = 2000


class JsonSupport(StrEnum):
    """How far a server can be held to JSON, best first."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    PLAIN = "plain"


class FormatRefusedError(RequestRefusedError):
    """The server refuses the request as it is; it may take one with less."""


class StructuredOutput:
    """Asks for JSON with the strongest means that the server takes, and remembers which.

    Args:
        ask: sends a prompt with a `response_format` (None: without) and returns the answer's text.
        retries: how often an answer that does not satisfy the schema is sent back.
    """

    def __init__(self, ask: Callable[[str, int, ResponseFormat], str], *, retries: int) -> None:
        self._ask = ask
        self._retries = retries
        self.support = JsonSupport.SCHEMA

    def complete(
        self, prompt: str, *, schema: Mapping[str, object], max_tokens: int
    ) -> Mapping[str, object]:
        """Return an object that satisfies `schema`.

        Raises:
            UnusableAnswerError: the model gives none, told its mistake; says what was wrong last.
            ModelError: the model cannot be asked.
        """
        validate = validator(schema)
        asked, problem = prompt, ""
        for _ in range(self._retries + 1):
            text = self._answer(asked, schema, max_tokens)
            try:
                found = read_object(text)
                validate(found)
            except ValueError as error:
                problem = str(error)
                asked = _with_mistake(prompt, text, problem, schema)
                continue
            return found
        raise UnusableAnswerError(
            f"the language model gave no usable JSON in {self._retries + 1} attempts; the last: "
            f"{problem[:_SHOWN]}; take a larger model, raise max_tokens, or simplify the schema"
        )

    def _answer(self, prompt: str, schema: Mapping[str, object], max_tokens: int) -> str:
        """Return the answer with the strongest format that the server takes.

        A refusal may be about something else, such as the length of the prompt: the weaker format
        is kept only where the server takes it.
        """
        levels = list(JsonSupport)
        for level in levels[levels.index(self.support) :]:
            told = prompt if level is JsonSupport.SCHEMA else _with_schema(prompt, schema)
            try:
                text = self._ask(told, max_tokens, _format(level, schema))
            except FormatRefusedError:
                if level is JsonSupport.PLAIN:
                    raise
                continue
            self.support = level
            return text
        raise ModelError("no format of answers is known; this cannot happen")


def _format(level: JsonSupport, schema: Mapping[str, object]) -> ResponseFormat:
    if level is JsonSupport.SCHEMA:
        return {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": dict(schema), "strict": True},
        }
    return {"type": "json_object"} if level is JsonSupport.OBJECT else None


def _with_schema(prompt: str, schema: Mapping[str, object]) -> str:
    written = json.dumps(schema, ensure_ascii=False)
    return f"{prompt}\n\nAnswer with one JSON object and nothing else. Its JSON schema:\n{written}"


def _with_mistake(prompt: str, text: str, problem: str, schema: Mapping[str, object]) -> str:
    again = f"{prompt}\n\nYour last answer was refused, because {problem}. It was:\n{text[:_SHOWN]}"
    return _with_schema(again, schema)
