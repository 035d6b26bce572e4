"""`clew entities`, for people and as JSON."""

import pytest

from clew.core.ids import format_id, node_id

ACME, BETA = format_id(node_id("acme")), format_id(node_id("beta labs"))


@pytest.fixture
def filled(clew, documents):
    clew("add", documents)
    return clew


def test_entities_are_listed_with_their_mentions(filled):
    lines = filled("entities", "list").stdout.splitlines()
    assert lines[-1] == "5 of 5"
    assert BETA in lines[0] or ACME in lines[0]
    found = filled.json("entities", "list", "labs", "--sort", "name")
    assert found["total"] == 1
    assert found["entities"][0]["node"]["id"] == BETA
    assert found["entities"][0]["mentions"] == 2
    assert "0 of 0" in filled("entities", "list", "nothing", code=4).stdout
    assert "choose one of" in filled("entities", "list", "--kind", "thing", code=2).stderr


def test_an_entity_is_shown(filled):
    text = filled("entities", "show", "Acme").stdout
    assert f"Acme Corp  (entity ORG, {ACME})" in text
    assert '→ ACQUIRED → Beta Labs  "# Acme Corp Acme Corp acquired Beta Labs."' in text
    shown = filled.json("entities", "show", "Acme", "--limit", "1")
    assert shown["node"]["id"] == ACME
    assert len(shown["passages"]) == 1
    assert len(shown["passages"][0]["chunk"]) == 16
    assert "near" in filled("entities", "show", "Acme Trust", code=2).stderr


def test_merging_and_taking_it_back(filled):
    before = filled.json("status")["status"]
    text = filled("entities", "merge", "Acme", "Ada Moreau").stdout
    assert "'Ada Moreau' is 'Acme Corp'" in text
    assert "label: ORG (1) or PERSON (1)" in text
    assert "Decided by a person" in filled("entities", "show", "Ada Moreau").stdout
    assert filled.json("status")["status"]["nodes"] == before["nodes"] - 1
    assert "are one already" in filled("entities", "merge", "Acme", "Ada Moreau", code=2).stderr
    assert "Taken back" in filled("entities", "unmerge", "Acme").stdout
    assert filled.json("status")["status"]["nodes"] == before["nodes"]
    assert "nobody merged" in filled("entities", "unmerge", "Acme", code=2).stderr


def test_merge_reports_as_json(filled):
    report = filled.json("entities", "merge", "Acme", BETA)
    assert report["node"]["id"] == ACME
    assert (report["decision"]["node"], report["decision"]["into"]) == (BETA, ACME)
    assert report["decision"]["keys"] == ["beta labs"]
    undone = filled.json("entities", "unmerge", "Acme", "Beta Labs")
    assert (undone["node"]["id"], undone["other"]["id"]) == (ACME, BETA)


def test_a_name_that_resolution_gave_is_taken_away(filled, documents):
    (documents / "board_notes_q3.txt").write_text(
        "Harbour Safety Board (HSB) met. HSB sued Ghent.\n", encoding="utf-8"
    )
    filled("add", documents)
    assert "'hsb': the text explains it (1.00)" in filled("entities", "show", "HSB").stdout
    text = filled("entities", "unmerge", "Harbour Safety Board", "HSB").stdout
    assert "'HSB' is not 'Harbour Safety Board'" in text
    assert "Read again: 1 document\n" in text
    assert filled.json("entities", "show", "HSB")["node"]["name"] == "HSB"
    assert "is not" in filled("entities", "show", "HSB").stdout


def test_the_group_has_its_own_help(clew):
    text = clew("entities", "--help").stdout
    assert all(name in text for name in ("list", "show", "merge", "unmerge"))
    assert "List entities" in clew("entities", "list", "--help").stdout.replace("\n", " ")
