"""The extractor that asks a language model, chunk by chunk, and lets it look again.

Triples and claims by a specialised prompt with examples and self-reflection (paper, section 3.2).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256

from clew.core.errors import (
    BudgetReachedError,
    ModelError,
    RequestRefusedError,
    UnusableAnswerError,
)
from clew.core.extraction import Extraction
from clew.core.model_calls import JsonObject, ModelCalls, ModelRequest, text_subject
from clew.knowledge.model.grounding import Grounding
from clew.knowledge.model.prompt import (
    PROMPT_VERSION,
    extraction_prompt,
    numbered,
    reflection_prompt,
)
from clew.knowledge.model.schema import ANY_RELATION, KnowledgeSchema, answer_schema
from clew.text.token_count import estimated_tokens

STAGE = "extract"
"""What the calls are counted under."""
READING_VERSION = 1
"""Raised whenever the same answers of a model are read to other knowledge."""

_MARGIN = 64
"""Tokens that a server puts around a prompt."""
_SHORTEST_ANSWER = 200
_AHEAD = 2


class LLMExtractor:
    """Implements `Extractor` with a language model.

    Each chunk is asked about once, and then up to `reflection_passes` times for what is missing,
    until a pass adds nothing. An answer that cannot be used, however often the model is told its
    mistake, leaves its chunk out and says so in `Extraction.skipped`; a server that fails ends the
    run. Chunks are asked about side by side, `concurrency` at once, and given in order.

    Args:
        calls: asks the model and keeps its answers.
        reflection_passes: how often the model looks again at most.
        schema: labels and relations that are allowed.
        max_tokens: what one answer may take; less where the window holds less.
        concurrency: calls at once.
    """

    def __init__(
        self,
        calls: ModelCalls,
        *,
        reflection_passes: int = 1,
        schema: KnowledgeSchema = ANY_RELATION,
        max_tokens: int = 1536,
        concurrency: int = 1,
    ) -> None:
        self._calls = calls
        self._passes = reflection_passes
        self._schema = schema
        self._answer_schema = answer_schema(schema)
        self._max_tokens = max_tokens
        self._concurrency = concurrency
        self._answered = False

    @property
    def fingerprint(self) -> str:
        """Versions of prompt and reading, the model, the passes and the schema."""
        allowed = "\n".join((*self._schema.labels, "", *self._schema.relations))
        digest = sha256(allowed.encode()).hexdigest()[:8]
        return (
            f"llm-{PROMPT_VERSION}.{READING_VERSION}+{self._calls.model}"
            f"+passes-{self._passes}+schema-{digest}"
        )

    def extract(
        self,
        texts: Sequence[str],
        *,
        language: str | None,
        titles: Sequence[str | None] = (),
    ) -> Iterator[Extraction]:
        """Yield one extraction a text, in order, working ahead while they are taken.

        Raises:
            BudgetReachedError: asking on could cost more than is left; what runs is kept.
            ModelError: the model cannot be asked.
        """
        pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="clew-extract")
        waiting: deque[Future[Extraction]] = deque()
        left = iter(zip(texts, titles or [None] * len(texts), strict=True))
        finish = True
        try:
            while True:
                while len(waiting) < self._concurrency + _AHEAD:
                    item = next(left, None)
                    if item is None:
                        break
                    waiting.append(pool.submit(self._extract, *item, language))
                if not waiting:
                    return
                yield waiting.popleft().result()
        except BudgetReachedError:
            raise
        except BaseException:
            # An interrupt or a dead server: nobody waits for calls that run.
            finish = False
            raise
        finally:
            pool.shutdown(wait=finish, cancel_futures=True)

    def requests(self, text: str, *, title: str | None, language: str | None) -> ModelRequest:
        """Return the first question about a text, such as an estimate needs.

        Raises:
            ModelError: the model's window is too small for it.
        """
        prompt, version = extraction_prompt(
            numbered(text), title=title, language=language, schema=self._schema
        )
        return self._request(prompt, version, text)

    def second_look(self, text: str, *, title: str | None, language: str | None) -> ModelRequest:
        """Return the question for what is missing, as it is where nothing was found before."""
        prompt, version = reflection_prompt(
            numbered(text), Extraction(), title=title, language=language, schema=self._schema
        )
        return self._request(prompt, version, text)

    def _extract(self, text: str, title: str | None, language: str | None) -> Extraction:
        sentences = numbered(text)
        if not sentences.spans:
            return Extraction()
        grounding = Grounding(sentences, title)
        try:
            grounding.take(self._asked(self.requests(text, title=title, language=language)))
            for _ in range(self._passes):
                prompt, version = reflection_prompt(
                    sentences,
                    grounding.extraction(),
                    title=title,
                    language=language,
                    schema=self._schema,
                )
                if not grounding.take(self._asked(self._request(prompt, version, text))):
                    break
        except UnusableAnswerError as error:
            return grounding.extraction(skipped=str(error))
        return grounding.extraction()

    def _asked(self, request: ModelRequest) -> JsonObject:
        """Return the answer; a refusal counts against the chunk once the model has answered one.

        Before that it is the request itself that the server does not take, such as a wrong model.
        """
        try:
            answer = self._calls.answer(request)
        except RequestRefusedError as error:
            if self._answered:
                raise UnusableAnswerError(str(error)) from error
            raise
        self._answered = True
        return answer

    def _request(self, prompt: str, version: str, text: str) -> ModelRequest:
        left = self._calls.context_window - estimated_tokens(prompt) - _MARGIN
        if left < _SHORTEST_ANSWER:
            raise ModelError(
                f"the window of {self._calls.context_window} tokens leaves {max(0, left)} for an "
                "answer; take a model with a larger one (llm.context_window), or smaller chunks"
            )
        return ModelRequest(
            STAGE,
            prompt,
            version,
            text_subject(text),
            min(self._max_tokens, left),
            self._answer_schema,
        )
