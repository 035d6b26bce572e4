"""Groups of changes: what counts as one, and how a watch ends."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from watchfiles import Change

from clew.core.errors import IngestError
from clew.ingest import watching
from clew.ingest.watching import following


def pretend(monkeypatch, *groups, error=None):
    """Let the operating system report these groups, one after the other, and then fail."""

    def watch(*folders, watch_filter, stop_event, **options):
        yield set()
        for group in groups:
            yield {(kind, path) for kind, path in group if watch_filter(kind, path)}
        if error is not None:
            raise error
        stop_event.wait()

    monkeypatch.setattr(watching, "watch", watch)


def collect(next_group, wanted):
    """Return all that came until `wanted` was among it."""
    found: frozenset[Path] = frozenset()
    while wanted not in found:
        found |= next_group()
    return found


def test_what_counts(monkeypatch, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "kb.clew").mkdir()
    (tmp_path / "kb.clew" / "clew.db").write_text("x")
    names = ("a.md", ".h.md", ".git/x.md", ".clewignore", "sub/.clewignore", "kb.clew/x.md")
    group = [(Change.added, str(tmp_path / name)) for name in names]
    group += [(Change.modified, str(tmp_path / "sub")), (Change.added, str(tmp_path.parent / "x"))]
    pretend(monkeypatch, group, [(Change.deleted, str(tmp_path / "last.md"))])
    with following([tmp_path], debounce=0.05, stop=threading.Event()) as next_group:
        found = collect(next_group, tmp_path / "last.md")
    assert {path.relative_to(tmp_path).as_posix() for path in found} == {
        "a.md",
        ".clewignore",
        "sub/.clewignore",
        "last.md",
    }


def test_a_stopped_watch_gives_nothing(monkeypatch, tmp_path):
    pretend(monkeypatch, [(Change.added, str(tmp_path / "a.md"))])
    stop = threading.Event()
    stop.set()
    with following([tmp_path], debounce=0.05, stop=stop) as next_group:
        assert next_group() == frozenset()


def test_an_error_of_the_system_ends_the_watch(monkeypatch, tmp_path):
    pretend(monkeypatch, [(Change.added, str(tmp_path / "a.md"))], error=OSError("limit reached"))
    with (
        following([tmp_path], debounce=0.05, stop=threading.Event()) as next_group,
        pytest.raises(IngestError, match="cannot be watched any longer: limit reached"),
    ):
        collect(next_group, None)


def test_folders_that_cannot_be_watched_are_an_error_at_once(monkeypatch, tmp_path):
    def watch(*folders, **options):
        raise OSError("too many files")

    monkeypatch.setattr(watching, "watch", watch)
    with (
        pytest.raises(IngestError, match="cannot be watched any longer: too many files"),
        following([tmp_path], debounce=0.05, stop=threading.Event()),
    ):
        pass
