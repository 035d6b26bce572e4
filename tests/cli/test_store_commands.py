"""`clew doctor`, `backup` and `restore`, and reading what was known."""

import shutil
import sqlite3
from contextlib import closing


def test_a_store_goes_through_a_backup(clew, documents, tmp_path):
    clew("add", documents)
    target = tmp_path / "kb.backup"
    assert clew("backup", target).stdout.startswith("Written: ")
    assert "exists; choose another file" in clew("backup", target, code=3).stderr
    report = clew.json("backup", target, "--overwrite")
    assert (report["rows"]["documents"], report["path"]) == (2, str(target))
    before = clew.json("search", "Beta Labs")
    shutil.rmtree(clew.store)
    assert "2 documents" in clew("restore", target, clew.store).stdout
    assert "exists; choose another path" in clew("restore", target, clew.store, code=3).stderr
    assert clew.json("restore", target, clew.store, "--overwrite")["rows"]["documents"] == 2
    after = clew.json("search", "Beta Labs")
    assert [found["content"] for found in after["results"]] == [
        found["content"] for found in before["results"]
    ]


def test_what_is_not_there_is_bad_input(clew, tmp_path):
    assert "there is no store at" in clew("backup", tmp_path / "b", code=2).stderr
    assert "there is no backup at" in clew("restore", tmp_path / "b", clew.store, code=2).stderr
    assert not clew.store.exists()


def test_the_doctor_finds_and_mends(clew, documents):
    clew("add", documents)
    assert "Nothing is wrong." in clew("doctor").stdout
    assert clew.json("doctor", "--full")["sound"] is True
    with closing(sqlite3.connect(clew.store / "clew.db")) as connection:
        connection.execute("UPDATE edges SET confidence = 0.1")
        connection.commit()
    sick = clew("doctor", code=3).stdout
    assert "error: edges of 'default'" in sick
    assert "clew doctor --repair computes them again" in sick
    found = clew.json("doctor", code=3)
    assert [one["severity"] for one in found["report"]["findings"]] == ["error"]
    assert "mended: " in clew("doctor", "--repair").stdout
    assert "Nothing is wrong." in clew("doctor").stdout


def test_yesterday_is_asked_on_the_command_line(clew, documents):
    clew("add", documents)
    nothing = clew.json("search", "Beta Labs", "--known-as-of", "2001-01-01", code=4)
    assert nothing["results"] == []
    everything = clew.json("search", "Beta Labs", "--known-as-of", "2999-01-01")
    assert len(everything["results"]) == 2
    assert clew.json("path", "Acme Corp", "Beta Labs", "--known-as-of", "2999-01-01")["paths"]
    clew("path", "Acme Corp", "Beta Labs", "--known-as-of", "2001-01-01", code=2)
    assert "no date" in clew("ask", "Beta?", "--known-as-of", "yesterday", code=2).stderr


def test_a_removal_tells_what_left_the_indexes(clew, documents):
    clew("add", documents)
    said = clew("remove", documents / "beta.txt").stdout
    assert "Left the indexes: 1 of keywords, 1 of vectors" in said


def test_versions_are_listed(clew, documents):
    source = documents / "beta.txt"
    clew("add", documents)
    source.write_text("Beta Labs supplies Delta Works.\n", encoding="utf-8")
    clew("add", documents)
    first, second = clew.json("versions", source)["versions"]
    assert first["superseded_by"] == second["document"]
    assert first["retired_at"] == second["recorded_at"]
    lines = clew("versions", source).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [first["document"], second["document"]]
    assert lines[1].endswith(" to now  beta")
    clew("versions", "unknown", code=2)
