"""Patterns: which files of a folder are left out, and which a glob means."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.core.errors import IngestError
from clew.core.jobs import FileOutcome
from clew.ingest.excludes import read_patterns
from clew.ingest.folders import SkippedPath, walk_folder
from clew.ingest.sources import SourceFailure, SourceItem, read_part_of_folder, read_sources

TREE = (
    "a.md",
    "b.tmp",
    "keep.tmp",
    "drafts/x.md",
    "drafts/deep/y.md",
    "sub/drafts/z.md",
    "sub/c.txt",
    "sub/d.md",
    "sub/inner/e.md",
    "notes [1].md",
)


def make(root: Path, names=TREE) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"text of {name}")
    return root


@pytest.fixture
def folder(tmp_path):
    return make(tmp_path / "docs")


def names(found, root):
    return {
        Path(item.source).relative_to(root).as_posix()
        for item in found
        if isinstance(item, SourceItem)
    }


def excluded(found, root):
    return {
        Path(item.source).relative_to(root).as_posix()
        for item in found
        if isinstance(item, SourceFailure) and item.outcome is FileOutcome.EXCLUDED
    }


def read(root, *lines, **options):
    return list(read_sources(root, exclude=read_patterns(lines, where="test"), **options))


def test_a_folder_that_is_left_out_is_named_alone(folder):
    found = read(folder, "drafts/", "*.tmp", "!keep.tmp")
    assert excluded(found, folder) == {"drafts", "sub/drafts", "b.tmp"}
    assert names(found, folder) == {
        "a.md",
        "sub/c.txt",
        "sub/d.md",
        "sub/inner/e.md",
        "notes [1].md",
    }
    reasons = {
        item.message
        for item in found
        if isinstance(item, SourceFailure) and item.source.endswith("b.tmp")
    }
    assert reasons == {f"{folder / 'b.tmp'}: this is left out by the pattern '*.tmp'"}


def test_a_slash_in_front_means_the_folder_itself(folder):
    assert excluded(read(folder, "/drafts"), folder) == {"drafts"}


def test_files_of_patterns_are_nested_and_not_named_themselves(folder):
    (folder / ".clewignore").write_text("# ours\n\n*.md\n!a.md\n")
    (folder / "sub" / ".clewignore").write_text("!d.md\ninner/\n")
    found = read(folder)
    assert names(found, folder) == {"a.md", "sub/c.txt", "sub/d.md"}
    assert "sub/inner" in excluded(found, folder)
    assert "sub/inner/e.md" not in excluded(found, folder)
    assert not any(item.source.endswith(".clewignore") for item in found)
    (message,) = [
        item.message
        for item in found
        if isinstance(item, SourceFailure) and item.source.endswith("inner")
    ]
    assert message.endswith(f"left out by 'inner/' in {folder / 'sub' / '.clewignore'}")


def test_the_caller_goes_before_the_files(folder):
    (folder / ".clewignore").write_text("a.md\n")
    assert "a.md" in names(read(folder, "!a.md"), folder)
    (folder / ".clewignore").write_text("!a.md\n")
    assert "a.md" in excluded(read(folder, "a.md"), folder)


def test_a_file_of_patterns_that_cannot_be_read_keeps_its_folder_out(folder):
    (folder / "sub" / ".clewignore").write_bytes(b"\xff\xfe\xff")
    (folder / "drafts" / ".clewignore").write_text("!\n")
    found = read(folder)
    failed = [
        item
        for item in found
        if isinstance(item, SourceFailure) and item.outcome is FileOutcome.FAILED
    ]
    assert [Path(item.source).name for item in failed] == ["drafts", "sub"]
    assert "'!' is no pattern" in failed[0].message
    assert not any(name.startswith(("sub", "drafts")) for name in names(found, folder))


def test_a_malformed_pattern_of_the_caller_is_an_error():
    with pytest.raises(IngestError, match="exclude: '!' is no pattern"):
        read_patterns(["*.md", "!"], where="exclude")


def test_a_link_does_not_lead_round_a_pattern(folder):
    (folder / "link.md").symlink_to(folder / "drafts" / "deep" / "y.md")
    (folder / "other.md").symlink_to(folder / "sub" / "d.md")
    found = read(folder, "drafts/")
    assert "link.md" in excluded(found, folder)
    assert "sub/d.md" in names(found, folder)


def test_named_files_obey_the_caller_and_not_the_files(folder):
    (folder / ".clewignore").write_text("*\n")
    found = read([folder / "a.md", folder / "b.tmp"], "*.tmp")
    assert names(found, folder) == {"a.md"}
    assert excluded(found, folder) == {"b.tmp"}


def test_a_store_in_the_folder_is_not_read(folder):
    make(folder, ["kb.clew/clew.db", "kb.clew/readme.md"])
    found = read(folder)
    (store,) = [
        item for item in found if isinstance(item, SourceFailure) and item.reason == "store"
    ]
    assert store.outcome is FileOutcome.SKIPPED
    assert not any("kb.clew/" in item.source for item in found)


@pytest.mark.skip_allowed
@pytest.mark.skipif(shutil.which("git") is None, reason="git is the second opinion")
@pytest.mark.parametrize(
    "lines",
    [
        ["*.md"],
        ["*", "!*/", "!*.md"],
        ["drafts"],
        ["/drafts/*", "!/drafts/deep/"],
        ["sub/**", "!sub/c.txt"],
        ["**/drafts/**"],
        ["s?b/", "notes \\[1\\].md"],
        ["*.tmp", "!keep.tmp", "# *", "", "   "],
        ["sub/*.md"],
        ["inner", "!inner/e.md"],
        ["*.md", "!sub"],
        ["*", "!sub/", "!sub/**", "sub/drafts"],
        ["**/inner/*", "!e.md"],
        ["/*", "!/sub"],
    ],
)
def test_patterns_mean_what_git_means(folder, lines):
    found = names(read(folder, *lines), folder)
    (folder / ".gitignore").write_text("\n".join(lines) + "\n")
    run = ["git", "-c", "core.excludesFile=/dev/null", "-C", str(folder)]
    subprocess.run([*run, "init", "-q"], check=True, capture_output=True)
    listed = subprocess.run(
        [*run, "ls-files", "-z", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    expected = {name for name in listed.split("\0") if name} - {".gitignore"}
    assert found == {name for name in expected if not name.endswith(".tmp")}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.md", {"a.md", "notes [1].md"}),
        ("**/*.md", {name for name in TREE if name.endswith(".md")}),
        ("sub/*", {"sub/drafts/z.md", "sub/c.txt", "sub/d.md", "sub/inner/e.md"}),
        ("s*/d.md", {"sub/d.md"}),
        ("**/drafts", {"drafts/x.md", "drafts/deep/y.md", "sub/drafts/z.md"}),
        ("sub/[cd].*", {"sub/c.txt", "sub/d.md"}),
        ("?.md", {"a.md"}),
    ],
)
def test_a_glob_means_the_files_that_match_and_folders_whole(
    folder, monkeypatch, pattern, expected
):
    monkeypatch.chdir(folder)
    assert names(read_sources(pattern), folder) == expected
    assert names(read_sources(Path(pattern)), folder) == expected
    assert names(read_sources(str(folder / pattern)), folder) == expected


def test_a_glob_obeys_patterns(folder, monkeypatch):
    monkeypatch.chdir(folder)
    found = read("**/*.md", "drafts/")
    assert names(found, folder) == {"a.md", "sub/d.md", "sub/inner/e.md", "notes [1].md"}
    assert excluded(found, folder) == {"drafts", "sub/drafts"}


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert names(read_sources("notes [1].md"), folder) == {"notes [1].md"}


@pytest.mark.parametrize("pattern", ["*.pdf", "nowhere/*.md", "sub/*.tmp", ".*", "x*"])
def test_a_glob_that_matches_nothing_is_an_error_at_once(folder, monkeypatch, pattern):
    monkeypatch.chdir(folder)
    with pytest.raises(IngestError, match="nothing matches"):
        read_sources([folder / "a.md", pattern])


@pytest.mark.parametrize("text", ["Why? Because of A*B.", "Is it [so]?", "What?"])
def test_questions_are_texts(folder, monkeypatch, text):
    monkeypatch.chdir(folder)
    (item,) = read_sources(text)
    assert isinstance(item, SourceItem)
    assert item.load().parsed.text == text


_PART = st.sampled_from(["a", "b", "ab", "ba.md", ".h", "c.txt"])
_PATTERN = st.sampled_from(["a", "*", "?", "**", "a*", "*.md", "[ab]", ".*", "*b"])


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sets(st.lists(_PART, min_size=1, max_size=3).map("/".join), max_size=8),
    st.lists(_PATTERN, min_size=1, max_size=3).map("/".join),
)
def test_globs_agree_with_the_standard_library(tmp_path, paths, pattern):
    """The second method: `glob.glob`, with every folder that it gives walked."""
    root = tmp_path / "tree"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for path in sorted(paths, key=len):
        target = root / path
        if not any(each.is_file() for each in (target, *target.parents)) and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("x")
    expected = set()
    matches = glob.glob(pattern, root_dir=root, recursive=True)  # noqa: PTH207 - the second method
    for match in matches:
        place = root / match
        if match.endswith("/") and place.is_file():
            continue  # a/** gives a/ even for the file a
        inside = [Path(above) / name for above, _, files in os.walk(place) for name in files] or [
            place
        ]
        expected |= {
            each
            for each in inside
            if each.is_file()
            and not any(part.startswith(".") for part in each.relative_to(root).parts)
        }
    if not any(mark in pattern for mark in "*?["):
        return
    try:
        found = list(read_sources(root / pattern))
    except IngestError:
        found = []
    read_or_unknown = {
        Path(item.source)
        for item in found
        if isinstance(item, SourceItem) or item.reason == "unsupported"
    }
    assert read_or_unknown == expected


def test_part_of_a_folder_is_read_without_the_rest(folder):
    looked_at = []

    def wanted(path):
        looked_at.append(path)
        return path in (folder / "sub", folder / "sub" / "d.md")

    found = read_part_of_folder(folder, wanted)
    assert names(found, folder) == {"sub/d.md"}
    assert folder / "drafts" / "x.md" not in looked_at


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.skip_allowed
def test_a_folder_that_may_not_be_read_has_failed(folder):
    (folder / "sub").chmod(0)
    try:
        (found,) = [each for each in walk_folder(folder) if isinstance(each, SkippedPath)]
    finally:
        (folder / "sub").chmod(0o755)
    assert found.outcome is FileOutcome.FAILED
