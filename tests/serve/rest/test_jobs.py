"""Documents that are added without waiting: 202, a job, and what became of it."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime

import httpx
import pytest

from clew.core.errors import ParseError, StoreBusyError, StoreError
from clew.core.jobs import Job, JobState
from clew.engine.background import MOST_WAITING
from clew.engine.clew import Clew
from clew.serve.access.api_key import Right
from clew.serve.rest.models_of_documents import NewDocuments
from clew.serve.rest.orders import Order
from clew.serve.rest.spool import Spool
from tests.serve.rest.server import events, problem

NEW = {"documents": [{"source": "new", "text": "Dora Lin runs Oak House."}]}
OTHER = {"documents": [{"source": "other", "text": "Eve Fox runs Elm House."}]}
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


def stalled(monkeypatch):
    """Let adding stand still until the event is set; it is told so once it has begun."""
    begun, go_on = threading.Event(), threading.Event()
    plain = Clew.add

    def slow(self, *inputs, progress=None, **options):
        begun.set()
        assert go_on.wait(60)
        return plain(self, *inputs, progress=progress, **options)

    monkeypatch.setattr(Clew, "add", slow)
    return begun, go_on


def test_a_job_that_waits_is_cancelled_and_one_that_runs_ends_at_its_next_step(
    server, client, monkeypatch
):
    begun, go_on = stalled(monkeypatch)
    running, waiting = (
        client.post(f"{ADDING}?wait=false", json=body).headers["location"] for body in (NEW, OTHER)
    )
    try:
        assert begun.wait(60)
        assert client.post(f"{waiting}/cancel").json()["job"]["state"] == "cancelled"
        client.post(f"{running}/cancel")
        assert client.get(running).json()["job"]["state"] == "running"
    finally:
        go_on.set()
    assert ended(client, running)["state"] == "cancelled"
    problem(client.post(f"{running}/cancel"), 409)
    problem(client.post(f"{running}/retry"), 409)
    assert "other" not in {each["source"] for each in client.get(ADDING).json()["documents"]}


def test_what_failed_is_tried_again_and_what_is_done_is_not(client, monkeypatch):
    plain = Clew.add

    def fail(*_, **__):
        raise StoreError("the inside")

    monkeypatch.setattr(Clew, "add", fail)
    place = client.post(f"{ADDING}?wait=false", json=NEW).headers["location"]
    assert ended(client, place)["state"] == "failed"
    monkeypatch.setattr(Clew, "add", plain)
    again = client.post(f"{place}/retry")
    assert again.status_code == 202
    job = ended(client, again.headers["location"])
    assert (job["state"], job["detail"]["added"]) == ("succeeded", 1)
    assert job["detail"]["retry_of"] == place.rpartition("/")[2]
    problem(client.post(f"{place}/retry"), 409)
    problem(client.post(f"{again.headers['location']}/retry"), 409)
    problem(client.post("/v1/default/jobs/0000000000000001/retry"), 404)


def test_a_file_that_failed_can_be_tried_again(server, client):
    files = {"file": ("a.pdf", b"%PDF-1.7 nothing")}
    place = client.post(f"{ADDING}/upload?wait=false", files=files).headers["location"]
    assert ended(client, place)["detail"]["failed"] == 1
    again = client.post(f"{place}/retry")
    assert ended(client, again.headers["location"])["detail"]["failed"] == 1


def test_events_follow_a_job_to_its_end(server, monkeypatch):
    begun, go_on = stalled(monkeypatch)
    with server.listening() as address, httpx.Client(base_url=address, timeout=60) as client:
        place = client.post(f"{ADDING}?wait=false", json=NEW).headers["location"]
        assert begun.wait(60)
        received = ""
        with client.stream("GET", f"{place}/events") as response:
            for part in response.iter_text():
                received += part
                go_on.set()
        told = events(received)
    assert told[0][0] == "progress"
    assert told[0][1]["job"]["state"] in {"queued", "running"}
    assert [name for name, _ in told].count("end") == 1
    assert told[-1][1]["job"]["state"] == "succeeded"


def test_jobs_are_taken_up_by_the_next_server(make_server, monkeypatch):
    """The first server ends while a job runs and another waits: both are done by the second."""
    first = make_server()
    first.fill()
    begun, go_on = stalled(monkeypatch)
    client = first.client()
    running, waiting = (
        client.post(f"{ADDING}?wait=false", json=body).headers["location"] for body in (NEW, OTHER)
    )
    assert begun.wait(60)
    ending = threading.Thread(target=first.library.close)
    ending.start()
    while not first.library.jobs.closing:
        time.sleep(0.01)
    go_on.set()
    ending.join(60)
    monkeypatch.undo()
    second = make_server()
    client = second.client()
    assert ended(client, running)["state"] == "succeeded"
    assert ended(client, waiting)["state"] == "succeeded"
    assert ended(client, waiting)["id"] == waiting.rpartition("/")[2]
    sources = {each["source"] for each in client.get(ADDING).json()["documents"]}
    assert sources == {"acme", "beta", "new", "other"}
    assert list((second.library.folder / "jobs").iterdir()) == []


def test_a_killed_job_is_taken_up_and_that_of_a_lost_collection_is_not(server):
    """What a killed server leaves is a running job and its order."""
    now = datetime(2026, 1, 2, tzinfo=UTC)
    spool = Spool(server.library.folder / "jobs")
    body = NewDocuments.model_validate(NEW)
    for identifier, collection in ((5, "default"), (6, "gone")):
        spool.put(identifier, Order(collection, None, "r", body))
    server.store.save_job("default", Job(5, "ingest", JobState.RUNNING, now, now))
    client = server.client()
    job = ended(client, "/v1/default/jobs/0000000000000005")
    assert (job["state"], job["detail"]["added"]) == ("succeeded", 1)
    assert spool.jobs() == []


def test_orders_of_a_deleted_collection_are_forgotten(server, client, monkeypatch):
    def fail(*_, **__):
        raise StoreError("the inside")

    monkeypatch.setattr(Clew, "add", fail)
    ended(client, client.post(f"{ADDING}?wait=false", json=NEW).headers["location"])
    folder = server.library.folder / "jobs"
    assert len(list(folder.iterdir())) == 1
    client.delete("/v1/collections/default")
    assert list(folder.iterdir()) == []


def test_only_a_writer_of_the_jobs_groups_cancels_and_retries(server):
    staff, board = (
        server.client(server.key(Right.READ, Right.WRITE, groups=[name]))
        for name in ("staff", "board")
    )
    reader = server.client(server.key(Right.READ, groups=["staff"]))
    place = staff.post(f"{ADDING}?wait=false", json=NEW).headers["location"]
    ended(staff, place)
    for action in ("cancel", "retry"):
        problem(reader.post(f"{place}/{action}"), 403)
        problem(board.post(f"{place}/{action}"), 404)
        problem(staff.post(f"{place}/{action}"), 409)
