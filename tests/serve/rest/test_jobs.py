"""Documents that are added without waiting: 202, a job, and what became of it."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from clew.core.errors import ParseError, StoreBusyError, StoreError
from clew.core.jobs import Job, JobState
from clew.engine.background import MOST_WAITING
from clew.engine.clew import Clew
from clew.serve.access.api_key import Right
from tests.serve.rest.server import problem

NEW = {"documents": [{"source": "new", "text": "Dora Lin runs Oak House."}]}
ADDING = "/v1/default/documents"


def ended(client, place):
    end = time.monotonic() + 60
    while True:
        job = client.get(place).json()["job"]
        if job["state"] not in {"queued", "running"}:
            return job
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_job_adds_what_was_sent(client):
    accepted = client.post(f"{ADDING}?wait=false", json=NEW)
    assert accepted.status_code == 202
    place = accepted.headers["location"]
    assert place == f"/v1/default/jobs/{accepted.json()['job']['id']}"
    job = ended(client, place)
    assert (job["state"], job["done"], job["total"], job["error"]) == ("succeeded", 1, 1, None)
    assert (job["detail"]["added"], job["detail"]["failures"]) == (1, [])
    assert job["detail"]["request_id"] == accepted.headers["x-request-id"]
    assert [each["id"] for each in client.get("/v1/default/jobs").json()["jobs"]] == [job["id"]]
    answer = client.post("/v1/default/query", json={"question": "Who runs Oak House?"}).json()
    assert "Dora Lin" in answer["answer"]


def test_an_upload_can_be_a_job_and_names_what_failed(client):
    files = {"file": ("a.pdf", b"%PDF-1.7 nothing")}
    accepted = client.post(f"{ADDING}/upload?wait=false", files=files)
    job = ended(client, accepted.headers["location"])
    assert (job["state"], job["detail"]["failed"]) == ("succeeded", 1)
    assert job["detail"]["failures"][0].startswith("upload-")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ParseError("the table is broken", reason="x"), "the table is broken"),
        (StoreError("the inside is gone"), "The server could not do this"),
        (ZeroDivisionError("the inside is gone"), "The server could not do this"),
    ],
)
def test_a_job_that_fails_says_so_without_the_inside(client, monkeypatch, error, told):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(Clew, "add", fail)
    job = ended(client, client.post(f"{ADDING}?wait=false", json=NEW).headers["location"])
    assert job["state"] == "failed"
    assert job["error"].startswith(told)
    assert "inside" not in job["error"]


def test_too_many_jobs_are_refused(server, client, monkeypatch):
    go_on = threading.Event()
    plain = Clew.add

    def slow(self, *inputs, **options):
        assert go_on.wait(60)
        return plain(self, *inputs, **options)

    monkeypatch.setattr(Clew, "add", slow)
    accepted = [client.post(f"{ADDING}?wait=false", json=NEW) for _ in range(MOST_WAITING + 1)]
    try:
        assert {response.status_code for response in accepted} == {202}
        problem(client.post(f"{ADDING}?wait=false", json=NEW), 503)
        with pytest.raises(StoreBusyError):
            server.library.jobs.submit("default", lambda _: None, detail={}, explain=str)
    finally:
        go_on.set()
    states = [ended(client, response.headers["location"])["state"] for response in accepted]
    assert states == ["succeeded"] * (MOST_WAITING + 1)


def test_a_job_does_not_bring_back_a_collection_that_was_deleted(server, client):
    with client.app.state.services.writing.turn():
        place = client.post(f"{ADDING}?wait=false", json=NEW).headers["location"]
        assert client.get(place).json()["job"]["state"] in {"queued", "running"}
        server.library.drop("default")
    server.library.jobs.close()
    assert client.get("/v1/collections").json() == {"collections": []}


def test_jobs_outlive_the_server_and_what_it_left_unfinished_has_failed(server, client):
    now = datetime(2026, 1, 2, tzinfo=UTC)
    done = Job(1, "ingest", JobState.SUCCEEDED, now, now)
    for job in (done, replace(done, id=2, state=JobState.RUNNING)):
        server.store.save_job("default", job)
    first, second = client.get("/v1/default/jobs").json()["jobs"]
    assert (first["state"], first["error"]) == ("succeeded", None)
    assert second["state"] == "failed"
    assert "add it again" in second["error"]
    problem(client.get("/v1/default/jobs/0000000000000003"), 404)


def test_a_key_sees_the_jobs_of_its_own_groups(server):
    staff, board, whole = (
        server.client(server.key(Right.READ, Right.WRITE, groups=groups))
        for groups in (["staff"], ["board"], None)
    )
    place = staff.post(f"{ADDING}?wait=false", json=NEW).headers["location"]
    assert ended(staff, place)["state"] == "succeeded"
    assert ended(whole, place)["state"] == "succeeded"
    problem(board.get(place), 404)
    assert board.get("/v1/default/jobs").json() == {"jobs": []}
    hidden = whole.post(f"{ADDING}?wait=false", json=NEW).headers["location"]
    ended(whole, hidden)
    problem(staff.get(hidden), 404)
