"""Health, metrics, request ids and logs."""

import json
import logging
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from clew.core.errors import StoreError
from clew.serve.rest.logs import JsonLines
from tests.serve.rest.server import problem


def figures(client):
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def test_it_lives_and_is_ready(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_it_lives_but_is_not_ready_while_the_store_fails(server, client, monkeypatch):
    def fail(_):
        raise StoreError("gone")

    monkeypatch.setattr(type(server.store), "collections", fail)
    assert client.get("/healthz").status_code == 200
    problem(client.get("/readyz"), 500)


def test_latency_is_counted_by_route_and_mode(client):
    for mode in ("keyword", "keyword", "vector_only"):
        client.post("/v1/default/query", json={"question": "Who leads Acme Corp?", "mode": mode})
    client.post("/rag/hybrid-query", json={"question": "Who leads Acme Corp?"})
    client.get("/v1/nothing/documents")
    client.get("/any/thing")
    counted = figures(client)

    def requests(route, mode):
        return counted["clew_request_seconds_count", ("mode", mode), ("route", route)]

    assert requests("/v1/{collection}/query", "keyword") == 2
    assert requests("/v1/{collection}/query", "vector_only") == 1
    assert requests("/rag/hybrid-query", "hybrid") == 1
    assert requests("/v1/{collection}/documents", "") == 1
    assert requests("unmatched", "") == 1
    assert (
        counted[
            "clew_requests_total",
            ("method", "GET"),
            ("route", "/v1/{collection}/documents"),
            ("status", "404"),
        ]
        == 1
    )
    stages = {dict(name[1:])["stage"] for name in counted if name[0] == "clew_stage_seconds_count"}
    assert "total" in stages
    assert not any("nothing" in str(name) or "thing" in str(name) for name in counted)
    assert counted[("clew_requests_in_flight",)] == 1  # the request for the metrics itself


def test_a_plain_request_id_is_kept_and_any_other_is_replaced(client):
    kept = client.get("/healthz", headers={"X-Request-ID": "trace-1.a"})
    assert kept.headers["x-request-id"] == "trace-1.a"
    for hostile in ('a"b', "x" * 65, "a b", ""):
        made = client.get("/healthz", headers={"X-Request-ID": hostile}).headers["x-request-id"]
        assert re.fullmatch("[0-9a-f]{16}", made)


def test_a_request_is_one_line_of_json_without_its_question(client, caplog):
    with caplog.at_level(logging.INFO, logger="clew.serve"):
        client.post(
            "/v1/default/query",
            json={"question": "Who leads the secret Acme Corp?", "mode": "keyword"},
            headers={"X-Request-ID": "abc"},
        )
    (record,) = [each for each in caplog.records if each.name == "clew.serve"]
    line = JsonLines().format(record)
    assert "\n" not in line
    assert "secret" not in line
    told = json.loads(line)
    assert (told["request_id"], told["status"], told["mode"]) == ("abc", 200, "keyword")
    assert told["route"] == "/v1/{collection}/query"


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_no_page_of_another_origin_is_let_in(client, origin):
    asked = client.options(
        "/v1/default/query",
        headers={"Origin": origin, "Access-Control-Request-Method": "POST"},
    )
    assert asked.status_code == 403
    answered = client.get("/healthz", headers={"Origin": origin})
    for response in (asked, answered):
        assert not any(name.startswith("access-control") for name in response.headers)


def test_a_form_of_another_page_cannot_ask(client):
    """A browser sends text/plain to any address without asking first."""
    response = client.post(
        "/v1/default/query",
        content=b'{"question": "Who?"}',
        headers={"Content-Type": "text/plain"},
    )
    problem(response, 422)
