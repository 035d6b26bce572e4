"""Traces, exports and feedback over REST."""

import io
import json
import tempfile
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from clew.core.errors import StoreError
from clew.engine.clew import Clew
from clew.serve.access.api_key import Right
from tests.serve.rest.server import problem

AT = "/v1/default"
QUESTION = {"question": "Who leads Acme Corp?"}


def test_a_trace_is_json_graphml_or_a_page(client):
    told = client.post(f"{AT}/trace", json=QUESTION).json()
    assert (told["question"], told["answered"]) == (QUESTION["question"], True)
    graph = client.post(f"{AT}/trace?format=graphml", json=QUESTION)
    assert etree.fromstring(graph.content).tag.endswith("graphml")
    page = client.post(f"{AT}/trace?format=html", json=QUESTION)
    assert page.text.lower().startswith("<!doctype html>")
    assert page.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in page.headers["content-security-policy"]
    problem(client.post(f"{AT}/trace?format=pdf", json=QUESTION), 422)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_an_export_holds_what_the_key_may_see_and_leaves_nothing(make_server, temporary):
    server = make_server()
    server.fill(acl=["board"])

    def sources(*groups):
        client = server.client(server.key(Right.READ, groups=groups or None))
        response = client.get(f"{AT}/export")
        assert response.headers["content-type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
            name = next(each for each in archive.namelist() if "documents" in each)
            lines = archive.read(name).decode().splitlines()
        return {json.loads(line)["source"] for line in lines}

    assert sources() == {"acme", "beta"}
    assert sources("staff") == {"beta"}
    graph = server.client(server.key(Right.READ)).get(f"{AT}/export?format=graphml")
    assert etree.fromstring(graph.content).tag.endswith("graphml")
    assert list(temporary.iterdir()) == []


def test_an_export_that_fails_leaves_nothing(client, temporary, monkeypatch):
    def fail(self, path, **_):
        Path(path).mkdir()
        raise StoreError("the inside")

    monkeypatch.setattr(Clew, "export", fail)
    problem(client.get(f"{AT}/export"), 500)
    assert list(temporary.iterdir()) == []


def test_feedback_is_kept_under_an_id(server, client):
    first = client.post(f"{AT}/feedback", json={**QUESTION, "score": 0.0, "mode": "keyword"})
    body = first.json()
    assert (body["mode"], sum(body["contributions"].values())) == ("keyword", pytest.approx(1.0))
    client.post(f"{AT}/feedback", json={**QUESTION, "score": 1.0, "outcome": body["outcome"]})
    (kept,) = server.store.outcomes("default")
    assert (f"{kept.id:016x}", kept.feedback_score) == (body["outcome"], 1.0)
    problem(client.post(f"{AT}/feedback", json={**QUESTION, "score": 2}), 422)
    problem(client.post(f"{AT}/feedback", json=QUESTION), 422)
