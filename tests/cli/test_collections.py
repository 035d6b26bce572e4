def test_collections_are_created_listed_and_deleted(clew, documents):
    clew("add", documents)
    assert "created contracts" in clew("collections", "create", "contracts").stdout
    assert clew.json("collections", "list") == {"collections": ["contracts", "default"]}
    assert "already" in clew("collections", "create", "contracts", code=2).stderr
    assert clew.json("collections", "delete", "default") == {"deleted": "default"}
    assert clew("collections", "list").stdout == "contracts\n"
    assert "no collection 'default'" in clew("collections", "delete", "default", code=2).stderr
