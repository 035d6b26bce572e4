"""What only shows in a process of its own: imports, pipes, signals, two writers."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from clew.engine.version import VERSION

_REPOSITORY = Path(__file__).resolve().parents[2]
_CHEAP = [sys.executable, "-m", "tests.cli.cheap_models"]


def run(command, *arguments, store, **variables):
    return subprocess.run(
        [*command, *map(str, arguments)],
        cwd=_REPOSITORY,
        env={**os.environ, "CLEW_STORE": str(store), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_and_version_import_nothing_slow(arguments):
    program = (
        "import sys\n"
        f"sys.argv = ['clew', *{arguments!r}]\n"
        "from clew.serve.cli.main import run\n"
        "try:\n"
        "    run()\n"
        "except SystemExit:\n"
        "    slow = {'numpy', 'onnxruntime', 'spacy', 'faiss', 'pydantic', 'scipy'}\n"
        "    print('SLOW', sorted(slow & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=_REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "SLOW []"
    if arguments == ["--version"]:
        assert done.stdout.startswith(f"clew {VERSION}\n")
    else:
        for command in (
            "add",
            "watch",
            "schema",
            "ask",
            "chat",
            "search",
            "path",
            "status",
            "remove",
            "documents",
        ):
            assert command in done.stdout
        assert "130" in done.stdout


def test_importing_clew_imports_nothing_slow():
    program = (
        "import sys, clew\n"
        "print(sorted({'numpy', 'pydantic', 'clew.engine'} & set(sys.modules)))\n"
        "print(clew.__version__, clew.Clew.__name__, clew.ClewError.__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=_REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]", f"{VERSION} Clew ClewError"]


def test_it_is_quiet_in_a_pipe(documents, tmp_path):
    done = run(_CHEAP, "add", documents, store=tmp_path / "kb.clew")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


def test_ctrl_c_leaves_what_was_done_and_says_how_to_go_on(documents, tmp_path):
    store, begun = tmp_path / "kb.clew", tmp_path / "begun"
    child = subprocess.Popen(
        [*_CHEAP, "add", str(documents), "--store", str(store)],
        cwd=_REPOSITORY,
        env={**os.environ, "CLEW_TEST_STALL": str(begun)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts what runs in its background with interrupts ignored, and that is inherited.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    while not begun.exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    out, error = child.communicate(timeout=60)
    assert child.returncode == 130, error
    assert out == ""
    assert error == f"clew: interrupted; nothing is lost. To go on: clew add --store {store}\n"

    status = json.loads(run(_CHEAP, "status", "--json", store=store).stdout)["status"]
    assert status["pending"] == {"embedded": 2}
    report = json.loads(run(_CHEAP, "add", "--json", store=store).stdout)
    assert [held["outcome"] for held in report["files"]] == ["resumed", "resumed"]
    status = json.loads(run(_CHEAP, "status", "--json", store=store).stdout)["status"]
    assert (status["documents"], status["pending"]) == (2, {})


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_watch_tells_an_event_a_line_and_ends_cleanly(documents, tmp_path, ending):
    store = tmp_path / "kb.clew"
    child = subprocess.Popen(
        [*_CHEAP, "watch", str(documents), "--store", str(store), "--json", "--debounce", "0.05"],
        cwd=_REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    events = [json.loads(child.stdout.readline()) for _ in range(3)]
    assert [event["kind"] for event in events] == ["added", "added", "watching"]
    assert events[2]["counts"] == {"added": 2}
    (documents / "new.md").write_text("Gamma Partners grew.", encoding="utf-8")
    new = json.loads(child.stdout.readline())
    while new["kind"] != "added":
        new = json.loads(child.stdout.readline())
    assert new["source"].endswith("new.md")
    assert len(new["document"]) == 16
    (documents / "beta.txt").unlink()
    gone = json.loads(child.stdout.readline())
    while gone["kind"] != "removed":
        gone = json.loads(child.stdout.readline())
    assert gone["source"].endswith("beta.txt")
    child.send_signal(ending)
    _, error = child.communicate(timeout=60)
    assert (child.returncode, error) == (0, "")
    done = run(_CHEAP, "documents", "--json", store=store)
    found = {each["source"].rpartition("/")[2] for each in json.loads(done.stdout)["documents"]}
    assert found == {"acme.md", "new.md"}


def test_a_folder_that_is_not_there_cannot_be_watched(tmp_path):
    done = run(_CHEAP, "watch", tmp_path / "gone", store=tmp_path / "kb.clew")
    assert done.returncode == 2
    assert "there is no folder" in done.stderr
    assert done.stderr.count("\n") == 1
