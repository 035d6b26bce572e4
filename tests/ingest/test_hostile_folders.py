"""Folders that hold more than files: links, pipes, sockets, devices, odd names, missing rights."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.core.errors import ParseError
from clew.core.jobs import FileOutcome
from clew.ingest.reading import read_file, source_name
from clew.ingest.sources import SourceFailure, SourceItem, read_sources

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes, sockets and links of POSIX")

NOBODY = 65534


def outcomes(folder: Path, *, follow_links: bool = False) -> dict[str, str]:
    """Return the text or the reason of each source by its path within the folder."""
    found: dict[str, str] = {}
    for item in read_sources(folder, follow_links=follow_links):
        read = item.read() if isinstance(item, SourceItem) else item
        said = read.reason if isinstance(read, SourceFailure) else read.parsed.text
        name = os.path.relpath(item.source, folder.resolve())
        assert name not in found
        found[name] = said
    return found


@contextmanager
def without_rights(folder: Path) -> Iterator[None]:
    """Be nobody for a while, if this is root, for whom nothing is forbidden."""
    if os.geteuid() != 0:
        yield
        return
    for each in (folder, *folder.rglob("*")):
        os.chown(each, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anybody can reach, which the folders of pytest are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        yield folder
        for each in (folder, *folder.rglob("*")):
            each.chmod(0o755)


def test_pipes_sockets_and_devices_are_named_and_never_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s.txt"))
        (tmp_path / "null.txt").symlink_to("/dev/null")
        (tmp_path / "a.txt").write_text("text", encoding="utf-8")
        assert outcomes(tmp_path) == {
            "a.txt": "text",
            "null.txt": "outside-link",
            "pipe.txt": "not-a-file",
            "s.txt": "not-a-file",
        }
        assert outcomes(tmp_path, follow_links=True)["null.txt"] == "not-a-file"
        for name in ("pipe.txt", "s.txt", "pipe.jsonl"):
            if name.endswith(".jsonl"):
                os.mkfifo(tmp_path / name)
            (failed,) = read_sources(tmp_path / name)
            assert isinstance(failed, SourceFailure)
            assert (failed.reason, failed.outcome) == ("not-a-file", FileOutcome.FAILED)


def test_a_pipe_that_takes_the_place_of_a_file_is_not_read(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("text", encoding="utf-8")
    (item,) = read_sources(tmp_path)
    path.unlink()
    os.mkfifo(path)
    assert isinstance(item, SourceItem)
    failed = item.read()
    assert isinstance(failed, SourceFailure)
    assert failed.reason == "not-a-file"


def test_links_out_of_the_folder_are_followed_only_if_asked(tmp_path):
    outside = tmp_path / "outside"
    folder = tmp_path / "folder"
    for each in (outside, folder, folder / "sub"):
        each.mkdir()
    (outside / "far.txt").write_text("far", encoding="utf-8")
    (outside / "near.txt").write_text("near", encoding="utf-8")
    (folder / "link.txt").symlink_to(outside / "far.txt")
    (folder / "folder-link").symlink_to(outside)
    (folder / "sub" / "circle").symlink_to(folder)
    (folder / "broken.txt").symlink_to(outside / "none.txt")
    (folder / "itself.txt").symlink_to(folder / "itself.txt")
    kept = {"broken.txt": "broken-link", "itself.txt": "broken-link"}
    assert outcomes(folder) == {
        **kept,
        "folder-link": "folder-link",
        "link.txt": "outside-link",
        "sub/circle": "folder-link",
    }
    assert outcomes(folder, follow_links=True) == {
        **kept,
        "../outside/far.txt": "far",
        "../outside/near.txt": "near",
        "link.txt": "duplicate",
        "sub/circle": "duplicate",
    }


def test_a_link_that_takes_the_place_of_a_file_is_not_followed(tmp_path):
    path, secret = tmp_path / "a.txt", tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    path.symlink_to(secret)
    with pytest.raises(ParseError) as caught:
        read_file(path, name="a.txt", limit=100)
    assert caught.value.reason == "not-a-file"


def test_files_and_folders_without_rights_fail_and_the_rest_is_read(open_folder):
    for name in ("closed", "listed", "open"):
        (open_folder / name).mkdir()
        (open_folder / name / "a.txt").write_text("text", encoding="utf-8")
    (open_folder / "b.txt").write_text("text", encoding="utf-8")
    with without_rights(open_folder):
        (open_folder / "b.txt").chmod(0)
        (open_folder / "closed").chmod(0)
        (open_folder / "listed").chmod(stat.S_IRUSR)
        found = outcomes(open_folder)
    assert found == {
        "b.txt": "unreadable",
        "closed": "unreadable",
        "listed": "unreadable",
        "open/a.txt": "text",
    }


def test_what_cannot_be_read_has_failed(open_folder):
    (open_folder / "closed").mkdir()
    with without_rights(open_folder):
        (open_folder / "closed").chmod(0)
        (failed,) = read_sources(open_folder)
    assert isinstance(failed, SourceFailure)
    assert failed.outcome is FileOutcome.FAILED


def test_a_file_that_is_written_to_meanwhile_is_not_half_read(tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(b"line\n")
    stop = threading.Event()

    def write() -> None:
        with path.open("ab", buffering=0) as file:
            while not stop.is_set():
                file.write(b"line\n" * 1000)
                if file.tell() > 2**24:
                    file.truncate(0)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        reasons = set()
        for _ in range(50):
            try:
                data = read_file(path, name="a.log", limit=2**26)
                assert set(data.splitlines()) <= {b"line", b""}
            except ParseError as error:
                reasons.add(error.reason)
    finally:
        stop.set()
        writer.join()
    assert reasons <= {"changed"}


def test_a_change_between_two_looks_is_seen(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old text")
    real, calls = os.fstat, []

    def grows(descriptor: int) -> os.stat_result:
        """Look, and let the file grow after every first look."""
        seen = real(descriptor)
        calls.append(seen)
        if len(calls) % 2 == 1:
            with path.open("ab") as file:
                file.write(b"!")
        return seen

    monkeypatch.setattr("clew.ingest.reading.os.fstat", grows)
    with pytest.raises(ParseError) as caught:
        read_file(path, name="a.txt", limit=100)
    assert caught.value.reason == "changed"
    assert len(calls) == 4
    monkeypatch.undo()
    assert read_file(path, name="a.txt", limit=100) == b"old text!!"


def test_long_names_and_deep_folders(tmp_path):
    longest = "n" * 251 + ".txt"
    (tmp_path / longest).write_text("long name", encoding="utf-8")
    here = os.open(tmp_path, os.O_RDONLY)
    deep = here
    for _ in range(30):
        os.mkdir("d" * 250, dir_fd=deep)
        deeper = os.open("d" * 250, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = deeper
    written = os.open("deep.txt", os.O_WRONLY | os.O_CREAT, dir_fd=deep)
    os.close(written)
    os.close(deep)
    found = outcomes(tmp_path)
    assert found.pop(longest) == "long name"
    assert list(found.values()) == ["unreadable"]


def test_a_name_that_is_not_utf_8_is_written_with_escapes(tmp_path):
    odd = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(odd)).write_text("coffee", encoding="utf-8")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff.xyz")).write_bytes(b"1")
    assert outcomes(tmp_path) == {"b\\xff.xyz": "unsupported", "caf\\xe9.txt": "coffee"}
    assert source_name(Path("/a/ünï.txt")) == "/a/ünï.txt"


def test_an_empty_file_is_named(tmp_path):
    for name in ("a.txt", "b.pdf", "c.docx", "d.html", "e.md"):
        (tmp_path / name).touch()
    assert set(outcomes(tmp_path).values()) == {"empty"}


def test_a_file_beyond_the_limit_is_not_read(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 11)
    assert read_file(path, name="a.txt", limit=11) == b"x" * 11
    with pytest.raises(ParseError) as caught:
        read_file(path, name="a.txt", limit=10)
    assert caught.value.reason == "too-large"
