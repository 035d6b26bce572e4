"""Kept answers of models: durable, apart by collection, erased with their texts."""

import sqlite3
import subprocess
import sys
import threading

import pytest

from clew.core.errors import StoreError, StoreVersionError
from clew.core.model_calls import ModelRequest, text_subject
from clew.core.usage import TokenUsage
from clew.stores.responses import FILE_NAME, open_beside


def request(prompt="p", *, text="t", stage="extract", version="v-1", schema=None, most=10):
    return ModelRequest(stage, prompt, version, text_subject(text), most, schema)


def keep(kept, asked, answer, *, collection="default", model="m"):
    kept.put(collection, asked, model=model, answer=answer)


def test_an_answer_outlives_the_process_that_was_killed_after_it_was_kept(tmp_path):
    program = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from tests.stores.test_responses import keep, request\n"
        "from clew.stores.responses import open_beside\n"
        f"kept = open_beside(Path({str(tmp_path)!r}))\n"
        "keep(kept, request(), {'a': ['é', '\\ud800']})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -9
    kept = open_beside(tmp_path)
    assert kept.get("default", request().key("m")) == {"a": ["é", "\ud800"]}
    kept.close()


def test_the_key_changes_with_everything_that_an_answer_depends_on():
    same = {request().key("m"), request(text="other", stage="other").key("m")}
    others = {
        request("q").key("m"),
        request(version="v-2").key("m"),
        request(schema={}).key("m"),
        request(most=11).key("m"),
        request().key("n"),
    }
    assert len(same) == 1
    assert len(same | others) == 6


def test_collections_are_apart_and_nothing_is_made_by_reading(tmp_path):
    kept = open_beside(tmp_path)
    assert kept.get("default", "k") is None
    assert kept.ledger("default") == []
    assert kept.forget("default", ["s"]) == 0
    kept.drop("default")
    assert not (tmp_path / FILE_NAME).exists()
    keep(kept, request(), {"a": 1})
    keep(kept, request(), {"a": 2}, collection="other")
    assert kept.get("default", request().key("m")) == {"a": 1}
    kept.drop("default")
    assert kept.get("default", request().key("m")) is None
    assert kept.get("other", request().key("m")) == {"a": 2}
    kept.close()
    kept.close()


def test_what_is_forgotten_stands_nowhere_in_the_file(tmp_path):
    kept = open_beside(tmp_path)
    keep(kept, request("1", text="secret"), {"says": "the secret plan"})
    keep(kept, request("2", text="secret"), {"says": "another secret plan"})
    keep(kept, request("3", text="plain"), {"says": "plain words"})
    assert kept.forget("default", [text_subject("secret"), text_subject("unknown")]) == 2
    assert kept.forget_stage("default", "summaries") == 0
    kept.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secret plan" not in held
    assert b"plain words" in held


def test_the_ledger_adds_up_by_stage_and_model(tmp_path):
    kept = open_beside(tmp_path)
    kept.charge("default", stage="extract", model="m", usage=TokenUsage(1, 10, 5), cost=0.5)
    kept.charge("default", stage="extract", model="m", usage=TokenUsage(2, 1, 2, 1), cost=0.25)
    kept.charge("default", stage="extract", model="m", usage=TokenUsage(), reused=1)
    kept.charge("default", stage="answers", model="m", usage=TokenUsage(1, 1, 1))
    kept.charge("other", stage="extract", model="m", usage=TokenUsage(1, 1, 1))
    first, second = kept.ledger("default")
    assert (first.stage, second.stage) == ("answers", "extract")
    assert second.usage == TokenUsage(3, 11, 7, 1)
    assert (second.reused, second.cost) == (1, 0.75)
    kept.close()


def test_threads_write_side_by_side(tmp_path):
    kept = open_beside(tmp_path)
    other = open_beside(tmp_path)

    def write(file, number):
        for step in range(20):
            keep(file, request(f"{number} {step}"), {"n": step})
            file.charge("default", stage="s", model="m", usage=TokenUsage(1))

    threads = [
        threading.Thread(target=write, args=(file, number))
        for number, file in enumerate((kept, kept, other))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept.ledger("default")[0].usage.calls == 60
    assert kept.get("default", request("2 19").key("m")) == {"n": 19}
    kept.close()
    other.close()


def test_a_newer_file_and_a_closed_one_are_errors(tmp_path):
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    kept = open_beside(tmp_path)
    with pytest.raises(StoreVersionError, match="newer Clew"):
        kept.get("default", "k")
    kept.close()
    with pytest.raises(StoreError, match="closed"):
        keep(open_closed(), request(), {})


def open_closed():
    kept = open_beside(None)
    kept.close()
    return kept


def test_in_memory_it_keeps_too():
    kept = open_beside(None)
    keep(kept, request(), {"a": 1})
    assert kept.get("default", request().key("m")) == {"a": 1}
    kept.close()
