from clew.core.ids import parse_id


def test_they_are_built_listed_and_shown(clew, documents):
    clew("add", documents)
    assert "Communities      0\n" in clew("status").stdout
    built = clew("communities", "build").stdout
    assert built.startswith("Communities: 2 on level 0, 2 on level 1\nSummaries: 4 written, ")
    listed = clew("communities", "list", "--level", "0").stdout
    assert listed.startswith("level0_0  ")
    assert "level1" not in listed
    assert "Acme Corp acquired Beta Labs." in listed
    shown = "".join(clew("communities", "show", f"level0_{place}").stdout for place in (0, 1))
    names = {"  Acme Corp", "  Beta Labs", "  Ada Moreau", "  Gamma Partners"}
    assert names <= set(shown.split("\n"))


def test_as_json_they_have_public_ids_and_evidence(clew, documents):
    clew("add", documents)
    report = clew.json("communities", "build")
    assert report["summarised"] == sum(report["communities"]) > 0
    held = clew.json("communities", "list")["communities"]
    assert len(held) == report["summarised"]
    (top, *_) = [one for one in held if one["level"] == 0]
    assert parse_id(top["id"])
    assert all(map(parse_id, top["members"]))
    (first, *_) = top["evidence"]
    assert parse_id(first["chunk"])
    assert first["span"]["start"] < first["span"]["end"]
    shown = clew.json("communities", "show", top["id"])
    assert shown["communities"] == [top]
    assert set(shown["names"]) == set(top["members"])
    assert set(top["title"].split(", ")) <= set(shown["names"].values())


def test_stale_ones_are_called_so(clew, documents):
    clew("add", documents)
    clew("communities", "build")
    assert clew.json("status")["status"]["communities_stale"] is False
    clew("remove", documents / "beta.txt")
    assert "stale; `clew communities build` renews them" in clew("status").stdout


def test_none_is_nothing_found_and_an_unknown_one_bad_input(clew, documents):
    clew("add", documents)
    assert "clew communities build" in clew("communities", "list", code=4).stdout
    assert "level0_9" in clew("communities", "show", "level0_9", code=2).stderr


def test_groups_see_their_own(clew, documents, tmp_path):
    (tmp_path / "secret.md").write_text("Ada Moreau hides Zeta Mills.\n", encoding="utf-8")
    clew("add", documents)
    clew("add", tmp_path / "secret.md", "--group", "board")
    clew("communities", "build")
    assert "Zeta Mills" not in clew("communities", "list", "--group", "staff").stdout
    seen = clew("communities", "list", "--group", "board").stdout
    assert "Zeta Mills" in seen
    assert "for board" in seen
    hidden = clew("communities", "show", "level0_0", "--group", "staff").stdout
    assert "Zeta Mills" not in hidden


def test_questions_use_them(clew, documents):
    clew("add", documents)
    found = clew("search", "Who acquired Beta Labs?", "--mode", "community").stdout
    assert "Communities\nlevel0_0" in found
    assert clew.json("search", "Beta Labs", "--preset", "paper_v2")["communities"]
    level = clew.json("search", "Beta Labs", "--mode", "global", "--level", "1")
    assert {one["community"]["level"] for one in level["communities"]} == {1}
    overview = clew("ask", "What are the main themes?", "--mode", "global").stdout
    assert "[1]" in overview
    assert (
        "leave out mode"
        in clew("ask", "Who?", "--preset", "paper_v1", "--mode", "hybrid", code=2).stderr
    )
    assert (
        "community_level" in clew("ask", "Who?", "--mode", "global", "--level", "77", code=2).stderr
    )
