"""A reranker behind HTTP: the `/rerank` endpoint of Cohere, Jina, vLLM, or text-embeddings-inference.

Two shapes are spoken. `cohere` (Cohere, Jina, vLLM, Infinity): {model, query, documents} gives
{results: [{index, relevance_score}]}. `tei`: {query, texts} gives [{index, score}].
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from math import isfinite

import httpx
import numpy as np

from clew.core.arrays import Floats
from clew.core.errors import ModelError

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT = 30.0
_SHOWN = 200


class RerankApi(StrEnum):
    """The shape of request and response."""

    COHERE = "cohere"
    TEI = "tei"


class HttpReranker:
    """Implements `Reranker`; `close` releases its connections.

    Overload (429), server errors and broken connections are tried again, `retries` times, after
    waits that double from half a second, or as the server says (`Retry-After`), 30 s at most.
    """

    def __init__(
        self,
        url: str,
        *,
        api: RerankApi | str = RerankApi.COHERE,
        model: str | None = None,
        api_key: str | None = None,
        timeout_seconds: float = 30.0,
        retries: int = 3,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = _endpoint(url)
        self._api = RerankApi(api)
        self._model = model
        self._retries = retries
        self._wait = wait
        self._timeout = timeout_seconds
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(timeout=timeout_seconds, headers=headers)

    def score(self, question: str, passages: Sequence[str]) -> Floats:
        """Return the endpoint's score of each passage, shape (len(passages),).

        Raises:
            ModelError: the endpoint refuses, stays away, or answers something else; says which.
        """
        if not passages:
            return np.empty(0, np.float32)
        answer = self._ask(self._request(question, passages))
        return self._scores(answer, len(passages))

    def close(self) -> None:
        """Release the connections; closing twice is allowed."""
        self._client.close()

    def _request(self, question: str, passages: Sequence[str]) -> dict[str, object]:
        if self._api is RerankApi.TEI:
            return {"query": question, "texts": list(passages), "raw_scores": True}
        named = {"model": self._model} if self._model else {}
        return {**named, "query": question, "documents": list(passages), "top_n": len(passages)}

    def _ask(self, request: Mapping[str, object]) -> object:
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            pause = min(0.5 * 2**attempt, _LONGEST_WAIT)
            try:
                response = self._client.post(self._url, json=request)
            except httpx.TimeoutException as error:
                if last:
                    raise ModelError(
                        f"{self._url} did not answer within {self._timeout:g} s, "
                        f"{attempt + 1} times; raise rerank.timeout_seconds or check the server"
                    ) from error
            except httpx.TransportError as error:
                if last:
                    raise ModelError(
                        f"{self._url} cannot be reached ({error}), {attempt + 1} times; "
                        "check rerank.url and the server"
                    ) from error
            else:
                if response.status_code not in _AGAIN or last:
                    return self._content(response)
                pause = _pause_asked_for(response, pause)
            self._wait(pause)
        raise ModelError(f"{self._url} was asked {self._retries} times; give 0 retries or more")

    def _content(self, response: httpx.Response) -> object:
        if response.status_code in (401, 403):
            raise ModelError(
                f"{self._url} refuses the key ({response.status_code}); set rerank.api_key, "
                "for instance by CLEW_RERANK__API_KEY"
            )
        if not response.is_success:
            raise ModelError(
                f"{self._url} answered {response.status_code}: {response.text[:_SHOWN]}"
            )
        try:
            return response.json()
        except ValueError as error:
            raise ModelError(f"{self._url} answered no JSON: {response.text[:_SHOWN]}") from error

    def _scores(self, answer: object, count: int) -> Floats:
        """Return the scores by place; every passage must have exactly one finite score."""
        rows = answer.get("results") if isinstance(answer, dict) else answer
        scores = np.full(count, np.nan, np.float32)
        for row in rows if isinstance(rows, list) else ():
            place, score = _place_and_score(row)
            if place is None or score is None or not 0 <= place < count:
                raise ModelError(f"{self._url} answered a row that is no result: {row!r:.200}")
            if not np.isnan(scores[place]):
                raise ModelError(f"{self._url} answered passage {place} twice")
            scores[place] = score
        missing = np.flatnonzero(np.isnan(scores))
        if len(missing):
            raise ModelError(
                f"{self._url} answered {count - len(missing)} scores for {count} passages; "
                f"is rerank.api {self._api.value!r} the shape that it speaks?"
            )
        return scores


def _place_and_score(row: object) -> tuple[int | None, float | None]:
    if not isinstance(row, dict):
        return None, None
    place, score = row.get("index"), row.get("relevance_score", row.get("score"))
    if not isinstance(place, int) or not isinstance(score, int | float) or isinstance(score, bool):
        return None, None
    return place, float(score) if isfinite(score) else None


def _endpoint(url: str) -> str:
    """Return the address to post to: a server's root or /v1 gets `/rerank`.

    Raises:
        ModelError: it is no http address, or holds a password.
    """
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ModelError(f"rerank.url {url!r} is no address: {error}") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ModelError(f"rerank.url {url!r} is no http address; such as http://localhost:8080")
    if parsed.userinfo:
        raise ModelError("rerank.url holds a user or password; give a key by rerank.api_key")
    path = parsed.path.rstrip("/")
    return str(parsed if path.endswith("rerank") else parsed.copy_with(path=f"{path}/rerank"))


def _pause_asked_for(response: httpx.Response, pause: float) -> float:
    asked = response.headers.get("retry-after", "")
    return min(float(asked), _LONGEST_WAIT) if asked.isdigit() else pause
