"""The embedder for endpoints, against a real HTTP server that speaks the API."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from clew.core.calibration import Calibration
from clew.core.errors import MissingExtraError, ModelError
from clew.core.ids import stable_id
from clew.models.openai_embedder import OpenAIEmbedder

SECRET = "sk-test-0123456789abcdef"


def raw_vector(text: str, dimensions: int) -> list[float]:
    """Return a vector that is no unit vector and depends on the text alone."""
    return [((stable_id(text, place) % 2001) - 1000) / 250 for place in range(dimensions)]


def unit(text: str, dimensions: int = 6) -> list[float]:
    vector = np.array(raw_vector(text, dimensions))
    return list(vector / np.linalg.norm(vector))


class Server(ThreadingHTTPServer):
    """Keeps what was asked; `answers` are given first, then vectors."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.answers: list[tuple[int, dict[str, str], object]] = []
        self.dimensions = 6
        self.pause = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.keys.append(self.headers["Authorization"])
        time.sleep(self.server.pause)
        status = 200
        headers: dict[str, str] = {}
        answer: Any = self.vectors(body)
        if self.server.answers:
            status, headers, told = self.server.answers.pop(0)
            answer = told(body) if callable(told) else told
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        try:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def vectors(self, body):
        """Answer as the API does, rows in no particular order."""
        size = body.get("dimensions", self.server.dimensions)
        rows = [
            {"object": "embedding", "index": place, "embedding": raw_vector(text, size)}
            for place, text in enumerate(body["input"])
        ]
        return {"object": "list", "model": body["model"], "data": rows[::-1]}

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    served = Server()
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


def embedder(server, **given) -> OpenAIEmbedder:
    return OpenAIEmbedder("tiny", base_url=server.url, api_key=SECRET, **given)


def test_texts_become_unit_vectors_in_their_order_whatever_the_batches(server):
    found = embedder(server, batch_size=2).embed_passages(["a", "b", "c", "d", "e"])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [unit(text) for text in "abcde"], atol=1e-6)
    assert [len(body["input"]) for body in server.asked] == [2, 2, 1]
    assert {body["model"] for body in server.asked} == {"tiny"}
    assert set(server.keys) == {f"Bearer {SECRET}"}
    assert all("dimensions" not in body for body in server.asked)


def test_prefixes_tell_questions_from_passages(server):
    model = embedder(server, question_prefix="query: ", passage_prefix="passage: ")
    np.testing.assert_allclose(model.embed_questions(["a"]), [unit("query: a")], atol=1e-6)
    np.testing.assert_allclose(model.embed_passages(["a"]), [unit("passage: a")], atol=1e-6)


def test_dimensions_are_asked_for_or_found_out(server):
    assert embedder(server).dimensions == 6
    model = embedder(server, dimensions=4)
    assert model.dimensions == 4
    assert model.embed_questions(["a"]).shape == (1, 4)
    assert server.asked[-1]["dimensions"] == 4


def test_no_texts_cost_no_request(server):
    assert embedder(server, dimensions=4).embed_passages([]).shape == (0, 4)
    assert server.asked == []


def test_an_empty_text_is_sent_as_a_blank(server):
    embedder(server).embed_passages([""])
    assert server.asked[0]["input"] == [" "]


def test_the_fingerprint_says_what_vectors_depend_on_and_no_address(server):
    plain = embedder(server).fingerprint
    assert "127.0.0.1" not in plain
    assert SECRET not in plain
    other = OpenAIEmbedder("tiny", base_url="http://elsewhere/v1", api_key="x")
    assert other.fingerprint == plain
    changed = [
        embedder(server, dimensions=4).fingerprint,
        embedder(server, question_prefix="q ").fingerprint,
        embedder(server, passage_prefix="q ").fingerprint,
        OpenAIEmbedder("large", base_url=server.url, api_key="x").fingerprint,
    ]
    assert len({plain, *changed}) == 5
    assert server.asked == []


def test_a_full_server_is_asked_again_after_the_time_it_names(server):
    """The pause is read off the clock: a repetition without it would come at once."""
    server.answers = [(429, {"Retry-After": "1"}, {"error": {"message": "slow down"}})]
    start = time.monotonic()
    found = embedder(server, retries=1).embed_passages(["a"])
    assert time.monotonic() - start >= 1.0
    np.testing.assert_allclose(found, [unit("a")], atol=1e-6)
    assert len(server.asked) == 2


def test_a_server_that_stays_full_is_an_error_after_all_repetitions(server):
    full = (429, {"Retry-After": "0.01"}, {"error": {"message": "slow down"}})
    server.answers = [full] * 5
    with pytest.raises(ModelError, match=r"'tiny' at http.*: it answers 429: .*slow down"):
        embedder(server, retries=2).embed_passages(["a"])
    assert len(server.asked) == 3


def test_a_failing_server_is_asked_again(server):
    server.answers = [(503, {"Retry-After": "0.01"}, {"error": {"message": "starting"}})]
    assert embedder(server, retries=1).embed_passages(["a"]).shape == (1, 6)


def test_a_server_that_does_not_answer_in_time_is_an_error(server):
    server.pause = 0.5
    with pytest.raises(ModelError, match=r"did not answer in time; raise embedding\.timeout"):
        embedder(server, timeout=0.05, retries=0).embed_passages(["a"])


def test_a_server_that_is_not_there_is_an_error():
    model = OpenAIEmbedder("tiny", base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(ModelError, match=r"cannot be reached; check embedding\.base_url"):
        model.embed_passages(["a"])


@pytest.mark.parametrize(
    ("status", "problem"),
    [(400, "it answers 400: .*wrong"), (401, "refuses the key"), (404, "it answers 404")],
)
def test_a_refusal_is_an_error_at_once_and_never_shows_the_key(server, status, problem):
    server.answers = [(status, {}, {"error": {"message": f"wrong: {SECRET}"}})]
    with pytest.raises(ModelError, match=problem) as caught:
        embedder(server, retries=3).embed_passages(["a"])
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert len(server.asked) == 1


def _answer(*vectors):
    rows = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    return {"object": "list", "data": rows, "model": "tiny"}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"<html>hello</html>", "no vectors"),
        (b"{", "no vectors"),
        ({"data": []}, "2 texts were sent and 0 vectors came back"),
        ({"ok": True}, "no vectors"),
        (_answer([1.0, 2.0]), "2 texts were sent and 1 vectors came back"),
        (_answer([1.0, 2.0], [1.0]), "no vectors"),
        (_answer([1.0, 2.0], [0.0, 0.0]), "zero or not finite"),
        (_answer(["x", "y"], ["z", "w"]), "no vectors"),
        (
            b'{"data": [{"index": 0, "embedding": [NaN, 1]}, {"index": 1, "embedding": [1, 1]}]}',
            "not finite",
        ),
    ],
)
def test_an_answer_that_is_no_vectors_is_an_error(server, answer, problem):
    server.answers = [(200, {}, answer)]
    with pytest.raises(ModelError, match=problem):
        embedder(server, retries=0).embed_passages(["a", "b"])


def test_vectors_of_another_size_are_an_error(server):
    model = embedder(server)
    model.embed_passages(["a"])
    server.dimensions = 5
    with pytest.raises(ModelError, match="5 dimensions in place of 6"):
        model.embed_passages(["b"])
    server.answers = [(200, {}, _answer([1.0, 2.0]))]
    with pytest.raises(ModelError, match="2 dimensions in place of 4"):
        embedder(server, dimensions=4).embed_passages(["b"])


def test_the_key_of_openai_goes_to_openai_alone(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    OpenAIEmbedder("tiny", base_url=server.url).embed_passages(["a"])
    assert SECRET not in server.keys[0]
    own = OpenAIEmbedder("tiny")
    assert str(own._client.base_url) == "https://api.openai.com/v1/"
    assert own._client.api_key == SECRET


def test_calibration_is_given_or_measured_once(server):
    given = Calibration(0.5, 0.6, 0.7)
    assert embedder(server, calibration=given).calibration == given
    assert server.asked == []
    model = embedder(server)
    measured = model.calibration
    count = len(server.asked)
    assert model.calibration is measured
    assert len(server.asked) == count > 0


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'clew\[llm\]'"):
        OpenAIEmbedder("tiny")
