"""Turning what a caller passes into items; whatever is left out is named."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from clew.core.errors import IngestError
from clew.core.jobs import FileOutcome
from clew.ingest.record_mapping import FieldMapping
from clew.ingest.sources import LoadedSource, SourceFailure, SourceItem, read_sources


def results_of(given, **options) -> list[LoadedSource | SourceFailure]:
    items = read_sources(given, **options)
    return [item.read() if isinstance(item, SourceItem) else item for item in items]


def loaded(given, **options) -> list[LoadedSource]:
    results = results_of(given, **options)
    good = [result for result in results if isinstance(result, LoadedSource)]
    assert good == results
    return good


def failures(given) -> list[SourceFailure]:
    return [result for result in results_of(given) if isinstance(result, SourceFailure)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    (root / "sub").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "c.txt").write_text("hidden")
    (root / "b.md").write_text("# B\n\ntext b")
    (root / "a.txt").write_text("text a")
    (root / "sub" / "c.txt").write_text("text c")
    (root / "image.png").write_bytes(b"x")
    return root


def test_a_folder_gives_its_files_sorted_and_names_what_it_skips(folder):
    items = list(read_sources(folder))
    assert [Path(item.source).name for item in items] == [
        ".git",
        "a.txt",
        "b.md",
        "image.png",
        "c.txt",
    ]
    skipped = [item for item in items if isinstance(item, SourceFailure)]
    assert [(item.reason, item.outcome) for item in skipped] == [
        ("hidden", FileOutcome.SKIPPED),
        ("unsupported", FileOutcome.SKIPPED),
    ]
    texts = [item.load().parsed.text for item in items if isinstance(item, SourceItem)]
    assert texts == ["text a", "# B\n\ntext b", "text c"]


def test_a_source_is_the_same_from_any_working_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    from_parent = [item.source for item in read_sources("./docs")]
    monkeypatch.chdir(folder)
    assert [item.source for item in read_sources(Path())] == from_parent
    assert from_parent[1] == (folder / "a.txt").resolve().as_posix()


def test_links_are_followed_inside_and_named_otherwise(folder, tmp_path):
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    links = {
        "l1.txt": outside,
        "l2.txt": folder / ".git" / "c.txt",
        "l3.txt": folder / "a.txt",
        "l4.txt": folder / "nowhere.txt",
        "l5": folder,
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.txt")
    found = list(read_sources(folder))
    reasons = {
        Path(item.source).name: item.reason for item in found if isinstance(item, SourceFailure)
    }
    assert reasons == {
        ".git": "hidden",
        "image.png": "unsupported",
        "l1.txt": "outside-link",
        "l3.txt": "duplicate",
        "l4.txt": "broken-link",
        "l5": "folder-link",
        "pipe.txt": "not-a-file",
    }
    texts = [item.load().parsed.text for item in found if isinstance(item, SourceItem)]
    assert texts == ["text a", "# B\n\ntext b", "hidden", "text c"]


def test_one_bad_file_does_not_stop_the_others(folder):
    (folder / "b.pdf").write_bytes(b"%PDF-1.4 broken")
    (folder / "empty.txt").write_text("")
    failed = [each for each in failures(folder) if each.outcome is FileOutcome.FAILED]
    assert [(Path(each.source).name, each.reason) for each in failed] == [
        ("b.pdf", "damaged"),
        ("empty.txt", "empty"),
    ]


def test_a_named_file_of_unknown_kind_fails(folder):
    (failed,) = failures(folder / "image.png")
    assert (failed.reason, failed.outcome) == ("unsupported", FileOutcome.FAILED)


def test_a_file_that_goes_away_has_vanished(folder):
    (item,) = read_sources(folder / "a.txt")
    (folder / "a.txt").unlink()
    assert isinstance(item, SourceItem)
    failure = item.read()
    assert isinstance(failure, SourceFailure)
    assert failure.reason == "vanished"


def test_a_string_is_a_text_unless_it_names_a_file(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert loaded("a.txt")[0].parsed.text == "text a"
    (text,) = loaded("Acme makes tubes. It is in Oslo/Norway.")
    assert text.parsed.text == "Acme makes tubes. It is in Oslo/Norway."
    assert text.source.startswith("text:")
    assert text.fields.title == "Acme makes tubes. It is in Oslo/Norway."
    assert loaded("Acme makes tubes. It is in Oslo/Norway.")[0].source == text.source
    assert loaded("x" * 5000)[0].parsed.text == "x" * 5000


@pytest.mark.parametrize(
    "name", ["gone.txt", "no such file.pdf", "some/folder", "records.jsonl.gz", "a\\b"]
)
def test_a_string_that_looks_like_a_path_must_exist(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IngestError, match="no such file"):
        read_sources(name)


def test_a_missing_path_is_an_error_before_anything_is_read(folder):
    with pytest.raises(IngestError, match="no such file"):
        read_sources([folder, Path("/no/such/place")])


@pytest.mark.parametrize("given", ["", "  \n", 7, [None]])
def test_nothing_and_other_types_are_refused(given):
    with pytest.raises((IngestError, TypeError)):
        list(read_sources(given))


def test_dicts_carry_fields():
    (item,) = loaded(
        {
            "content": "text",
            "id": 7,
            "title": "T",
            "authors": ["A"],
            "acl": ["x"],
            "metadata": {"k": 1},
        }
    )
    assert (item.source, item.parsed.text) == ("7", "text")
    assert (item.fields.title, item.fields.authors) == ("T", ("A",))
    assert item.fields.acl == {"x"}
    assert item.fields.metadata == {"k": 1}
    assert loaded({"text": "t", "source": "s", "id": "i"})[0].source == "s"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": "x", "titel": "t", "auhtor": "a"}, "titel, auhtor"),
        ({"title": "x"}, "needs 'text'"),
        ({"text": "x", "content": "y"}, "both"),
        ({"text": 3}, "must be text"),
        ({"text": " "}, "empty"),
        ({"text": "x", "id": ""}, "id is"),
        ({"text": "x", "id": True}, "id is"),
        ({"text": "x", "id": "doc", "authority": 2}, "doc: authority"),
    ],
)
def test_malformed_dicts_are_refused(given, message):
    with pytest.raises(IngestError, match=message):
        read_sources([given])


def write_lines(path: Path, lines: list[object]) -> Path:
    written = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(written.encode()))
    else:
        path.write_text(written)
    return path


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz"])
def test_json_lines_with_common_names(name, tmp_path):
    path = write_lines(
        tmp_path / name,
        [
            {"_id": "a", "title": "T", "body": "one", "url": "u", "tags": ["x"]},
            "",
            {"content": "two"},
        ],
    )
    first, second = loaded(path)
    assert first.source == f"{path.resolve().as_posix()}#a"
    assert (first.parsed.text, first.fields.title) == ("one", "T")
    assert first.fields.metadata == {"url": "u", "tags": ["x"]}
    assert second.source.startswith(f"{path.resolve().as_posix()}#text:")


def test_json_lines_with_a_mapping(tmp_path):
    path = write_lines(tmp_path / "r.jsonl", [{"t": "one", "n": "N", "k": "key", "text": "other"}])
    (item,) = loaded(path, mapping=FieldMapping(text="t", title="n", source="k"))
    assert (item.source, item.parsed.text, item.fields.title) == ("key", "one", "N")
    assert item.fields.metadata == {"text": "other"}


def test_bad_lines_are_reported_by_number(tmp_path):
    path = write_lines(
        tmp_path / "r.jsonl",
        [
            {"text": "good"},
            "{broken",
            [1],
            {"other": "x"},
            {"text": "x", "authority": 9},
            {"text": ""},
            "[" * 100_000,
            {"text": "last", "nested": {"a": 1}},
        ],
    )
    results = results_of(path)
    where = path.resolve().as_posix()
    failed = [each for each in results if isinstance(each, SourceFailure)]
    assert [(each.source, each.reason) for each in failed] == [
        (f"{where}:2", "bad-json"),
        (f"{where}:3", "not-an-object"),
        (f"{where}:4", "invalid"),
        (f"{where}:5", "invalid"),
        (f"{where}:6", "invalid"),
        (f"{where}:7", "bad-json"),
    ]
    assert "other" in failed[2].message
    last = results[-1]
    assert isinstance(last, LoadedSource)
    warning = "fields left out, since they hold nested values: nested"
    assert last.parsed.warnings == (warning,)


def test_a_damaged_archive_ends_with_one_failure(tmp_path):
    path = tmp_path / "r.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "one"}\n' * 5000)[:-30])
    results = list(read_sources(path))
    assert isinstance(results[-1], SourceFailure)
    assert results[-1].reason == "unreadable"


def test_lists_mix_kinds_and_generators_are_lazy(folder):
    given = [folder / "a.txt", "A text of mine.", {"text": "d", "id": "d"}]
    assert [item.parsed.text for item in loaded(given)] == ["text a", "A text of mine.", "d"]
    assert [item.parsed.text for item in loaded(iter(given))] == ["text a", "A text of mine.", "d"]
