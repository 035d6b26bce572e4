"""A `/rerank` endpoint, spoken to over a real connection to a server in this process."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from clew.core.errors import ModelError
from clew.models.http_reranker import HttpReranker

Reply = Callable[[dict[str, Any]], tuple[int, dict[str, str], str]]


class Endpoint:
    """A server that gives the replies in turn, the last one ever after, and keeps requests."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.requests: list[tuple[str, str | None, dict[str, Any]]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                endpoint.requests.append((self.path, self.headers.get("authorization"), body))
                replies = endpoint.replies
                reply = replies.pop(0) if len(replies) > 1 else replies[0]
                status, headers, text = reply(body)
                data = text.encode()
                self.send_response(status)
                for name, value in {**headers, "content-length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Stay silent."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


def by_length(body: dict[str, Any]) -> tuple[int, dict[str, str], str]:
    """Score documents by their length, as Cohere does: best first."""
    rows = [
        {"index": place, "relevance_score": len(text) / 10}
        for place, text in enumerate(body["documents"])
    ]
    rows.sort(key=lambda row: -row["relevance_score"])
    return 200, {}, json.dumps({"results": rows})


def tei(body: dict[str, Any]) -> tuple[int, dict[str, str], str]:
    rows = [{"index": place, "score": -len(text)} for place, text in enumerate(body["texts"])]
    return 200, {}, json.dumps(rows[::-1])


def saying(status: int, text: str = "", **headers: str) -> Reply:
    return lambda _: (
        status,
        {name.replace("_", "-"): value for name, value in headers.items()},
        text,
    )


def reranker(endpoint: Endpoint, **more: Any) -> tuple[HttpReranker, list[float]]:
    waits: list[float] = []
    return HttpReranker(endpoint.url, wait=waits.append, **more), waits


class TestShapes:
    def test_cohere(self, endpoint: Endpoint) -> None:
        endpoint.replies = [by_length]
        model, _ = reranker(endpoint, model="tiny", api_key="k3y")
        assert model.score("who", ["a", "abc", "ab"]).tolist() == pytest.approx([0.1, 0.3, 0.2])
        (request,) = endpoint.requests
        assert request == (
            "/rerank",
            "Bearer k3y",
            {"model": "tiny", "query": "who", "documents": ["a", "abc", "ab"], "top_n": 3},
        )
        model.close()
        model.close()

    def test_text_embeddings_inference(self, endpoint: Endpoint) -> None:
        endpoint.replies = [tei]
        model, _ = reranker(endpoint, api="tei")
        assert model.score("who", ["a", "abc"]).tolist() == [-1.0, -3.0]
        path, key, body = endpoint.requests[0]
        assert (path, key) == ("/rerank", None)
        assert body == {"query": "who", "texts": ["a", "abc"], "raw_scores": True}

    def test_no_passages_are_no_request(self, endpoint: Endpoint) -> None:
        endpoint.replies = [by_length]
        assert reranker(endpoint)[0].score("who", []).shape == (0,)
        assert endpoint.requests == []

    @pytest.mark.parametrize(
        ("path", "asked"),
        [("", "/rerank"), ("/v1/", "/v1/rerank"), ("/v2/rerank", "/v2/rerank")],
    )
    def test_the_address(self, endpoint: Endpoint, path: str, asked: str) -> None:
        endpoint.replies = [by_length]
        HttpReranker(endpoint.url + path).score("who", ["a"])
        assert endpoint.requests[0][0] == asked


class TestFailures:
    def test_overload_is_waited_for(self, endpoint: Endpoint) -> None:
        endpoint.replies = [saying(429, retry_after="7"), saying(503), saying(500), by_length]
        model, waits = reranker(endpoint)
        assert model.score("who", ["abc"]).tolist() == pytest.approx([0.3])
        assert waits == [7.0, 1.0, 2.0]

    def test_a_server_may_not_ask_for_an_hour(self, endpoint: Endpoint) -> None:
        endpoint.replies = [saying(429, retry_after="3600"), by_length]
        model, waits = reranker(endpoint)
        model.score("who", ["abc"])
        assert waits == [30.0]

    def test_it_gives_up_and_says_what_was_answered(self, endpoint: Endpoint) -> None:
        endpoint.replies = [saying(503, "model is loading")]
        model, waits = reranker(endpoint, retries=2)
        with pytest.raises(ModelError, match="503: model is loading"):
            model.score("who", ["abc"])
        assert (len(endpoint.requests), waits) == (3, [0.5, 1.0])

    @pytest.mark.parametrize(
        ("status", "said"), [(401, "rerank.api_key"), (403, "api_key"), (404, "404"), (422, "422")]
    )
    def test_refusals_are_not_tried_again(self, endpoint: Endpoint, status: int, said: str) -> None:
        endpoint.replies = [saying(status, "no")]
        model, waits = reranker(endpoint, api_key="s3cret")
        with pytest.raises(ModelError, match=said) as caught:
            model.score("who", ["abc"])
        assert "s3cret" not in str(caught.value)
        assert (len(endpoint.requests), waits) == (1, [])

    def test_nobody_there(self, endpoint: Endpoint) -> None:
        endpoint.replies = [by_length]
        model, waits = reranker(endpoint, retries=1)
        endpoint.close()
        with pytest.raises(ModelError, match=r"cannot be reached .* 2 times"):
            model.score("who", ["abc"])
        assert waits == [0.5]

    def test_too_slow(self, endpoint: Endpoint) -> None:
        released = threading.Event()

        def slow(body: dict[str, Any]) -> tuple[int, dict[str, str], str]:
            released.wait(20)
            return by_length(body)

        endpoint.replies = [slow]
        model, _ = reranker(endpoint, timeout_seconds=0.1, retries=0)
        with pytest.raises(ModelError, match=r"did not answer within 0\.1 s"):
            model.score("who", ["abc"])
        released.set()

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            ("<html>", "no JSON: <html>"),
            ("{}", "0 scores for 2 passages"),
            ("3", "0 scores for 2 passages"),
            ('{"results": [{"index": 0, "relevance_score": 1}]}', "1 scores for 2 passages"),
            ('{"results": [{"index": 5, "relevance_score": 1}]}', "no result"),
            ('{"results": [{"index": "0", "relevance_score": 1}]}', "no result"),
            ('{"results": [{"index": 0, "relevance_score": "high"}]}', "no result"),
            ('{"results": [{"index": 0, "relevance_score": NaN}]}', "no result"),
            ('{"results": [3]}', "no result"),
            ('[{"index": 0, "score": 1}, {"index": 0, "score": 1}]', "passage 0 twice"),
        ],
    )
    def test_an_answer_of_another_shape_is_refused(
        self, endpoint: Endpoint, answer: str, said: str
    ) -> None:
        endpoint.replies = [saying(200, answer)]
        with pytest.raises(ModelError, match=said):
            reranker(endpoint)[0].score("who", ["abc", "ab"])

    @pytest.mark.parametrize(
        ("url", "said"),
        [
            ("ftp://host", "no http address"),
            ("localhost:8080", "no http address"),
            ("http://", "no http address"),
            ("http://me:pass@host", "user or password"),
        ],
    )
    def test_unusable_addresses(self, url: str, said: str) -> None:
        with pytest.raises(ModelError, match=said):
            HttpReranker(url)
