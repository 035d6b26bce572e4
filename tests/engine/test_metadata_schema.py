"""The schema of a collection: kept with it, obeyed by every later add, on both stores."""

from __future__ import annotations

import json

import pytest

from clew.core.errors import SchemaError, StoreError
from clew.core.jobs import FileOutcome
from clew.core.metadata_schema import FieldKind, FieldRule, MetadataSchema
from clew.core.query import Comparison, Condition, Filter
from clew.engine.async_clew import AsyncClew
from clew.engine.metadata_schema import SCHEMA
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import open_clew

RULES = MetadataSchema({"year": FieldRule(FieldKind.INTEGER, required=True)})


@pytest.fixture(params=["memory", "embedded"])
def store(request, tmp_path):
    made = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "kb.clew")
    yield made
    made.close()


def text(source, **metadata):
    return {"source": source, "text": f"Acme Corp wrote {source}.", "metadata": metadata}


def test_a_bad_document_fails_and_the_others_go_on(store):
    clew = open_clew(store)
    assert clew.schema() is None
    assert clew.set_schema(RULES).violations == ()
    report = clew.add(
        [text("a", year="2024"), text("b", year="soon"), text("c"), text("d", year=1)]
    )
    outcomes = {file.source: file.outcome for file in report.files}
    assert outcomes == {
        "a": FileOutcome.ADDED,
        "b": FileOutcome.FAILED,
        "c": FileOutcome.FAILED,
        "d": FileOutcome.ADDED,
    }
    reasons = {file.source: file.reason for file in report.failed}
    assert "b: the metadata break" in str(reasons["b"])
    assert "year is missing" in str(reasons["c"])
    assert {held.source: held.metadata for held in clew.documents()} == {
        "a": {"year": 2024},
        "d": {"year": 1},
    }


def test_the_arguments_of_add_count_too(store):
    clew = open_clew(store)
    clew.set_schema({"fields": {"year": "integer", "team": "text"}, "unknown": "refuse"})
    clew.add(text("a"), metadata={"year": "7", "team": 12})
    assert clew.documents()[0].metadata == {"year": 7, "team": "12"}


def test_a_document_that_breaks_the_schema_keeps_its_older_version(store):
    clew = open_clew(store)
    clew.add(text("a", year=1))
    clew.set_schema(RULES)
    assert clew.add({**text("a"), "text": "Other words."}).failed
    assert clew.documents()[0].text == "Acme Corp wrote a."


def test_setting_a_schema_tells_which_documents_break_it(store):
    clew = open_clew(store)
    clew.add([text("a", year=2024), text("b", year="2024"), text("c")])
    report = clew.set_schema(RULES)
    assert report.documents == 3
    assert [(each.source, [p.field for p in each.problems]) for each in report.violations] == [
        ("b", ["year"]),
        ("c", ["year"]),
    ]
    by_source = {held.source: held.id for held in clew.documents()}
    assert [each.document for each in report.violations] == [by_source["b"], by_source["c"]]
    clew.add(text("b", year="2024"))
    assert [each.source for each in clew.set_schema(RULES).violations] == ["c"]


def test_a_schema_belongs_to_its_collection_and_outlives_the_process(tmp_path):
    first = EmbeddedStore(tmp_path / "kb.clew")
    open_clew(first).set_schema(RULES)
    first.close()
    second = EmbeddedStore(tmp_path / "kb.clew")
    clew = open_clew(second)
    assert clew.schema() == RULES
    assert second.facts("other") == {}
    assert clew.set_schema(None).documents == 0
    assert clew.schema() is None
    assert clew.add(text("a")).failed == ()
    second.close()


def test_a_schema_comes_from_a_file_too(store, tmp_path):
    file = tmp_path / "schema.json"
    file.write_text(json.dumps({"fields": {"year": {"type": "integer", "required": True}}}))
    clew = open_clew(store)
    clew.set_schema(file)
    assert clew.schema() == RULES


def test_stored_dates_compare_as_days(store):
    clew = open_clew(store)
    clew.set_schema({"fields": {"signed": "date"}})
    clew.add(
        [
            text("a", signed="2023-12-31"),
            text("b", signed="2024-01-01T00:00:00Z"),
            text("c", signed="2024-06-30"),
        ]
    )
    condition = Condition("signed", Comparison.AT_LEAST, "2024-01-01")
    found = clew.documents(filter=Filter(metadata=condition))
    assert [held.source for held in found] == ["b", "c"]


def test_a_malformed_schema_changes_nothing(store):
    clew = open_clew(store)
    clew.set_schema(RULES)
    with pytest.raises(SchemaError):
        clew.set_schema({"fields": {"year": "number?"}})
    with pytest.raises(SchemaError, match="title"):
        clew.set_schema(MetadataSchema({"title": FieldRule(FieldKind.TEXT)}))
    assert clew.schema() == RULES


@pytest.mark.parametrize("written", ["{", '{"fields": 1}'])
def test_a_stored_schema_that_cannot_be_read_stops_the_add(written):
    store = MemoryStore()
    store.set_fact("default", SCHEMA, written)
    with pytest.raises(StoreError, match="schema"):
        open_clew(store).add(text("a"))


@pytest.mark.asyncio
async def test_it_can_be_awaited():
    async with AsyncClew(open_clew(MemoryStore())) as clew:
        assert (await clew.set_schema(RULES)).documents == 0
        assert await clew.schema() == RULES
