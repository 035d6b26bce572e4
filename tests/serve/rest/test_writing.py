"""Writers take turns; readers go on meanwhile."""

import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from clew.serve.rest.problems import Problem
from clew.serve.rest.writing import MOST_WAITING, Writing
from tests.engine.stand_ins import PatternExtractor
from tests.serve.rest.server import problem


def test_one_writes_at_a_time_and_few_wait():
    writing, inside, most = Writing(most_waiting=1), [0], []
    entered, leave = threading.Event(), threading.Event()

    def write():
        with writing.turn():
            inside[0] += 1
            most.append(inside[0])
            entered.set()
            assert leave.wait(30)
            inside[0] -= 1

    threads = [threading.Thread(target=write) for _ in range(2)]
    threads[0].start()
    assert entered.wait(30)
    threads[1].start()
    while writing._places._value:
        pass
    with pytest.raises(Problem, match="try again") as refused, writing.turn():
        pass
    assert refused.value.status == 503
    leave.set()
    for thread in threads:
        thread.join(30)
    assert most == [1, 1]
    with writing.turn():
        pass


def test_readers_are_answered_while_many_writers_wait(server, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()
    plain = PatternExtractor.extract

    def stalling(self, texts, **options):
        begun.set()
        assert go_on.wait(60)
        return plain(self, texts, **options)

    monkeypatch.setattr(PatternExtractor, "extract", stalling)

    def add(number):
        document = {"source": f"new-{number}", "text": f"Dora Lin runs house {number}."}
        return httpx.post(
            f"{address}/v1/default/documents", json={"documents": [document]}, timeout=60
        )

    writers = 60  # more than there are threads for requests
    with server.listening() as address, ThreadPoolExecutor(writers) as pool:
        added = [pool.submit(add, number) for number in range(writers)]
        assert begun.wait(30)
        try:
            for _ in range(3):
                answered = httpx.post(
                    f"{address}/v1/default/query", json={"question": "Who leads Acme Corp?"}
                )
                assert "Ada Moreau" in answered.json()["answer"]
                assert httpx.get(f"{address}/healthz").status_code == 200
        finally:
            go_on.set()
        responses = [each.result() for each in added]
        refused = [response for response in responses if response.status_code != 200]
        for response in refused:
            assert problem(response, 503)
            assert response.headers["retry-after"] == "5"
        held = httpx.get(f"{address}/v1/default/documents").json()["documents"]
    done = len(responses) - len(refused)
    assert done >= 1 + MOST_WAITING
    assert len(held) == 2 + done
