"""`clew schema` on the command line."""

import json

import pytest

SCHEMA = (
    'unknown = "refuse"\n[fields.year]\ntype = "integer"\nrequired = true\nallowed = [2023, 2024]\n'
)


@pytest.fixture
def schema(tmp_path):
    file = tmp_path / "schema.toml"
    file.write_text(SCHEMA, encoding="utf-8")
    return file


def test_a_schema_is_set_obeyed_shown_and_cleared(clew, documents, schema, tmp_path):
    assert "0 of 0 documents break it" in clew("schema", "set", schema).stdout
    done = clew("add", documents, "--metadata", "year=2025", "--metadata", "x=1", code=1)
    assert done.stderr.count("year is 2025; allowed are 2023, 2024") == 2
    assert "x is not in the schema" in done.stderr
    assert "2 added" in clew("add", documents, "--metadata", "year=2024").stdout
    shown = clew("schema", "show").stdout
    assert "year: integer, required, one of 2023, 2024" in shown
    assert "Other fields are refused." in shown
    as_json = clew.json("schema", "show")
    assert as_json == {
        "fields": {"year": {"type": "integer", "required": True, "allowed": [2023, 2024]}},
        "unknown": "refuse",
    }
    again = tmp_path / "again.json"
    again.write_text(json.dumps(as_json), encoding="utf-8")
    assert clew.json("schema", "set", again) == {"documents": 2, "violations": []}
    assert "any metadata" in clew("schema", "clear").stdout
    assert clew.json("schema", "show") is None
    assert "any metadata" in clew("schema", "show").stdout


def test_documents_that_are_there_and_break_it_are_named(clew, documents, schema):
    clew("add", documents)
    text = clew("schema", "set", schema).stdout
    assert "2 of 2 documents break it" in text
    assert "acme.md: year is missing" in text
    report = clew.json("schema", "set", schema)
    assert len(report["violations"]) == 2
    assert all(len(each["document"]) == 16 for each in report["violations"])
    assert report["violations"][0]["problems"] == [
        {"field": "year", "problem": "is missing; it must be a whole number"}
    ]


def test_bad_schemas_are_bad_input(clew, tmp_path):
    assert "there is no store" in clew("schema", "show", code=2).stderr
    assert "cannot be read" in clew("schema", "set", "gone.toml", code=2).stderr
    bad = tmp_path / "bad.json"
    bad.write_text('{"fields": {"a": "words"}}', encoding="utf-8")
    assert "type of a is 'words'" in clew("schema", "set", bad, code=2).stderr
