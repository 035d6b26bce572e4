"""The request of `/v1/chat/completions`: a conversation with a collection in the model's place."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from clew.core.query import MAX_QUESTION_CHARACTERS
from clew.serve.rest.models_of_questions import AskParameters, Words

MAX_MESSAGES = 1000
_TEXT = "text"


class TextPart(BaseModel):
    """A part of a message. Only text can be read."""

    type: Literal["text"]
    text: str


class ChatMessage(BaseModel):
    """One message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[TextPart] | None = None

    @property
    def text(self) -> str:
        """Return what it says, its parts joined."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content)
        return self.content or ""


class StreamOptions(BaseModel):
    """`include_usage`: the last piece of a stream counts the tokens."""

    include_usage: bool = False


class ChatRequest(BaseModel):
    """What is asked. Fields of the OpenAI API that shape how a model samples, and are not named
    here, change nothing; those that ask for what Clew does not do are refused.
    """

    model_config = ConfigDict(
        extra="ignore",
        allow_inf_nan=False,
        hide_input_in_errors=True,
        json_schema_extra={
            "examples": [
                {
                    "model": "default",
                    "messages": [{"role": "user", "content": "Who leads Acme Corp?"}],
                }
            ]
        },
    )

    model: Words = Field(description="The name of a collection.")
    messages: list[ChatMessage] = Field(min_length=1, max_length=MAX_MESSAGES)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    max_tokens: int | None = Field(default=None, ge=1, le=100_000)
    max_completion_tokens: int | None = Field(default=None, ge=1, le=100_000)
    temperature: float | None = Field(default=None, ge=0, le=2)
    n: Literal[1] | None = None
    logprobs: Literal[False] | None = None
    tools: list[Any] | None = Field(default=None, max_length=0)
    functions: list[Any] | None = Field(default=None, max_length=0)
    response_format: dict[str, Any] | None = None
    clew: AskParameters | None = Field(
        default=None, description="How to ask: the parameters of a query, such as its mode."
    )

    @model_validator(mode="after")
    def _can_be_answered(self) -> ChatRequest:
        if self.response_format is not None and self.response_format.get("type") != _TEXT:
            raise ValueError("response_format: answers are text; leave it out")
        last = self.messages[-1]
        if last.role != "user" or not last.text.strip():
            raise ValueError("messages: the last one must be the user's question")
        if len(last.text) > MAX_QUESTION_CHARACTERS:
            raise ValueError(
                f"messages: a question has {MAX_QUESTION_CHARACTERS} characters at most"
            )
        return self

    @property
    def wants_usage(self) -> bool:
        """Return whether a stream shall end with the number of tokens."""
        return self.stream_options is not None and self.stream_options.include_usage
