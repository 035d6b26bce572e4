"""A language model behind any endpoint that speaks the OpenAI API: Ollama, vLLM, llama.cpp, cloud."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import Any, NoReturn, Self

import httpx

from clew.core.errors import ModelError
from clew.core.usage import Meter, TokenUsage
from clew.models.admission import Admission
from clew.models.openai_endpoint import OpenAIEndpoint
from clew.models.retry_pause import retry_pause
from clew.models.running_calls import RunningCall, RunningCalls
from clew.models.structured_output import FormatRefusedError, ResponseFormat, StructuredOutput
from clew.models.yes_no import TOP_TOKENS, yes_share
from clew.text.token_count import estimated_tokens

DEFAULT_WINDOW = 4096
"""Assumed where neither the settings nor the server tell the context window."""
_AGAIN = frozenset({408, 409, 425, 429})
_REFUSED = frozenset({400, 404, 415, 422, 501})
_WINDOW_NAMES = ("max_model_len", "context_length", "context_window", "n_ctx")
Request = dict[str, Any]


class _AgainError(Exception):
    """A failure that may pass: the error to raise if it does not, and the headers that came."""

    def __init__(self, told: ModelError, headers: Mapping[str, str]) -> None:
        super().__init__(str(told))
        self.told = told
        self.headers = headers


@dataclass(slots=True)
class _Spent:
    """What one request has cost as far as it went: nothing before the server began to answer."""

    sent: bool = False
    written: list[str] = field(default_factory=list)
    told: Any = None

    def usage(self, prompt_tokens: int) -> TokenUsage:
        """Return the server's count, an estimate where it gave none."""
        if self.told is not None:
            return TokenUsage(1, self.told.prompt_tokens, self.told.completion_tokens)
        if not self.sent:
            return TokenUsage()
        return TokenUsage(1, prompt_tokens, estimated_tokens("".join(self.written)), 1)


class _Count:
    """Calls and tokens, added up by several threads."""

    def __init__(self) -> None:
        self._usage = TokenUsage()
        self._lock = threading.Lock()

    @property
    def usage(self) -> TokenUsage:
        with self._lock:
            return self._usage

    def add(self, usage: TokenUsage) -> None:
        with self._lock:
            self._usage += usage


class OpenAILLM:
    """Implements `LLM` over HTTP; used by several threads. Close it when done.

    Every answer is read as a stream, so that `timeout` holds for the whole call and a server that
    goes silent or dribbles is left. A full or failing server (408, 409, 425, 429, 5xx, no
    connection, time-out, a stream that breaks off) is asked again up to `retries` times, after
    what `Retry-After` says, up to a minute, or growing pauses. A stream of which the caller has had
    a part is not begun again: it raises. `close` ends all calls that run or wait; closing the
    iterator of `stream` ends that call.

    Args:
        model: the model's name at the endpoint; None takes the first that the endpoint lists.
        base_url: the endpoint, up to and with `/v1`; None is OpenAI's own.
        api_key: the key; None takes OPENAI_API_KEY for OpenAI's own endpoint, and none elsewhere.
        context_window: tokens of prompt and answer; None asks the endpoint, else 4,096.
        timeout: seconds that a call may take, from the request to its last token.
        retries: how often a call is repeated.
        concurrency: how many calls run at once.
        requests_per_minute: limit on calls; None: none.
        tokens_per_minute: limit on tokens of prompt and answer; None: none.
        json_retries: how often JSON that breaks its schema is sent back to the model.

    Raises:
        MissingExtraError: the package openai is not installed.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        context_window: int | None = None,
        timeout: float = 120.0,
        retries: int = 5,
        concurrency: int = 4,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        json_retries: int = 2,
    ) -> None:
        self._given_model = model
        self._given_window = context_window
        self._timeout = timeout
        self._retries = retries
        self._endpoint = OpenAIEndpoint(
            f"language model {model!r}" if model else "language model",
            section="llm",
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            retries=0,
        )
        self._admission = Admission(
            concurrency=concurrency,
            requests_per_minute=requests_per_minute,
            tokens_per_minute=tokens_per_minute,
        )
        self._running = RunningCalls()
        self._json_retries = json_retries
        self._structured = StructuredOutput(self._json_text, retries=json_retries)
        self._counts_tokens = True
        self._tells_probabilities = True
        self._count = _Count()
        self._meter: Meter | None = None

    @property
    def name(self) -> str:
        """The model's name at the endpoint.

        Raises:
            ModelError: none is given, and the endpoint lists none.
        """
        if self._given_model is not None:
            return self._given_model
        if not self._listed:
            raise self._endpoint.error("it lists no model; set llm.model")
        return str(self._listed[0]["id"])

    @property
    def context_window(self) -> int:
        """Tokens of prompt and answer together: as given, as the endpoint says, or 4,096."""
        return self._given_window or self._told_window or DEFAULT_WINDOW

    @property
    def usage(self) -> TokenUsage:
        """Calls and tokens since this object was made, answers that broke off among them."""
        return self._count.usage

    @property
    def json_support(self) -> str:
        """How the endpoint is held to JSON, as far as is known: `json_schema` until refused."""
        return self._structured.support.value

    def metered(self, meter: Meter) -> Self:
        """Return this model with the same connections and limits, each request through `meter`.

        What is remembered of the endpoint's JSON is the view's own, beginning with what is known.
        """
        view = copy(self)
        view._meter = meter
        view._structured = StructuredOutput(view._json_text, retries=self._json_retries)
        view._structured.support = self._structured.support
        return view

    def complete(self, prompt: str, *, max_tokens: int, temperature: float = 0.0) -> str:
        """Return the model's answer.

        Raises:
            ModelError: the endpoint refuses, fails, or does not answer in time, after repetition.
        """
        return self._text(self._request(prompt, max_tokens, temperature))

    def stream(self, prompt: str, *, max_tokens: int, temperature: float = 0.0) -> Iterator[str]:
        """Yield the answer piece by piece, as it is written; closing the iterator ends the call.

        Raises:
            ModelError: as `complete`; also where the answer breaks off after its first piece.
        """
        request = self._request(prompt, max_tokens, temperature)
        for attempt in range(self._retries + 1):
            begun = False
            try:
                with closing(self._pieces(request)) as pieces:
                    for piece in pieces:
                        begun = True
                        yield piece
            except _AgainError as error:
                if begun:
                    raise error.told from None
                self._pause(attempt, error)
            else:
                return

    def complete_json(
        self, prompt: str, *, schema: Mapping[str, object], max_tokens: int
    ) -> Mapping[str, object]:
        """Return an object that satisfies the JSON schema.

        The server is asked to hold the model to the schema, else to JSON, else nothing; whatever
        comes is validated, and sent back with its mistake where it fails.

        Raises:
            ModelError: as `complete`; also where no answer satisfies the schema.
        """
        return self._structured.complete(prompt, schema=schema, max_tokens=max_tokens)

    def yes_probability(self, prompt: str) -> float | None:
        """Return P(yes) / (P(yes) + P(no)) of the answer's first token, None where the endpoint
        gives no log probabilities, or neither word is likely.

        Raises:
            ModelError: as `complete`.
        """
        if not self._tells_probabilities:
            return None
        request = {
            **self._request(prompt, 1, 0.0),
            "logprobs": True,
            "top_logprobs": TOP_TOKENS,
        }
        likely: list[tuple[str, float]] = []
        try:
            self._text(request, likely)
        except FormatRefusedError as error:
            if "logprob" not in str(error):
                raise
            self._tells_probabilities = False
            return None
        return yes_share(likely)

    def close(self) -> None:
        """End every call and release the connections; closing twice is allowed."""
        self._admission.end()
        self._running.cut_all()
        self._endpoint.client.close()

    def _json_text(self, prompt: str, max_tokens: int, response_format: ResponseFormat) -> str:
        request = self._request(prompt, max_tokens, 0.0)
        if response_format is not None:
            request["response_format"] = response_format
        return self._text(request)

    def _request(self, prompt: str, max_tokens: int, temperature: float) -> Request:
        return {
            "model": self.name,
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stream": True,
        }

    def _text(self, request: Request, likely: list[tuple[str, float]] | None = None) -> str:
        for attempt in range(self._retries + 1):
            if likely is not None:
                likely.clear()
            try:
                return "".join(self._pieces(request, likely))
            except _AgainError as error:
                self._pause(attempt, error)
        raise self._endpoint.error(f"retries is {self._retries}; give 0 or more")

    def _pause(self, attempt: int, error: _AgainError) -> None:
        if attempt == self._retries:
            raise error.told from None
        self._admission.wait(retry_pause(attempt, error.headers))

    def _pieces(
        self, request: Request, likely: list[tuple[str, float]] | None = None
    ) -> Generator[str, None, None]:
        """Yield the pieces of one attempt; `likely` is filled with the first token's choices."""
        prompt = request["messages"][0]["content"]
        at_most = TokenUsage(1, estimated_tokens(prompt), request["max_tokens"])
        with self._admission.slot(at_most.tokens), self._counted(at_most) as spent:
            deadline = monotonic() + self._timeout
            response = self._opened(request)
            finished = False
            with (
                closing(response),
                self._running.watched(response.response, seconds=deadline - monotonic()) as call,
            ):
                spent.sent = True
                try:
                    for event in response:
                        spent.told = getattr(event, "usage", None) or spent.told
                        for choice in event.choices[:1]:
                            finished = finished or choice.finish_reason is not None
                            if likely is not None:
                                likely += _likely_tokens(choice)
                            if choice.delta.content:
                                spent.written.append(choice.delta.content)
                                yield choice.delta.content
                except (httpx.HTTPError, self._endpoint.openai.OpenAIError) as error:
                    self._broke_off(call, error)
                except (ValueError, TypeError, AttributeError) as error:
                    raise self._endpoint.error(
                        f"it sends what is no answer of the OpenAI API: {error!s:.200}"
                    ) from None
                if not finished:
                    self._broke_off(call, None)

    @contextmanager
    def _counted(self, at_most: TokenUsage) -> Iterator[_Spent]:
        """Have a request admitted, and count what it has cost however it ends."""
        if self._meter is not None:
            self._meter.admit(at_most)
        spent = _Spent()
        try:
            yield spent
        finally:
            used = spent.usage(at_most.prompt_tokens)
            self._admission.settle(reserved=at_most.tokens, used=used.tokens)
            self._count.add(used)
            if self._meter is not None:
                self._meter.settle(at_most, used)

    def _opened(self, request: Request) -> Any:  # noqa: ANN401 - a stream of the openai package
        openai = self._endpoint.openai
        told = {"stream_options": {"include_usage": True}} if self._counts_tokens else {}
        try:
            return self._endpoint.client.chat.completions.create(**request, **told)
        except openai.APIStatusError as error:
            if told and error.status_code in _REFUSED and "stream_options" in str(error):
                self._counts_tokens = False
                return self._opened(request)
            failure = self._endpoint.failure(error)
            if error.status_code in _AGAIN or error.status_code >= 500:
                raise _AgainError(failure, error.response.headers) from None
            if error.status_code in _REFUSED:
                raise FormatRefusedError(str(failure)) from None
            raise failure from None
        except openai.APIConnectionError as error:
            self._admission.require_open()
            raise _AgainError(self._endpoint.failure(error), {}) from None
        except (openai.OpenAIError, RuntimeError) as error:
            # The client says RuntimeError where it was closed.
            self._admission.require_open()
            raise self._endpoint.failure(error) from None

    def _broke_off(self, call: RunningCall, error: Exception | None) -> NoReturn:
        self._admission.require_open()
        if call.expired or isinstance(error, httpx.TimeoutException):
            problem = f"it did not answer within {self._timeout:g} s; raise llm.timeout"
            raise _AgainError(self._endpoint.error(problem), {}) from None
        if error is None or isinstance(error, httpx.HTTPError):
            raise _AgainError(self._endpoint.error("its answer broke off"), {}) from None
        raise self._endpoint.failure(error) from None

    @cached_property
    def _listed(self) -> list[dict[str, Any]]:
        """The models that the endpoint lists."""
        try:
            return [one.model_dump() for one in self._endpoint.client.models.list().data]
        except self._endpoint.openai.OpenAIError as error:
            raise self._endpoint.failure(error) from None
        except (ValueError, TypeError, AttributeError) as error:
            raise self._endpoint.error(f"it lists no models: {error!s:.200}") from None

    @cached_property
    def _told_window(self) -> int | None:
        """The window that the endpoint tells with its list of models, as vLLM and llama.cpp do."""
        try:
            entry = next((one for one in self._listed if one["id"] == self.name), {})
        except ModelError:
            return None
        details = entry.get("meta")
        told = {**(details if isinstance(details, dict) else {}), **entry}
        sizes = (told.get(name) for name in _WINDOW_NAMES)
        return next((size for size in sizes if isinstance(size, int) and size > 0), None)


def _likely_tokens(choice: Any) -> list[tuple[str, float]]:  # noqa: ANN401 - of the openai package
    """Return the likely tokens with their log probabilities that an event tells."""
    told = choice.logprobs.content if choice.logprobs else None
    return [(each.token, each.logprob) for token in (told or [])[:1] for each in token.top_logprobs]
