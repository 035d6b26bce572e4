"""A watched folder: what is there is added, and what happens to it afterwards is followed."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from clew.core.errors import IngestError
from clew.core.watching import WatchEventKind
from clew.engine.async_clew import AsyncClew
from clew.engine.watching import file_of, folders_of, wanted_of
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import open_clew
from tests.engine.watched import watching

ADDED, UPDATED, REMOVED, FAILED = (
    WatchEventKind.ADDED,
    WatchEventKind.UPDATED,
    WatchEventKind.REMOVED,
    WatchEventKind.FAILED,
)


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "docs"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("Acme Corp sued Beta Labs.")
    (root / "sub" / "b.md").write_text("Beta Labs paid.")
    return root


@pytest.fixture
def clew(tmp_path):
    store = EmbeddedStore(tmp_path / "kb.clew")
    yield open_clew(store)
    store.close()


def sources(clew, root):
    return [Path(held.source).relative_to(root).as_posix() for held in clew.documents()]


def test_creations_changes_and_deletions_are_followed(clew, folder):
    with watching(clew, folder) as watched:
        assert watched.kinds("a.md") == ["added"]
        assert watched.kinds("docs") == ["watching"]
        assert watched.events[-1].counts == {"added": 2}
        (folder / "c.md").write_text("Gamma Partners grew.")
        watched.wait_for(ADDED, "c.md")
        (folder / "a.md").write_text("Acme Corp won.")
        watched.wait_for(UPDATED, "a.md")
        (folder / "sub" / "b.md").unlink()
        watched.wait_for(REMOVED, "b.md")
        (folder / "c.md").rename(folder / "d.md")
        watched.wait_for(REMOVED, "c.md")
        watched.wait_for(ADDED, "d.md")
    assert sources(clew, folder) == ["a.md", "d.md"]
    assert clew.documents()[0].text == "Acme Corp won."
    assert clew.search("Beta Labs paid", mode="keyword").results == ()


def test_whole_folders_come_and_go(clew, folder, tmp_path):
    new = tmp_path / "new"
    (new / "deep").mkdir(parents=True)
    (new / "deep" / "x.md").write_text("Xenon Mine opened.")
    with watching(clew, folder) as watched:
        new.rename(folder / "new")
        watched.wait_for(ADDED, "x.md")
        (folder / "sub").rename(tmp_path / "elsewhere")
        watched.wait_for(REMOVED, "b.md")
    assert sources(clew, folder) == ["a.md", "new/deep/x.md"]


def test_a_file_that_fails_does_not_end_the_watch_and_may_be_mended(clew, folder):
    with watching(clew, folder) as watched:
        (folder / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
        watched.wait_for(FAILED, "bad.pdf")
        (failed,) = [event for event in watched.events if event.kind is FAILED]
        assert "damaged" in (failed.reason or "")
        (folder / "c.md").write_text("Gamma Partners grew.")
        watched.wait_for(ADDED, "c.md")
        (folder / "bad.pdf").write_bytes(b"# A heading\n\nNow it is text.")
        watched.wait_for(FAILED, "bad.pdf", count=2)
        (folder / "bad.pdf").unlink()
        (folder / "e.md").write_text("Epsilon Trust fell.")
        watched.wait_for(ADDED, "e.md")
    assert sources(clew, folder) == ["a.md", "c.md", "e.md", "sub/b.md"]


def test_without_removal_documents_outlive_their_files(clew, folder):
    with watching(clew, folder, remove=False) as watched:
        (folder / "a.md").unlink()
        (folder / "c.md").write_text("Gamma Partners grew.")
        watched.wait_for(ADDED, "c.md")
    assert sources(clew, folder) == ["a.md", "c.md", "sub/b.md"]


def test_what_went_while_nobody_watched_leaves_and_what_is_elsewhere_stays(clew, folder):
    clew.add(folder, {"source": "elsewhere", "text": "Zeta Works closed."})
    (folder / "a.md").unlink()
    with watching(clew, folder) as watched:
        assert watched.kinds("a.md") == ["removed"]
    assert {held.source for held in clew.documents()} == {
        "elsewhere",
        (folder / "sub" / "b.md").as_posix(),
    }


def test_an_empty_folder_at_the_start_does_not_empty_the_index(clew, folder, tmp_path):
    clew.add(folder)
    folder.rename(tmp_path / "unmounted")
    folder.mkdir()
    with watching(clew, folder) as watched:
        (kept,) = [event for event in watched.events if event.kind is WatchEventKind.KEPT]
        assert "2 documents are kept" in (kept.reason or "")
    assert sources(clew, folder) == ["a.md", "sub/b.md"]


def test_a_folder_that_goes_away_ends_the_watch_and_takes_nothing_along(clew, folder, tmp_path):
    with watching(clew, folder) as watched:
        folder.rename(tmp_path / "gone")
        watched.stop.wait(0)
        while watched.error is None:
            watched.stop.wait(0.02)
    assert isinstance(watched.error, IngestError)
    assert "there is no folder" in str(watched.error)
    assert sources(clew, folder) == ["a.md", "sub/b.md"]


def test_patterns_hidden_files_and_stores_are_passed_over(clew, folder):
    (folder / ".clewignore").write_text("*.tmp.md\n")
    with watching(clew, folder, exclude="drafts/") as watched:
        for name in ("x.tmp.md", "drafts/y.md", ".git/z.md", "kb.clew/clew.db", "kb.clew/w.md"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("Never Read Inc spoke.")
        (folder / "c.md").write_text("Gamma Partners grew.")
        watched.wait_for(ADDED, "c.md")
        (folder / ".clewignore").write_text("")
        watched.wait_for(ADDED, "x.tmp.md")
    assert sources(clew, folder) == ["a.md", "c.md", "sub/b.md", "x.tmp.md"]


def test_a_document_that_was_removed_by_hand_is_not_missed(clew, folder):
    with watching(clew, folder) as watched:
        clew.remove((folder / "a.md").as_posix())
        (folder / "a.md").unlink()
        (folder / "c.md").write_text("Gamma Partners grew.")
        watched.wait_for(ADDED, "c.md")
        assert "removed" not in watched.kinds("a.md")


def test_records_that_leave_a_file_leave_the_index(clew, folder):
    records = folder / "r.jsonl"
    records.write_text('{"id": 1, "text": "One Corp."}\n{"id": 2, "text": "Two Corp."}\n')
    with watching(clew, folder) as watched:
        records.write_text('{"id": 2, "text": "Two Corp."}\n')
        watched.wait_for(REMOVED, "r.jsonl#1")
        records.write_text("{broken\n")
        watched.wait_for(FAILED, "r.jsonl:1")
        assert "r.jsonl#2" in sources(clew, folder)
        records.unlink()
        watched.wait_for(REMOVED, "r.jsonl#2")
    assert sources(clew, folder) == ["a.md", "sub/b.md"]


def test_what_is_said_of_all_sources_holds_for_later_ones_too(clew, folder):
    with watching(clew, folder, acl=["board"], metadata={"year": 2024}) as watched:
        (folder / "c.md").write_text("Gamma Partners grew.")
        watched.wait_for(ADDED, "c.md")
    assert {held.acl for held in clew.documents()} == {frozenset({"board"})}
    assert all(held.metadata == {"year": 2024} for held in clew.documents())


def test_a_second_watch_finds_all_unchanged(clew, folder):
    with watching(clew, folder):
        pass
    with watching(clew, folder) as watched:
        assert [event.kind for event in watched.events] == [WatchEventKind.WATCHING]
        assert watched.events[0].counts == {"unchanged": 2}


def test_it_stops_before_anything_is_added_where_it_was_stopped_before(folder):
    clew = open_clew(MemoryStore())
    stop = threading.Event()
    stop.set()
    clew.watch(folder, stop=stop)
    assert clew.documents() == ()


@pytest.mark.parametrize(
    ("folders", "options", "message"),
    [
        ((), {}, "no folder"),
        (("nowhere",), {}, "there is no folder"),
        ((".",), {"debounce": 0}, "debounce is 0"),
        ((".",), {"exclude": "!"}, "no pattern"),
        ((".",), {"authority": 2}, "authority is 2"),
    ],
)
def test_malformed_watches_are_refused(folders, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IngestError, match=message):
        open_clew(MemoryStore()).watch(*folders, **options)


def test_folders_within_folders_go_with_them(folder, tmp_path):
    assert folders_of([folder / "sub", folder, str(folder)]) == (folder,)
    assert set(folders_of([folder / "sub", tmp_path])) == {tmp_path}


@pytest.mark.parametrize(
    ("source", "file"),
    [
        ("/x/a.md", "/x/a.md"),
        ("/x/a#b.md", "/x/a#b.md"),
        ("/x/r.jsonl#7", "/x/r.jsonl"),
        ("/x/r.jsonl.gz#a#b", "/x/r.jsonl.gz"),
        ("/x/a.jsonl#b.jsonl#c", "/x/a.jsonl#b.jsonl"),
    ],
)
def test_the_file_behind_a_source(source, file):
    assert file_of(source) == Path(file)


def test_wanted_is_what_was_touched_what_lies_in_it_and_what_leads_there():
    wanted = wanted_of({Path("/r/a/b")})
    assert all(map(wanted, map(Path, ("/r", "/r/a", "/r/a/b", "/r/a/b/c/d"))))
    assert not any(map(wanted, map(Path, ("/r/x", "/r/a/c", "/q"))))


@pytest.mark.asyncio
async def test_a_cancelled_watch_stops(folder):
    clew = AsyncClew(open_clew(MemoryStore()))
    begun, stop = threading.Event(), threading.Event()
    task = asyncio.create_task(
        clew.watch(folder, on_event=lambda _: begun.set(), stop=stop, debounce=0.05)
    )
    while not begun.is_set():
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stop.is_set()
    assert len(await clew.documents()) == 2
