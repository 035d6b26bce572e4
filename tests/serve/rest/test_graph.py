"""Neighbours, edges and timelines over REST."""

import pytest

from clew.core.ids import format_id
from clew.serve.access.api_key import Right
from clew.serve.json_form import to_json
from tests.serve.rest.server import problem

AT = "/v1/default"


def test_neighbours_lead_to_edges_with_their_statements(client):
    found = client.get(f"{AT}/neighbours", params={"name": "Beta Labs"}).json()
    told = {(one["edge"]["relation"], one["node"]["name"]) for one in found["neighbours"]}
    assert told == {("ACQUIRED", "Acme Corp"), ("SUPPLIES", "Gamma Partners")}
    assert (found["node"]["name"], found["degree"]) == ("Beta Labs", 2)
    acquired = next(one for one in found["neighbours"] if one["edge"]["relation"] == "ACQUIRED")
    assert acquired["forward"] is False
    assert acquired["quotation"] == "Acme Corp acquired Beta Labs."
    edge = client.get(f"{AT}/edges/{acquired['edge']['id']}").json()
    assert (edge["source_name"], edge["target_name"]) == ("Acme Corp", "Beta Labs")
    assert [one["source"] for one in edge["statements"]] == ["acme"]
    assert edge["statements"][0]["text"] == acquired["quotation"]


@pytest.mark.parametrize(
    ("place", "status"),
    [
        ("neighbours?name=Nobody", 404),
        ("neighbours?name=Beta Labs&kind=mentions", 422),
        ("neighbours?name=Beta Labs&limit=0", 422),
        ("neighbours", 422),
        ("edges/0000000000000001", 404),
        ("edges/1", 422),
        ("timeline?name=Nobody", 404),
        ("timeline?start=2020-01-01", 422),
    ],
)
def test_what_is_wrong_is_a_problem(client, place, status):
    problem(client.get(f"{AT}/{place}"), status)


def test_kinds_can_be_several(client):
    found = client.get(
        f"{AT}/neighbours", params={"name": "Beta Labs", "kind": ["causes", "related_to"]}
    ).json()
    assert found["degree"] == 2


def test_a_timeline_is_that_of_the_facade(make_server):
    """The real extractor of dates is not at hand: what is told is compared with the facade."""
    server = make_server()
    clew = server.fill()
    found = server.client().get(f"{AT}/timeline", params={"name": "Acme Corp"}).json()
    assert found == {"timeline": to_json(clew.graph.timeline("Acme Corp"))}


def test_a_key_of_other_groups_sees_no_edge(make_server):
    server = make_server()
    clew = server.fill(acl=["board"])
    edge = format_id(clew.graph.neighbours("Acme Corp").neighbours[0].edge.id)
    staff = server.client(server.key(Right.READ, groups=["staff"]))
    board = server.client(server.key(Right.READ, groups=["board"]))
    assert board.get(f"{AT}/edges/{edge}").status_code == 200
    problem(staff.get(f"{AT}/edges/{edge}"), 404)
    problem(staff.get(f"{AT}/neighbours", params={"name": "Acme Corp"}), 404)
