"""Standard input, globs, patterns and web addresses on the command line."""

import json

import pytest
from typer.testing import CliRunner

from clew.core.errors import QueryError
from clew.core.inputs import FileBytes
from clew.serve.cli.inputs import inputs_of
from clew.serve.cli.main import application
from clew.serve.cli.options import scalar
from tests.ingest.web_server import serving


def piped(clew, data, *arguments, code=0):
    done = CliRunner().invoke(
        application,
        ["add", "-", *map(str, arguments)],
        input=data,
        env={"CLEW_STORE": str(clew.store)},
    )
    assert done.exit_code == code, (done.stdout, done.stderr, done.exception)
    return done


def held(clew):
    return clew.json("documents")["documents"]


def test_standard_input_is_a_source_of_the_name_that_it_is_given(clew):
    piped(
        clew, b"---\ntitle: Notes\n---\nAcme Corp sued Beta Labs.", "--name", "n", "--format", "md"
    )
    (document,) = held(clew)
    assert (document["source"], document["title"]) == ("n", "Notes")
    assert "1 updated" in piped(clew, b"Acme Corp paid.", "--name", "n").stdout
    assert len(held(clew)) == 1


def test_standard_input_without_a_name_never_takes_anothers_place(clew):
    piped(clew, b"Acme Corp sued Beta Labs.")
    piped(clew, b"Gamma Partners grew.")
    assert "1 unchanged" in piped(clew, b"Gamma Partners grew.").stdout
    documents = held(clew)
    assert len(documents) == 2
    assert all(document["source"].startswith("stdin:") for document in documents)
    assert {document["title"] for document in documents} == {
        "Acme Corp sued Beta Labs.",
        "Gamma Partners grew.",
    }


def test_records_come_through_a_pipe(clew):
    done = piped(
        clew, b'{"id": 1, "text": "One."}\n{broken\n', "--name", "r", "--format", "jsonl", code=1
    )
    assert "failed: r:2" in done.stderr
    assert [document["source"] for document in held(clew)] == ["r#1"]


def test_an_empty_pipe_and_an_unknown_format_fail_with_a_reason(clew):
    assert "the file is empty" in piped(clew, b"", "--name", "x", code=1).stderr
    assert "nothing reads the format .xyz" in piped(clew, b"a", "--format", "xyz", code=1).stderr


def test_what_is_of_standard_input_needs_it():
    with pytest.raises(QueryError, match="named twice"):
        inputs_of(["-", "-"], name=None, format=None, read=bytes)
    with pytest.raises(QueryError, match="--name and --format"):
        inputs_of(["a"], name="x", format=None, read=bytes)
    (given,) = inputs_of(["-"], name=None, format="md", read=lambda: b"x")
    assert isinstance(given, FileBytes)
    assert given.name.startswith("stdin:")


def test_a_quoted_glob_is_expanded_and_one_without_matches_is_bad_input(clew, documents):
    assert "1 added" in clew("add", "docs/*.md").stdout
    done = clew("add", "docs/*.pdf", code=2)
    assert "nothing matches docs/*.pdf" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "no such file" in clew("add", "what is this", code=2).stderr


def test_what_is_excluded_is_counted_and_listed_as_json(clew, documents):
    (documents / "drafts").mkdir()
    (documents / "drafts" / "x.md").write_text("Draft.", encoding="utf-8")
    (documents / ".clewignore").write_text("beta.*\n", encoding="utf-8")
    done = clew("add", documents, "--exclude", "drafts/", "--exclude", "*.tmp")
    assert "Sources: 1 added, 2 excluded" in done.stdout
    assert done.stderr == ""
    report = clew.json("add", documents, "--exclude", "drafts/")
    left_out = {
        file["source"].rpartition("/")[2]: file["reason"]
        for file in report["files"]
        if file["outcome"] == "excluded"
    }
    assert set(left_out) == {"drafts", "beta.txt"}
    assert "'drafts/'" in left_out["drafts"]
    assert ".clewignore" in left_out["beta.txt"]
    assert "'!' is no pattern" in clew("add", documents, "--exclude", "!", code=2).stderr


def test_web_addresses_are_refused_unless_allowed_and_secrets_never_shown(clew):
    with serving() as site:
        address = f"http://ana:secret@127.0.0.1:{site.port}/"
        done = clew("add", address, f"{address}gone", code=1)
        assert "loopback and not public" in done.stderr
        assert site.seen == []
        done = clew("add", address, f"{address}gone", "--allow-private-addresses", code=1)
        assert "1 added" in done.stdout
        assert "404 Not Found" in done.stderr
        assert "secret" not in done.stdout + done.stderr
        (document,) = held(clew)
        assert document["source"] == f"http://127.0.0.1:{site.port}/"
        assert document["title"] == "Kestrel"
        report = clew.json("add", address, "--allow-private-addresses")
        assert [file["outcome"] for file in report["files"]] == ["unchanged"]
        assert "secret" not in json.dumps(report)


def test_settings_allow_and_limit_too(clew, monkeypatch):
    monkeypatch.setenv("CLEW_WEB__ALLOW_PRIVATE_ADDRESSES", "true")
    monkeypatch.setenv("CLEW_WEB__MAX_BYTES", "1000")
    with serving() as site:
        assert "1 added" in clew("add", f"http://127.0.0.1:{site.port}/").stdout
        huge = clew("add", f"http://127.0.0.1:{site.port}/huge", code=1)
        assert "larger than 1,000 bytes" in huge.stderr


def test_other_schemes_are_bad_input(clew):
    done = clew("add", "ftp://ana:secret@x.org/a", code=2)
    assert "ftp addresses are not read" in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2024", 2024),
        ("1.5", 1.5),
        ("true", True),
        ("007", "007"),
        ("1.50", "1.50"),
        ("1e5", "1e5"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("x", "x"),
    ],
)
def test_metadata_keep_what_a_number_would_lose(text, value):
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)
