"""Conversations over REST: follow-ups, turns that are kept, and whose they are."""

from clew.serve.access.api_key import Right
from tests.serve.rest.server import events, problem

AT = "/v1/default/chats"
FIRST = {"question": "Who leads Acme Corp?"}
SECOND = {"question": "What does she lead?"}


def test_a_conversation_goes_on_is_listed_shown_and_removed(client):
    begun = client.post(AT, json=FIRST)
    chat = begun.json()["chat"]
    assert begun.headers["x-chat-id"] == chat
    assert "Ada Moreau" in begun.json()["answer"]
    more = client.post(f"{AT}/{chat}", json=SECOND).json()
    assert "Ada Moreau" in more["question"]
    (listed,) = client.get(AT).json()["chats"]
    assert (listed["id"], listed["title"], listed["turns"]) == (chat, FIRST["question"], 2)
    shown = client.get(f"{AT}/{chat}").json()
    assert [turn["question"] for turn in shown["turns"]] == [
        FIRST["question"],
        SECOND["question"],
    ]
    assert client.delete(f"{AT}/{chat}").json() == {"deleted": chat}
    problem(client.get(f"{AT}/{chat}"), 404)
    problem(client.post(f"{AT}/{chat}", json=SECOND), 404)


def test_a_stream_ends_with_the_whole_and_is_kept(client):
    response = client.post(AT, json={**FIRST, "stream": True})
    told = events(response.text)
    assert (told[0][0], told[-1][0]) == ("evidence", "done")
    chat = response.headers["x-chat-id"]
    assert client.get(f"{AT}/{chat}").json()["turns"][0]["answer"] == told[-1][1]["answer"]


def test_a_removed_document_is_withdrawn_from_conversations(server, client):
    chat = client.post(AT, json=FIRST).json()["chat"]
    server.library.collection("default").remove("acme")
    (turn,) = client.get(f"{AT}/{chat}").json()["turns"]
    assert (turn["withdrawn"], turn["answer"], turn["sources"]) == (True, "", [])


def test_a_conversation_is_its_keys_own(server):
    mine, other = (server.client(server.key(Right.READ)) for _ in range(2))
    chat = mine.post(AT, json=FIRST).json()["chat"]
    assert mine.get(f"{AT}/{chat}").status_code == 200
    assert other.get(AT).json() == {"chats": []}
    problem(other.get(f"{AT}/{chat}"), 404)
    problem(other.post(f"{AT}/{chat}", json=SECOND), 404)
    problem(other.delete(f"{AT}/{chat}"), 404)
    problem(server.client(server.key(Right.WRITE)).get(AT), 403)
