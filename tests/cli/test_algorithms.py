"""`clew algorithms`, on documents whose graph is known by hand."""

from __future__ import annotations

import pytest

from clew.core.ids import format_id, node_id

CIRCLE = "Acme Corp pays Beta Labs. Beta Labs pays Cobalt Inc. Cobalt Inc pays Acme Corp.\n"
ACME, BETA, COBALT = (format_id(node_id(key)) for key in ("acme", "beta labs", "cobalt"))


@pytest.fixture
def filled(clew, tmp_path):
    (tmp_path / "circle.txt").write_text(CIRCLE, encoding="utf-8")
    (tmp_path / "tail.txt").write_text("Cobalt Inc hired Ada Moreau.\n", encoding="utf-8")
    clew("add", tmp_path / "circle.txt", tmp_path / "tail.txt")
    return clew


def test_rings_as_json_and_text(filled):
    found = filled.json("algorithms", "rings", "ORG")
    (ring,) = found["rings"]
    assert (ring["form"], ring["density"], len(ring["edge_ids"])) == ("cycle", 1.0, 3)
    assert sorted(ring["members"]) == sorted([ACME, BETA, COBALT])
    assert all(len(edge) == 16 for edge in ring["edge_ids"])
    shown = filled("algorithms", "rings", "ORG").stdout
    assert shown.startswith("cycle  3 members  density 1.00")
    assert filled.json("algorithms", "rings", "PERSON", code=4)["rings"] == []


def test_ranks(filled):
    ranked = filled.json("algorithms", "pagerank")["nodes"]
    assert sum(node["score"] for node in ranked) == pytest.approx(1.0)
    assert filled.json("algorithms", "ppr", "Acme Corp")["nodes"][0]["id"] in {ACME, COBALT}
    advice = filled.json("algorithms", "recommend", "Acme Corp", "--label", "PERSON")["nodes"]
    assert [node["name"] for node in advice] == ["Ada Moreau"]
    assert "Ada Moreau" in filled("algorithms", "recommend", "Acme Corp").stdout


def test_paths(filled):
    found = filled.json("algorithms", "paths", "Acme Corp", "Ada Moreau")["paths"]
    assert found[0]["nodes"][0] == ACME
    assert found[0]["path"]["steps"][0]["source_name"] == "Acme Corp"
    assert found[0]["probability"] == pytest.approx(0.64, rel=1e-5)
    forward = filled.json("algorithms", "attack-paths", "Ada Moreau", "Acme Corp")["paths"]
    assert [len(path["nodes"]) for path in forward] == [4]
    assert "Cobalt Inc" in filled("algorithms", "attack-paths", "Ada Moreau", "Acme Corp").stdout
    filled("algorithms", "attack-paths", "Acme Corp", "Ada Moreau", code=4)


def test_a_wrong_kind_is_an_error(filled):
    done = filled("algorithms", "pagerank", "--kind", "mentions", code=2)
    assert "unknown kind of edge" in done.stderr
