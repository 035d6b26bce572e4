"""Graph algorithms over REST: what they find is what the facade finds; wrong input is a problem."""

import pytest

from clew.serve.access.api_key import Right
from clew.serve.json_form import to_json
from tests.serve.rest.server import problem

AT = "/v1/default/algorithms"


def test_each_algorithm_finds_what_the_facade_finds(make_server):
    server = make_server()
    kb = server.fill().algorithms
    client = server.client()

    def told(algorithm, **parameters):
        answer = client.get(f"{AT}/{algorithm}", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    acme, gamma = "Acme Corp", "Gamma Partners"
    ranked = told("pagerank", limit=2)["nodes"]
    assert len(ranked) == 2
    assert ranked == to_json(kb.pagerank(limit=2))
    near = told("personalised-pagerank", name=acme, kind="related_to")["nodes"]
    assert near == to_json(kb.personalised_pagerank(acme, kinds=["related_to"]))
    new = told("recommendations", name=[acme, gamma])["nodes"]
    assert new == to_json(kb.recommend(acme, gamma))
    ways = told("cheapest-paths", first=acme, second=gamma)["found"]
    assert ways == to_json(kb.cheapest_paths(acme, gamma))
    # Acme acquired Beta, and Beta supplies Gamma: one way, of two steps.
    (way,) = told("attack-paths", entry=acme, target=gamma)["found"]["paths"]
    assert len(way["path"]["steps"]) == 2
    assert told("rings", entity_type="Company")["found"] == to_json(
        kb.fraud_ring_detection("Company")
    )


@pytest.mark.parametrize(
    ("place", "status"),
    [
        ("pagerank?limit=0", 422),
        ("pagerank?damping=1", 422),
        ("pagerank?kind=mentions", 422),
        ("pagerank?temporal_at=2020-01-01", 422),
        ("personalised-pagerank", 422),
        ("recommendations?name=Nobody", 404),
        ("cheapest-paths?first=Acme Corp&second=Acme Corp", 400),
        ("attack-paths?entry=Acme Corp&target=Nobody", 404),
        ("rings?entity_type=Company&min_ring_size=5&max_ring_size=4", 400),
        ("nothing", 404),
    ],
)
def test_what_is_wrong_is_a_problem(client, place, status):
    problem(client.get(f"{AT}/{place}"), status)


def test_a_key_of_other_groups_sees_nothing(make_server):
    server = make_server()
    server.fill(acl=["board"])
    staff = server.client(server.key(Right.READ, groups=["staff"]))
    board = server.client(server.key(Right.READ, groups=["board"]))
    of_board, of_staff = (
        {node["name"] for node in client.get(f"{AT}/pagerank").json()["nodes"]}
        for client in (board, staff)
    )
    # The passage about Acme is the board's; that Beta supplies Gamma is for all.
    assert of_board >= {"Acme Corp", "Ada Moreau", "Beta Labs", "Gamma Partners"}
    assert of_staff == {"Beta Labs", "Gamma Partners"}
    problem(staff.get(f"{AT}/personalised-pagerank", params={"name": "Acme Corp"}), 404)
