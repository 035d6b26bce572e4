"""Questions to a language model whose answers are kept before they are used."""

from __future__ import annotations

import threading
from collections.abc import Callable

from clew.core.model_calls import JsonObject, ModelRequest, Responses
from clew.core.ports import LLM
from clew.core.usage import Meter, Meterable, TokenUsage
from clew.engine.model_calls.spending import LedgerMeter, Spending
from clew.text.token_count import estimated_tokens

TEXT = "text"
"""Where the answer to a request without a schema stands in the object that is returned."""


class RecordedCalls:
    """Implements `core.model_calls.ModelCalls` for one collection.

    An answer that was kept is returned without asking; a new one is on disk before it is returned,
    so that a run that is killed pays for nothing twice. Each request goes through a meter, in a
    model that takes one (`Meterable`) each repetition too; in others a call counts as one request
    with estimated tokens.
    """

    def __init__(
        self, llm: LLM, *, responses: Responses, collection: str, spending: Spending
    ) -> None:
        self._llm = llm
        self._responses = responses
        self._collection = collection
        self._spending = spending
        self._views: dict[str, LLM] = {}
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._llm.name

    @property
    def context_window(self) -> int:
        """Tokens of prompt and answer together."""
        return self._llm.context_window

    def answer(
        self, request: ModelRequest, *, check: Callable[[JsonObject], None] | None = None
    ) -> JsonObject:
        """Return the answer, a kept one if there is one.

        Raises:
            BudgetReachedError: asking could cost more than is left; nothing was sent.
            UnusableAnswerError: what the model gives cannot be used, told its mistake.
            ModelError: the model cannot be asked.
        """
        kept = self._responses.get(self._collection, request.key(self.model))
        if kept is not None:
            self._spending.reuse()
            self._responses.charge(
                self._collection,
                stage=request.stage,
                model=self.model,
                usage=TokenUsage(),
                reused=1,
            )
            return kept
        answer = self._asked(request)
        if check is not None:
            check(answer)
        self._responses.put(self._collection, request, model=self.model, answer=answer)
        return answer

    def _asked(self, request: ModelRequest) -> JsonObject:
        with self._lock:
            if request.stage not in self._views:
                self._views[request.stage] = self._view(request.stage)
            llm = self._views[request.stage]
        if request.schema is None:
            return {TEXT: llm.complete(request.prompt, max_tokens=request.max_tokens)}
        return llm.complete_json(
            request.prompt, schema=request.schema, max_tokens=request.max_tokens
        )

    def _view(self, stage: str) -> LLM:
        meter = LedgerMeter(
            self._spending,
            self._responses,
            collection=self._collection,
            stage=stage,
            model=self.model,
        )
        if isinstance(self._llm, Meterable):
            return self._llm.metered(meter)
        return CallMeteredLLM(self._llm, meter)


class CallMeteredLLM:
    """A model of a caller's own, each call of which is counted with estimated tokens."""

    def __init__(self, llm: LLM, meter: Meter) -> None:
        self._llm = llm
        self._meter = meter
        self.name = llm.name
        self.context_window = llm.context_window
        self.stream = llm.stream

    def complete(self, prompt: str, *, max_tokens: int, temperature: float = 0.0) -> str:
        """Return the model's answer, metered."""
        at_most = TokenUsage(1, estimated_tokens(prompt), max_tokens)
        self._meter.admit(at_most)
        written = ""
        try:
            written = self._llm.complete(prompt, max_tokens=max_tokens, temperature=temperature)
        finally:
            self._meter.settle(at_most, _estimated(prompt, written))
        return written

    def complete_json(self, prompt: str, *, schema: JsonObject, max_tokens: int) -> JsonObject:
        """Return the model's object, metered."""
        at_most = TokenUsage(1, estimated_tokens(prompt), max_tokens)
        self._meter.admit(at_most)
        found: JsonObject = {}
        try:
            found = self._llm.complete_json(prompt, schema=schema, max_tokens=max_tokens)
        finally:
            self._meter.settle(at_most, _estimated(prompt, str(dict(found))))
        return found


def _estimated(prompt: str, written: str) -> TokenUsage:
    return TokenUsage(1, estimated_tokens(prompt), estimated_tokens(written), estimated=1)
