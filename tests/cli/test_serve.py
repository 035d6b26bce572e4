"""`clew serve` and `clew keys` in processes of their own."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from clew.serve.access.api_key import Right, digest_of
from clew.serve.access.key_file import KeyFile, key_file_of

_REPOSITORY = Path(__file__).resolve().parents[2]
_CHEAP = [sys.executable, "-m", "tests.cli.cheap_models"]


def start(store, *arguments):
    return subprocess.Popen(
        [*_CHEAP, "serve", "--store", str(store), "--port", "0", *arguments],
        cwd=_REPOSITORY,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def address_of(child):
    line = child.stderr.readline()
    found = re.fullmatch(r"clew: listening on (http://\S+)\n", line)
    assert found, line
    return found[1]


def wait_until_ready(address):
    end = time.monotonic() + 60
    while True:
        try:
            return httpx.get(f"{address}/readyz").raise_for_status()
        except httpx.TransportError:
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_this_machine_and_ends_cleanly(tmp_path, ending):
    child = start(tmp_path / "kb.clew")
    try:
        address = address_of(child)
        assert address.startswith("http://127.0.0.1:")
        wait_until_ready(address)
        assert httpx.post(f"{address}/v1/collections", json={"name": "a"}).status_code == 201
        document = {"source": "s", "text": "Ada Moreau leads Acme Corp."}
        added = httpx.post(f"{address}/v1/a/documents", json={"documents": [document]}, timeout=60)
        assert added.json()["files"][0]["outcome"] == "added"
        question = {"question": "Who leads Acme Corp?"}
        answered = httpx.post(f"{address}/v1/a/query", json=question, timeout=60)
        assert "Ada Moreau" in answered.json()["answer"]
    finally:
        child.send_signal(ending)
        out, errors = child.communicate(timeout=60)
    assert out == ""
    assert child.returncode == 0, errors
    lines = [json.loads(line) for line in errors.splitlines()]
    assert [line["route"] for line in lines if line["message"] == "request"][-1] == (
        "/v1/{collection}/query"
    )
    assert "Ada" not in errors
    assert not any("trace" in line for line in lines)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org"])
def test_a_public_address_is_refused_without_keys(tmp_path, host):
    child = start(tmp_path / "kb.clew", "--host", host)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 2
    assert re.fullmatch(r"clew: \S+ can be reached .* clew keys add .*\n", errors)
    assert not (tmp_path / "kb.clew").exists()


def test_a_public_address_with_keys_lets_in_who_has_one(tmp_path):
    store = tmp_path / "kb.clew"
    _, secret = KeyFile(key_file_of(store)).add("test", rights=[Right.READ])
    child = start(store, "--host", "0.0.0.0")
    try:
        address = address_of(child).replace("0.0.0.0", "127.0.0.1")
        wait_until_ready(address)
        assert httpx.get(f"{address}/v1/collections").status_code == 401
        bearer = {"Authorization": f"Bearer {secret}"}
        assert httpx.get(f"{address}/v1/collections", headers=bearer).json() == {"collections": []}
    finally:
        child.send_signal(signal.SIGTERM)
        _, errors = child.communicate(timeout=60)
    assert secret not in errors


def test_a_port_that_is_taken_is_told_in_one_line(tmp_path):
    first = start(tmp_path / "kb.clew")
    try:
        port = address_of(first).rpartition(":")[2]
        second = start(tmp_path / "kb.clew", "--port", port)
        _, errors = second.communicate(timeout=60)
        assert second.returncode == 2
        assert errors.count("\n") == 1
        assert "cannot listen on 127.0.0.1" in errors
    finally:
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=60)


def test_keys_are_made_listed_and_removed(clew):
    made = clew.json(
        "keys", "add", "reader", "--right", "read", "--right", "write", "--collection", "a",
        "--group", "staff",
    )  # fmt: skip
    secret, key = made["secret"], made["key"]
    assert re.fullmatch(r"clew_[\w-]{43}", secret)
    assert (key["rights"], key["collections"], key["groups"]) == (
        ["read", "write"],
        ["a"],
        ["staff"],
    )
    assert clew.json("keys", "list")["keys"] == [key]
    file = clew.folder / "kb.keys.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    text = file.read_text(encoding="utf-8")
    assert secret not in text
    assert digest_of(secret) in text
    found = KeyFile(file).find(secret)
    assert found is not None
    assert found.principal.groups == frozenset({"staff"})
    assert KeyFile(file).find(secret[:-1]) is None
    assert key["id"] in clew("keys", "remove", key["id"]).stdout
    assert clew.json("keys", "list")["keys"] == []
    assert "clew keys list" in clew("keys", "remove", key["id"], code=2).stderr


def test_a_key_without_scope_reads_everything(clew):
    plain = clew("keys", "add", "all").stdout.splitlines()
    assert plain[0].endswith("read  all collections  all groups")
    found = KeyFile(clew.folder / "kb.keys.json").find(plain[1])
    assert found is not None
    assert found.may(Right.READ, "any")
    assert found.may(Right.READ, None)
    assert not found.may(Right.WRITE, "any")
    assert found.principal.groups is None


def test_a_damaged_key_file_is_named(clew):
    (clew.folder / "kb.keys.json").write_text('{"format": 1, "keys": [{}]}', encoding="utf-8")
    assert "kb.keys.json" in clew("keys", "list", code=2).stderr
