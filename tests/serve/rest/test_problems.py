"""Every error is a problem with the right status, and nothing of the inside leaves."""

import pytest

from clew.core import errors
from clew.core.errors import ClewError
from clew.engine.clew import Clew
from clew.serve.rest.problems import STATUSES, status_of
from tests.serve.rest.server import problem

_KINDS = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ClewError)
]
_CALLERS_FAULT = {
    "QueryError": 400,
    "UnsupportedModeError": 400,
    "NotFoundError": 404,
    "ModelMismatchError": 409,
    "JobCancelledError": 409,
    "IngestError": 422,
    "ParseError": 422,
    "FetchError": 422,
    "SchemaError": 422,
    "CausalError": 422,
    "EvaluationError": 422,
}


def _made(kind):
    arguments = {
        errors.ParseError: {"reason": "x"},
        errors.FetchError: {"reason": "x"},
        errors.MissingExtraError: {"extra": "llm"},
    }
    return kind("told to the log alone", **arguments.get(kind, {}))


@pytest.mark.parametrize("kind", _KINDS)
def test_every_error_has_a_status(kind):
    status = status_of(_made(kind))
    if kind.__name__ in _CALLERS_FAULT:
        assert status == _CALLERS_FAULT[kind.__name__]
    else:
        assert 500 <= status < 600
    assert any(base in STATUSES for base in kind.__mro__ if base is not ClewError) or (
        kind is ClewError
    )


@pytest.mark.parametrize("kind", _KINDS)
def test_a_failing_question_is_a_problem_and_no_answer(client, monkeypatch, kind):
    def fail(*_, **__):
        raise _made(kind)

    monkeypatch.setattr(Clew, "ask", fail)
    for path in ("/v1/default/query", "/v1/default/stream", "/rag/query", "/rag/hybrid-query"):
        response = client.post(path, json={"question": "Who leads Acme Corp?"})
        body = problem(response, status_of(_made(kind)))
        assert "answer" not in body
        assert ("told to the log alone" in body["detail"]) == (
            body["status"] < 500 or body["status"] == 501
        )


def test_an_error_that_nobody_foresaw_leaves_no_trace(client, monkeypatch, caplog):
    def fail(*_, **__):
        raise ZeroDivisionError("secret of the inside")

    monkeypatch.setattr(Clew, "ask", fail)
    response = client.post("/v1/default/query", json={"question": "Who?"})
    assert "secret" not in response.text
    problem(response, 500)


@pytest.mark.parametrize("read", ["search_vector", "chunks", "expand", "nodes"])
def test_a_store_read_that_fails_is_no_answer(server, client, monkeypatch, read):
    def fail(*_, **__):
        raise errors.StoreError("the disk is gone")

    assert client.post("/v1/default/query", json={"question": "Who?"}).status_code == 200
    monkeypatch.setattr(type(server.store), read, fail)
    for path in ("/v1/default/query", "/v1/default/search", "/v1/default/stream"):
        body = problem(client.post(path, json={"question": "Who leads Acme Corp?"}), 500)
        assert "disk" not in body["detail"]
    problem(client.post("/rag/hybrid-query", json={"question": "Who leads Acme Corp?"}), 500)


def test_a_busy_store_may_be_asked_again(client, monkeypatch):
    def fail(*_, **__):
        raise errors.StoreBusyError("locked by process 7")

    monkeypatch.setattr(Clew, "documents", fail)
    response = client.get("/v1/default/documents")
    assert "7" not in problem(response, 503)["detail"]
    assert response.headers["retry-after"] == "1"


def test_what_is_wrong_in_a_body_is_named_and_not_repeated(client):
    response = client.post(
        "/v1/default/query", json={"question": "Who?", "max_hops": 9, "hunter2": "swordfish"}
    )
    body = problem(response, 422)
    assert {each["place"] for each in body["errors"]} == {"body.max_hops", "body.hunter2"}
    assert "swordfish" not in response.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("PUT", "/healthz", 405),
        ("POST", "/v1/nothing/query", 404),
        ("GET", "/v1/default/nodes?name=Nobody", 404),
        ("GET", "/v1/default/nodes/0000000000000001", 404),
        ("DELETE", "/v1/default/documents/0000000000000001", 404),
        ("DELETE", "/v1/collections/nothing", 404),
        ("GET", "/v1/default/paths?first=Acme Corp&second=Acme Corp", 400),
    ],
)
def test_what_is_not_there(client, method, path, status):
    body = {"question": "Who?"} if method == "POST" else None
    problem(client.request(method, path, json=body), status)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b'{"question": "\\ud800"}',
        b'{"question": "Who?", "where": {"a": "\\ud800"}}',
        b'{"question": "Who?", "where": {"a": NaN}}',
        b'{"question": "Who?", "where": {"a": 99999999999999999999999}}',
        b'{"question": "Who?", "\\ud800": 1}',
        b'{"question": "Who?", "fusion_alpha": NaN}',
        b'{"question": "   "}',
        b'{"question": "Who?", "mode": "auto"}',
        b'{"question": "Who?", "mode": "hybrid", "preset": "paper_v1"}',
        b'{"question": "Who?", "where": ' + b'{"not": ' * 5000 + b"{}" + b"}" * 5000 + b"}",
    ],
)
def test_a_malformed_body_is_the_callers_fault(client, body):
    response = client.post(
        "/v1/default/query", content=body, headers={"Content-Type": "application/json"}
    )
    assert 400 <= response.status_code < 500, response.text
    problem(response, response.status_code)
