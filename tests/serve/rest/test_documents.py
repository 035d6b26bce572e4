"""Collections and documents: made, listed, removed; files under the server's own names."""

import pytest

from clew.serve.rest.uploads import server_named, shown_name
from tests.serve.rest.server import problem


def sources(client, collection="default"):
    found = client.get(f"/v1/{collection}/documents").json()["documents"]
    return {each["source"] for each in found}


def add(client, *documents, collection="default"):
    return client.post(f"/v1/{collection}/documents", json={"documents": documents})


def upload(client, name, data, **form):
    return client.post("/v1/default/documents/upload", files={"file": (name, data)}, data=form)


def test_a_collection_is_made_filled_counted_and_deleted(client):
    assert client.post("/v1/collections", json={"name": "deeds"}).json() == {"name": "deeds"}
    assert client.get("/v1/collections").json() == {"collections": ["deeds", "default"]}
    problem(client.post("/v1/collections", json={"name": "deeds"}), 409)
    add(client, {"source": "d1", "text": "Dora Lin sold Oak House."}, collection="deeds")
    assert client.get("/v1/collections/deeds").json()["status"]["documents"] == 1
    assert sources(client, "deeds") == {"d1"}
    assert sources(client) == {"acme", "beta"}
    assert client.delete("/v1/collections/deeds").json() == {"deleted": "deeds"}
    problem(client.get("/v1/deeds/documents"), 404)
    assert client.get("/v1/collections").json() == {"collections": ["default"]}


@pytest.mark.parametrize(
    ("name", "status"), [("", 422), ("../x", 422), ("a/b", 422), ("a" * 65, 422), ("chat", 409)]
)
def test_a_name_that_cannot_stand_in_an_address(client, name, status):
    problem(client.post("/v1/collections", json={"name": name}), status)


def test_documents_are_added_updated_left_alone_and_removed_with_a_receipt(client):
    first = {"source": "m", "text": "Dora Lin runs Oak House.", "metadata": {"year": 2024}}
    assert [each["outcome"] for each in add(client, first).json()["files"]] == ["added"]
    assert [each["outcome"] for each in add(client, first).json()["files"]] == ["unchanged"]
    changed = add(client, {**first, "text": "Dora Lin left Oak House."}).json()["files"]
    assert [each["outcome"] for each in changed] == ["updated"]
    (held,) = [
        each
        for each in client.get("/v1/default/documents").json()["documents"]
        if each["source"] == "m"
    ]
    assert held["metadata"] == {"year": 2024}
    assert held["id"] == changed[0]["document"]
    receipt = client.delete(f"/v1/default/documents/{held['id']}").json()["receipt"]
    assert (receipt["document"], receipt["source"]) == (held["id"], "m")
    assert receipt["removed"]["documents"] == 1
    problem(client.delete(f"/v1/default/documents/{held['id']}"), 404)
    answer = client.post("/v1/default/query", json={"question": "Who left Oak House?"})
    assert "Dora" not in answer.text


def test_a_source_that_is_a_path_of_the_server_reads_no_file(client, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("The password is swordfish.", encoding="utf-8")
    for source in (str(secret), secret.as_uri(), "/etc/passwd"):
        assert add(client, {"source": source, "text": "Nothing here."}).status_code == 200
        problem(client.post("/v1/default/documents", json={"urls": [source]}), 422)
    found = client.post("/v1/default/search", json={"question": "password swordfish root"})
    assert "The password" not in found.text
    assert "root:" not in found.text


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:1/",
        "http://localhost:1/",
        "http://[::1]:1/",
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/",
        "http://0x7f000001/",
    ],
)
def test_a_private_address_is_not_fetched(client, address):
    response = client.post("/v1/default/documents", json={"urls": [address]})
    assert response.status_code == 200
    (file,) = response.json()["files"]
    assert file["outcome"] == "failed"
    assert file["code"] == "refused-address"
    assert sources(client) == {"acme", "beta"}


def test_nothing_to_add_is_the_callers_fault(client):
    problem(client.post("/v1/default/documents", json={}), 422)


def test_a_file_gets_a_name_of_the_servers(client, server):
    data = b"# Oak House\n\nDora Lin bought Oak House.\n"
    for hostile in ("../../etc/cron.d/evil.md", "..\\evil.md", "\u202eevil.md", "/abs/evil.MD"):
        (file,) = upload(client, hostile, data).json()["files"]
        assert file["source"] == server_named(data, "md", ()).name
        assert file["outcome"] in {"added", "unchanged", "updated"}
    (made,) = [each for each in sources(client) if each.startswith("upload-")]
    assert len(made) == len("upload-") + 32 + len(".md")
    answer = client.post("/v1/default/query", json={"question": "Who bought Oak House?"}).json()
    assert "Dora Lin bought Oak House." in answer["answer"]
    assert {each.name for each in server.keys.path.parent.iterdir()} == {"kb.clew"}


def test_the_clients_name_is_shown_without_folders_or_control_characters():
    assert shown_name("a/b\\c\x00d\n\u202e.txt") == "cd.txt"
    assert len(shown_name("a" * 5000)) == 200


def test_the_same_file_for_other_groups_is_another_source(client):
    first, second = (
        upload(client, "a.txt", b"Acme grew.", acl=acl).json()["files"][0]["source"]
        for acl in ("board", "staff")
    )
    assert first != second
    held = client.get("/v1/default/documents").json()["documents"]
    assert {each["source"]: each["acl"] for each in held if "upload" in each["source"]} == {
        first: ["board"],
        second: ["staff"],
    }


@pytest.mark.parametrize("name", ["evil.exe", "evil", "evil.html.sh", ".txt", "evil."])
def test_a_type_that_is_not_taken(client, name):
    problem(upload(client, name, b"text"), 415)


def test_a_damaged_file_fails_alone_and_by_name(client):
    (file,) = upload(client, "broken.pdf", b"%PDF-1.7 nothing").json()["files"]
    assert file["outcome"] == "failed"
    assert file["reason"]
