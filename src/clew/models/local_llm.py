"""A language model in a GGUF file, run in this process by llama.cpp."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clew.core.errors import ModelError
from clew.core.lazy import load
from clew.core.usage import Meter, TokenUsage
from clew.models.openai_llm import OpenAILLM

DEFAULT_WINDOW = 8192
_MAGIC = b"GGUF"
_QUIET = -1


class LocalLLM:
    """Implements `LLM` with xllamacpp, whose HTTP server listens on this machine alone.

    The model is loaded by the first call. `close` ends all calls and frees it.

    Args:
        path: the GGUF file.
        context_window: tokens of prompt and answer of one call; memory grows with it.
        threads: None: as many as the machine has cores.
        timeout, retries, concurrency, json_retries: as of `OpenAILLM`; calls that run at once share
            the cores.

    Raises:
        MissingExtraError: xllamacpp or openai is not installed.
        ModelError: there is no such file, or it is no GGUF file.
    """

    def __init__(
        self,
        path: Path,
        *,
        context_window: int | None = None,
        threads: int | None = None,
        timeout: float = 600.0,
        retries: int = 0,
        concurrency: int = 1,
        json_retries: int = 2,
    ) -> None:
        _require_gguf(path)
        self._library: Any = load("xllamacpp", "xllamacpp", "local")
        self._path = path
        self._window = context_window or DEFAULT_WINDOW
        self._threads = threads
        self._concurrency = concurrency
        self._options: dict[str, Any] = {
            "timeout": timeout,
            "retries": retries,
            "concurrency": concurrency,
            "json_retries": json_retries,
        }
        self._server: Any = None
        self._client: OpenAILLM | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self._path.stem

    @property
    def context_window(self) -> int:
        """Tokens of prompt and answer together."""
        return self._window

    @property
    def json_support(self) -> str:
        """How the model is held to JSON."""
        return self._started().json_support

    @property
    def usage(self) -> TokenUsage:
        """Calls and tokens since this object was made."""
        return TokenUsage() if self._client is None else self._client.usage

    def metered(self, meter: Meter) -> OpenAILLM:
        """Return the loaded model, each of whose requests goes through `meter`."""
        return self._started().metered(meter)

    def complete(self, prompt: str, *, max_tokens: int, temperature: float = 0.0) -> str:
        """As `OpenAILLM.complete`."""
        return self._started().complete(prompt, max_tokens=max_tokens, temperature=temperature)

    def stream(self, prompt: str, *, max_tokens: int, temperature: float = 0.0) -> Iterator[str]:
        """As `OpenAILLM.stream`."""
        return self._started().stream(prompt, max_tokens=max_tokens, temperature=temperature)

    def complete_json(
        self, prompt: str, *, schema: Mapping[str, object], max_tokens: int
    ) -> Mapping[str, object]:
        """As `OpenAILLM.complete_json`."""
        return self._started().complete_json(prompt, schema=schema, max_tokens=max_tokens)

    def yes_probability(self, prompt: str) -> float | None:
        """As `OpenAILLM.yes_probability`."""
        return self._started().yes_probability(prompt)

    def close(self) -> None:
        """End all calls and free the model; closing twice is allowed."""
        with self._lock:
            self._closed = True
            if self._client is not None:
                self._client.close()
            self._server = None

    def _started(self) -> OpenAILLM:
        with self._lock:
            if self._closed:
                raise ModelError("the language model was closed; open it again to ask it")
            if self._client is None:
                self._server = self._serve()
                self._client = OpenAILLM(
                    self.name,
                    base_url=f"{self._server.listening_address}/v1",
                    context_window=self._window,
                    **self._options,
                )
            return self._client

    def _serve(self) -> Any:  # noqa: ANN401 - xllamacpp has no types
        parameters = self._library.CommonParams()
        parameters.model.path = str(self._path)
        # The server divides its window among the calls that run at once.
        parameters.n_ctx = self._window * self._concurrency
        parameters.n_parallel = self._concurrency
        parameters.cpuparams.n_threads = self._threads or os.cpu_count() or 1
        parameters.port = 0
        parameters.use_jinja = True
        parameters.verbosity = _QUIET
        try:
            return self._library.Server(parameters)
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"llama.cpp cannot load {self._path}: {error}") from error


def _require_gguf(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise ModelError(f"the model file {path} cannot be read: {error}") from error
    if magic != _MAGIC:
        raise ModelError(f"{path} is no GGUF file; llm.path (--llm) takes one, or an http address")
