"""Who is let in: hosts, keys, rates and sizes."""

import httpx
import pytest

from clew.core.errors import SettingsError
from clew.serve.access.api_key import Right
from clew.serve.rest.addresses import is_loopback, require_keys_for
from clew.serve.rest.rate_limit import RateLimit
from tests.serve.rest.server import ACME, problem

QUESTION = {"question": "Who leads Acme Corp?"}


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.1", False),
        ("localhost.evil.example", False),
        ("", False),
    ],
)
def test_a_public_address_needs_keys(host, local):
    assert is_loopback(host) is local
    require_keys_for(host, there_are_keys=True)
    if local:
        require_keys_for(host, there_are_keys=False)
    else:
        with pytest.raises(SettingsError, match="clew keys add"):
            require_keys_for(host, there_are_keys=False)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8765", 200),
        ("127.0.0.1", 200),
        ("[::1]:8765", 200),
        ("rebound.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("[", 421),
        ("", 421),
    ],
)
def test_a_name_that_was_bent_to_this_machine_is_refused(client, host, status):
    response = client.get("/v1/collections", headers={"Host": host})
    assert response.status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://evil.example", 403),
        ("http://127.0.0.1.evil.example", 403),
        ("null", 403),
        ("http://localhost:3000", 200),
        ("http://[::1]:3000", 200),
    ],
)
def test_without_keys_a_web_page_of_another_site_is_refused(server, client, origin, status):
    answered = client.get("/v1/collections", headers={"Origin": origin})
    assert answered.status_code == status
    assert "access-control-allow-origin" not in answered.headers


def test_with_keys_nothing_but_health_and_the_contract_is_open(server):
    server.key(Right.READ)
    client = server.client()
    for path in ("/healthz", "/readyz", "/openapi.json"):
        assert client.get(path, headers={"Host": "clew.example"}).status_code == 200
    refused = client.get("/v1/collections")
    problem(refused, 401)
    assert refused.headers["www-authenticate"] == "Bearer"
    for path in ("/metrics", "/v1/default/documents", "/nowhere"):
        problem(client.get(path), 401)
    for header in ("Bearer wrong", "Bearer", "Bearer ", "Basic abc", "Bearer clew_\xe9"):
        problem(
            client.get("/v1/collections", headers={"Authorization": header.encode("latin-1")}), 401
        )


def test_a_server_that_needs_keys_lets_nobody_in_where_there_are_none(server):
    client = server.client(keys_required=True)
    problem(client.get("/v1/collections"), 401)


def test_a_key_that_is_made_or_removed_counts_at_once(server):
    client = server.client()
    assert client.get("/v1/collections").status_code == 200
    secret = server.key(Right.READ)
    problem(client.get("/v1/collections"), 401)
    bearer = {"Authorization": f"Bearer {secret}"}
    assert client.get("/v1/collections", headers=bearer).status_code == 200
    server.key(Right.READ)
    server.keys.remove(server.keys.find(secret).id)
    problem(client.get("/v1/collections", headers=bearer), 401)


def test_a_broken_key_file_lets_nobody_in(server):
    client = server.client(server.key(Right.READ))
    assert client.get("/v1/collections").status_code == 200
    server.keys.path.write_text("{", encoding="utf-8")
    problem(client.get("/v1/collections", headers={"Authorization": ""}), 401)
    body = problem(client.get("/v1/collections"), 500)
    assert str(server.keys.path) not in body["detail"]


CALLS = [
    ("GET", "/v1/default", "/documents", None, Right.READ),
    ("POST", "/v1/default", "/query", QUESTION, Right.READ),
    ("POST", "/v1/default", "/search", QUESTION, Right.READ),
    ("POST", "/v1/default", "/stream", QUESTION, Right.READ),
    ("POST", "/v1/default", "/query", {**QUESTION, "write_inferred": True}, Right.WRITE),
    ("GET", "/v1/default", "/nodes?name=Acme Corp", None, Right.READ),
    ("GET", "/v1/default", "/paths?first=Acme Corp&second=Beta Labs", None, Right.READ),
    ("GET", "/v1/default", "/neighbours?name=Beta Labs", None, Right.READ),
    ("GET", "/v1/default", "/timeline", None, Right.READ),
    ("GET", "/v1/default", "/communities", None, Right.READ),
    ("GET", "/v1/collections/default", "", None, Right.READ),
    ("POST", "/rag", "/query", QUESTION, Right.READ),
    ("POST", "/rag", "/hybrid-query", QUESTION, Right.READ),
    ("POST", "/rag", "/hybrid-query", {**QUESTION, "write_inferred": True}, Right.WRITE),
    ("POST", "/v1/default", "/communities", None, Right.WRITE),
    (
        "POST",
        "/v1/default",
        "/documents",
        {"documents": [{"source": "new", "text": "Dora works."}]},
        Right.WRITE,
    ),
    ("DELETE", "/v1/collections/default", "", None, Right.ADMIN),
]


@pytest.mark.parametrize(("method", "place", "rest", "body", "right"), CALLS)
def test_a_call_takes_its_right_and_its_collection(server, method, place, rest, body, right):
    wrong = [
        server.key(*(set(Right) - {right} - ({Right.READ} if right is Right.WRITE else set()))),
        server.key(*Right, collections=["other"]),
    ]
    for secret in wrong:
        problem(server.client(secret).request(method, place + rest, json=body), 403)
    rights = {right, Right.READ} if body and "write_inferred" in body else {right}
    fitting = server.key(*rights, collections=["default"])
    response = server.client(fitting).request(method, place + rest, json=body)
    assert response.status_code == 200, response.text


def test_a_key_sees_the_names_of_its_own_collections_alone(server):
    server.library.create("other")
    secret = server.key(Right.READ, Right.ADMIN, collections=["other", "mine"])
    client = server.client(secret)
    assert client.get("/v1/collections").json() == {"collections": ["other"]}
    assert client.post("/v1/collections", json={"name": "mine"}).status_code == 201
    problem(client.post("/v1/collections", json={"name": "theirs"}), 403)
    # What is there and what is not look the same from outside.
    there, missing = (client.get(f"/v1/{name}/documents").json() for name in ("default", "nothing"))
    assert (there["status"], missing["status"]) == (403, 403)


def test_a_key_asks_as_its_groups(make_server):
    server = make_server()
    server.fill(acl=["board"])
    board = server.client(server.key(Right.READ, groups=["board"]))
    staff = server.client(server.key(Right.READ, groups=["staff"]))
    for path in ("/v1/default/query", "/v1/default/search", "/v1/default/stream", "/rag/query"):
        assert "Ada Moreau" in board.post(path, json=QUESTION).text
        assert "Moreau" not in staff.post(path, json=QUESTION).text
    assert len(board.get("/v1/default/documents").json()["documents"]) == 2
    assert [each["source"] for each in staff.get("/v1/default/documents").json()["documents"]] == [
        "beta"
    ]
    assert board.get("/v1/default/nodes?name=Ada Moreau").status_code == 200
    problem(staff.get("/v1/default/nodes?name=Ada Moreau"), 404)
    problem(staff.get("/v1/collections/default"), 403)


def test_a_key_writes_nothing_over_what_it_may_not_see(make_server):
    server = make_server()
    clew = server.fill(acl=["board"])
    staff = server.client(server.key(Right.READ, Right.WRITE, groups=["staff"]))
    hidden = next(each for each in clew.documents() if each.source == "acme")
    problem(staff.delete(f"/v1/default/documents/{hidden.id:016x}"), 404)

    def add(**document):
        return staff.post("/v1/default/documents", json={"documents": [document]})

    problem(add(source="acme", text="Acme Corp is gone."), 403)
    problem(add(source="new", text="Dora works.", acl=["board"]), 403)
    assert next(each for each in clew.documents() if each.source == "acme").text == ACME
    assert add(source="new", text="Dora works.").status_code == 200
    (made,) = [each for each in clew.documents() if each.source == "new"]
    assert made.acl == {"staff"}


def test_requests_are_limited_by_key_and_by_address(make_server):
    server = make_server(requests_per_minute=3)
    server.fill()
    first, second = server.key(Right.READ), server.key(Right.READ)
    app = server.client()

    def get(secret):
        return app.get("/v1/collections", headers={"Authorization": f"Bearer {secret}"})

    assert [get(first).status_code for _ in range(4)] == [200, 200, 200, 429]
    limited = get(first)
    problem(limited, 429)
    assert 1 <= int(limited.headers["retry-after"]) <= 20
    assert get(second).status_code == 200
    # Guessing keys is limited by the address, whatever is guessed.
    assert [get(f"guess{n}").status_code for n in range(4)] == [401, 401, 401, 429]


def test_a_bucket_fills_up_again():
    now = [0.0]
    rate = RateLimit(60, clock=lambda: now[0])
    assert [rate.wait("a") for _ in range(61)] == [0] * 60 + [1]
    now[0] += 1.0  # one token a second
    assert [rate.wait("a"), rate.wait("a"), rate.wait("b")] == [0, 1, 0]
    assert [RateLimit(0).wait("a") for _ in range(1000)] == [0] * 1000


def test_a_body_over_the_limit_is_refused_also_without_its_length(make_server):
    server = make_server(max_body_bytes=2048, max_upload_bytes=4096)
    server.fill()

    def pieces(count):
        yield b'{"question": "'
        yield from [b"a" * 100] * count
        yield b'"}'

    with server.listening() as address, httpx.Client(base_url=address) as client:
        json = {"Content-Type": "application/json"}
        problem(client.post("/v1/default/query", json={"question": "a" * 2048}), 413)
        problem(client.post("/v1/default/query", content=pieces(21), headers=json), 413)
        fits = client.post("/v1/default/query", content=pieces(15), headers=json)
        assert fits.status_code == 200
        upload = "/v1/default/documents/upload"
        problem(client.post(upload, files={"file": ("a.txt", b"a" * 5000)}), 413)
        assert client.post(upload, files={"file": ("a.txt", b"Acme. " * 500)}).status_code == 200
        assert client.get("/healthz").status_code == 200
