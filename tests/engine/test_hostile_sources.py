"""`Clew.add` on what people have: failures are named, the rest is indexed, passwords stay secret."""

from __future__ import annotations

import io
import os
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from clew.core.errors import IngestError
from clew.core.jobs import FileOutcome, IngestReport
from clew.ingest.isolation import reader
from clew.ingest.isolation.reader import IsolatedReader
from clew.settings.model import IngestSettings, Settings
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import open_clew

SECRET = "open-sesame-48151623"


def pdf(*pages: str, password: str | None = None) -> bytes:
    """Return a PDF with a line on each page; "image" is a page that holds an image alone."""
    buffer = io.BytesIO()
    lock = StandardEncryption(password, canPrint=1) if password else None
    canvas = Canvas(buffer, encrypt=lock)
    for page in pages:
        if page == "image":
            canvas.drawInlineImage(Image.new("RGB", (8, 8), "black"), 72, 72, 300, 300)
        else:
            canvas.drawString(72, 700, page)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def by_name(report: IngestReport) -> dict[str, tuple[FileOutcome, str | None]]:
    return {Path(file.source).name: (file.outcome, file.code) for file in report.files}


@pytest.fixture(params=["memory", "embedded"])
def store(request, tmp_path):
    opened = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "kb.clew")
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "docs"
    made.mkdir()
    (made / "a.pdf").write_bytes(pdf("Acme Corp acquired Beta Labs."))
    (made / "b.pdf").write_bytes(pdf("Beta Labs supplies Gamma.", password=SECRET))
    (made / "c.pdf").write_bytes(b"%PDF-1.4 nothing")
    (made / "d.pdf").write_bytes(pdf("image", "image", "image"))
    (made / "e.pdf").write_bytes(pdf("Delta Works leads.", "image", "image", "image", "", "image"))
    (made / "f.txt").touch()
    (made / "g.txt").write_text("Gamma Partners sued Acme Corp.", encoding="utf-8")
    os.mkfifo(made / "h.txt")
    return made


def test_every_file_ends_with_one_outcome_and_the_rest_is_indexed(store, folder):
    with open_clew(store) as clew:
        report = clew.add(folder)
        assert by_name(report) == {
            "a.pdf": (FileOutcome.ADDED, None),
            "b.pdf": (FileOutcome.FAILED, "password"),
            "c.pdf": (FileOutcome.FAILED, "damaged"),
            "d.pdf": (FileOutcome.FAILED, "no-text-layer"),
            "e.pdf": (FileOutcome.ADDED, None),
            "f.txt": (FileOutcome.FAILED, "empty"),
            "g.txt": (FileOutcome.ADDED, None),
            "h.txt": (FileOutcome.SKIPPED, "not-a-file"),
        }
        assert len(report.failed) == 4
        assert all(file.reason and "\n" not in file.reason for file in report.failed)
        assert {Path(held.source).name for held in clew.documents()} == {"a.pdf", "e.pdf", "g.txt"}
        assert {file.outcome for file in clew.add(folder / "a.pdf").files} == {
            FileOutcome.UNCHANGED
        }


def test_pages_without_text_are_named(folder):
    with open_clew(MemoryStore()) as clew:
        (whole,) = clew.add(folder / "d.pdf").files
        (part,) = clew.add(folder / "e.pdf").files
    assert whole.reason is not None
    assert "pages 1-3 are images without a text layer" in whole.reason
    assert part.warnings == (
        "pages 2-4, 6 are images without a text layer",
        "page 5 is blank",
    )


@pytest.mark.parametrize("key", ["b.pdf", "*.pdf", "docs/*.pdf", "b.*", None])
def test_a_password_opens_its_file(folder, key):
    with open_clew(MemoryStore()) as clew:
        given = {key or str(folder / "b.pdf"): SECRET}
        (opened,) = clew.add(folder / "b.pdf", passwords=given).files
        assert opened.outcome is FileOutcome.ADDED
        assert "supplies Gamma" in clew.documents()[0].text


@pytest.mark.parametrize("given", [None, {}, {"b.pdf": "wrong"}, {"a.pdf": SECRET}, {"b": SECRET}])
def test_without_the_right_password_the_file_fails(folder, given):
    with open_clew(MemoryStore()) as clew:
        (failed,) = clew.add(folder / "b.pdf", passwords=given).files
    assert (failed.outcome, failed.code) == (FileOutcome.FAILED, "password")
    assert SECRET not in str(failed)


def test_the_right_one_of_several_passwords_is_found(folder):
    given = {"b.pdf": "wrong", "*.pdf": SECRET, "*": "other"}
    with open_clew(MemoryStore()) as clew:
        (opened,) = clew.add(folder / "b.pdf", passwords=given).files
    assert opened.outcome is FileOutcome.ADDED


def test_a_password_is_stored_nowhere(folder, tmp_path):
    store = EmbeddedStore(tmp_path / "kb.clew")
    with closing(store), open_clew(store) as clew:
        report = clew.add(folder, passwords={"b.pdf": SECRET})
        assert by_name(report)["b.pdf"] == (FileOutcome.ADDED, None)
        assert SECRET not in repr(report)
    files = [file for file in (tmp_path / "kb.clew").rglob("*") if file.is_file()]
    assert files
    assert all(SECRET.encode() not in file.read_bytes() for file in files)


def test_a_password_that_is_no_text_is_refused_without_showing_it():
    with open_clew(MemoryStore()) as clew:
        with pytest.raises(IngestError, match=r"password for 'a.pdf' is a int") as caught:
            clew.add({"text": "x"}, passwords={"a.pdf": 48151623})  # type: ignore[dict-item]
        assert "48151623" not in str(caught.value)
        with pytest.raises(IngestError, match="give a path, file name or glob"):
            clew.add({"text": "x"}, passwords={" ": SECRET})


def test_a_parser_that_dies_takes_nothing_along(store, tmp_path, monkeypatch):
    hostile = "tests.ingest.hostile_parsers:parse"
    monkeypatch.setattr(
        reader,
        "IsolatedReader",
        lambda limits, **options: IsolatedReader(limits, parser=hostile, **options),
    )
    deeds = ["Acme Corp sued.", "segfault", "exit", "kill", "loop", "balloon", "Beta Labs won."]
    for number, deed in enumerate(deeds):
        (tmp_path / f"{number}.pdf").write_text(deed, encoding="utf-8")
    limits = IngestSettings(parse_seconds=2, parse_megabytes=256)
    with open_clew(store, settings=Settings(ingest=limits)) as clew:
        report = clew.add(*(tmp_path / f"{number}.pdf" for number in range(len(deeds))))
        assert [file.code for file in report.files] == [
            None,
            "crashed",
            "crashed",
            "crashed",
            "timeout",
            "memory",
            None,
        ]
        assert [held.text for held in clew.documents()] == ["Acme Corp sued.", "Beta Labs won."]


def test_records_and_questions_start_no_worker(monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    with open_clew(MemoryStore()) as clew:
        clew.add([{"id": f"r{number}", "text": f"Acme Corp {number}."} for number in range(50)])
        assert len(clew.documents()) == 50
        clew.ask("What is Acme Corp?")


def test_odd_names_can_be_stored_found_and_removed(store, tmp_path):
    folder = tmp_path / "odd"
    folder.mkdir()
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt")).write_text("Coffee.", encoding="utf-8")
    with open_clew(store) as clew:
        odd = {
            "source": "lone \ud800",
            "text": "half \ud800 pair",
            "title": "a\ud800",
            "authors": ["b\ud800"],
            "metadata": {"c\ud800": "d\ud800", "e": ["f\ud800"]},
            "acl": ["g\ud800"],
        }
        report = clew.add(folder, odd)
        assert [file.outcome for file in report.files] == [FileOutcome.ADDED] * 2
        for held in clew.documents():
            held.source.encode("utf-8")
            assert clew.remove(held.source).removed["documents"] == 1


def test_links_are_followed_by_setting(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "far.txt").write_text("Far away.", encoding="utf-8")
    (tmp_path / "docs" / "link.txt").symlink_to(tmp_path / "far.txt")
    with open_clew(MemoryStore()) as clew:
        assert by_name(clew.add(tmp_path / "docs")) == {
            "link.txt": (FileOutcome.SKIPPED, "outside-link")
        }
    asked = Settings(ingest=IngestSettings(follow_links=True))
    with open_clew(MemoryStore(), settings=asked) as clew:
        assert by_name(clew.add(tmp_path / "docs")) == {"far.txt": (FileOutcome.ADDED, None)}
