"""Whatever a parser does to its worker, one file fails with one reason and the next is read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from clew.core.errors import ParseError
from clew.ingest.isolation import process
from clew.ingest.isolation.limits import ParseLimits
from clew.ingest.isolation.reader import IsolatedReader
from clew.ingest.passwords import Passwords

HOSTILE = "tests.ingest.hostile_parsers:parse"
LIMITS = ParseLimits(seconds=60.0, megabytes=256, file_megabytes=16)


@pytest.fixture(scope="module")
def reader():
    with IsolatedReader(LIMITS, parser=HOSTILE) as opened:
        yield opened


def failure(reader: IsolatedReader, deed: str) -> ParseError:
    with pytest.raises(ParseError) as caught:
        reader.parse(deed.encode(), name=f"dir/{deed}.pdf")
    message = str(caught.value)
    assert message.startswith(f"dir/{deed}.pdf: ")
    assert "\n" not in message
    return caught.value


@pytest.mark.parametrize(
    ("deed", "reason", "said"),
    [
        ("segfault", "crashed", "SIGSEGV"),
        ("abort", "crashed", "SIGABRT"),
        ("exit", "crashed", "exit code 3"),
        ("leave", "crashed", "exit code 0"),
        ("kill", "crashed", "SIGKILL"),
        ("balloon", "memory", "ingest.parse_megabytes"),
        ("error", "damaged", "ZeroDivisionError"),
        ("deep", "damaged", "RecursionError"),
        ("missing", "invalid", "clew[ocr]"),
        ("damaged", "damaged", "it is damaged"),
    ],
)
def test_a_deed_fails_its_file_alone(reader, deed, reason, said):
    error = failure(reader, deed)
    assert error.reason == reason
    assert said in str(error)
    assert reader.parse(b"the next one", name="next.pdf").text == "the next one"


def test_more_text_than_fits_is_not_taken(reader, monkeypatch):
    monkeypatch.setattr(process, "_LARGEST_ANSWER", 2**20)
    assert failure(reader, "long").reason == "too-much-text"
    assert reader.parse(b"the next one", name="next.pdf").text == "the next one"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds its pipe in /proc")
@pytest.mark.skip_allowed
@pytest.mark.parametrize("deed", ["talk", "garbage"])
def test_a_false_answer_is_no_answer(reader, deed):
    assert failure(reader, deed).reason in {"crashed", "too-much-text"}
    assert reader.parse(b"the next one", name="next.pdf").text == "the next one"


@pytest.mark.parametrize("deed", ["loop", "sleep"])
def test_what_does_not_end_is_ended(deed):
    with IsolatedReader(ParseLimits(seconds=0.5), parser=HOSTILE) as reader:
        error = failure(reader, deed)
        assert error.reason == "timeout"
        assert "0.5 seconds (ingest.parse_seconds)" in str(error)


def test_what_a_parser_prints_does_not_reach_the_answer(reader, capfd):
    assert reader.parse(b"print", name="a.pdf").text == "print"
    assert capfd.readouterr() == ("", "")


def test_one_worker_serves_many_files_and_is_replaced_in_time():
    with IsolatedReader(LIMITS, parser=HOSTILE, files_a_worker=3) as reader:
        processes = [reader.parse(b"process", name="a.pdf").text for _ in range(7)]
    assert [processes.count(each) for each in dict.fromkeys(processes)] == [3, 3, 1]


def test_no_worker_starts_for_short_plain_text(tmp_path, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    (tmp_path / "a.txt").write_text("A text\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("---\ntitle: B\n---\n# Head\n", encoding="utf-8")
    with IsolatedReader() as reader:
        assert reader.read(tmp_path / "a.txt", name="a.txt").text == "A text"
        assert reader.read(tmp_path / "b.md", name="b.md").title == "B"


def test_a_worker_that_is_killed_between_files_is_replaced(reader):
    """The file at hand is reported, since the worker may as well have died of it."""
    worker = int(reader.parse(b"process", name="a.pdf").text)
    os.kill(worker, signal.SIGKILL)
    assert failure(reader, "any").reason == "crashed"
    assert int(reader.parse(b"process", name="a.pdf").text) != worker


def test_threads_wait_for_each_other(reader):
    texts: dict[int, str] = {}

    def read(number: int) -> None:
        texts[number] = reader.parse(f"text {number}".encode(), name="a.pdf").text

    threads = [threading.Thread(target=read, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {number: f"text {number}" for number in range(8)}


def test_a_closed_reader_starts_again_and_leaves_no_process():
    reader = IsolatedReader(LIMITS, parser=HOSTILE)
    worker = int(reader.parse(b"process", name="a.pdf").text)
    reader.close()
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    assert reader.parse(b"again", name="a.pdf").text == "again"
    reader.close()
    reader.close()


def test_passwords_reach_the_parser_and_never_a_message():
    passwords = Passwords({"a.pdf": "s3cret", "*.pdf": "other", "b.pdf": "wrong"})
    with IsolatedReader(LIMITS, parser=HOSTILE, passwords=passwords) as reader:
        assert reader.parse(b"password", name="dir/a.pdf").text == "s3cret,other"
        with pytest.raises(ParseError) as caught:
            reader.parse(b"error", name="dir/a.pdf")
    assert "s3cret" not in str(caught.value)
    assert "***" in str(caught.value)


def test_keys_of_the_caller_are_kept_from_the_worker(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("CLEW_LLM__TOKEN", "t")
    monkeypatch.setenv("CLEW_TEST_KEPT", "1")
    with IsolatedReader(LIMITS, parser=HOSTILE) as reader:
        names = reader.parse(b"environment", name="a.pdf").text.split("\n")
    assert "CLEW_TEST_KEPT" in names
    assert not {"OPENAI_API_KEY", "CLEW_LLM__TOKEN"} & set(names)


def test_a_worker_that_cannot_start_fails_its_file(monkeypatch):
    def refuse(*_arguments: object, **_options: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with IsolatedReader(LIMITS, parser=HOSTILE) as reader:
        monkeypatch.setattr(subprocess, "Popen", refuse)
        assert "cannot be started" in str(failure(reader, "any"))
        monkeypatch.undo()
        assert reader.parse(b"text", name="a.pdf").text == "text"


def test_more_bytes_than_allowed_are_not_sent():
    with IsolatedReader(LIMITS, parser=HOSTILE) as reader:
        with pytest.raises(ParseError) as caught:
            reader.parse(bytes(16 * 2**20 + 1), name="a.pdf")
        assert caught.value.reason == "too-large"


ORPHAN = """
import os, threading, time
from clew.ingest.isolation import process
from clew.ingest.isolation.limits import ParseLimits
from clew.ingest.isolation.process import ParsingWorker
from clew.ingest.isolation.messages import Request
worker = ParsingWorker("tests.ingest.hostile_parsers:parse", ParseLimits())
print(worker._process.pid, flush=True)
worker.ask(Request("a.pdf", None, 100, 1.0), b"loop")
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that ends a process")
@pytest.mark.skip_allowed
def test_a_worker_whose_parent_was_killed_ends_itself():
    parent = subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True)
    with parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    for _ in range(600):
        if not _runs(worker):
            return
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker outlives its parent")


def _runs(process: int) -> bool:
    """Return whether a process runs; a zombie that nobody has collected does not."""
    status = Path(f"/proc/{process}/status")
    if status.exists():
        return "State:\tZ" not in status.read_text(encoding="utf-8")
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
