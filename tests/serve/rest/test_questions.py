"""Questions over REST give what the facade gives, as the guide's schema and as a stream."""

import threading

import httpx
import pytest

from clew.core.errors import ReasoningError
from clew.core.query import FusionMode
from clew.engine.clew import Clew
from clew.engine.questions import QueryParameters
from clew.serve.json_form import answer_json, retrieval_json
from clew.serve.rest.models_of_questions import Question
from clew.serve.rest.streaming import pieces_of
from tests.serve.rest.server import events, problem

QUESTION = "Who leads Acme Corp?"


def without_times(body):
    return {name: value for name, value in body.items() if name not in {"timings", "query_time_ms"}}


def test_a_question_can_say_all_that_the_facade_takes():
    assert set(Question.model_fields) == {"question", "mode", "top_k"} | (
        QueryParameters.__optional_keys__ - {"filter"}
    )


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"mode": "keyword", "top_k": 1},
        {"mode": "kg_only", "max_hops": 1, "labels": ["PERSON"]},
        {"mode": "dual", "fusion_strategy": "learned", "fusion_weights": [0.3, 0.7]},
        {"sources": ["beta"]},
        {"where": {"not": {"year": {"gte": 2000}}}},
    ],
)
def test_answers_and_passages_are_those_of_the_facade(server, client, given):
    clew = server.library.collection("default")
    limit = {"time_limit_ms": server.settings.search_ms}
    arguments = {name: tuple(v) if name == "fusion_weights" else v for name, v in given.items()}
    answer = client.post("/v1/default/query", json={"question": QUESTION, **given})
    assert without_times(answer.json()) == without_times(
        answer_json(clew.ask(QUESTION, **arguments, **limit))
    )
    found = client.post("/v1/default/search", json={"question": QUESTION, **given})
    assert without_times(found.json()) == without_times(
        retrieval_json(clew.search(QUESTION, **arguments, **limit))
    )
    assert found.json()["results"]


def test_the_time_limit_of_the_server_reaches_the_store(make_server, monkeypatch):
    server = make_server(search_ms=1234)
    server.fill()
    seen = []
    plain = Clew.ask

    def watched(self, question, **parameters):
        seen.append(parameters["time_limit_ms"])
        return plain(self, question, **parameters)

    monkeypatch.setattr(Clew, "ask", watched)
    client = server.client()
    for given in ({}, {"time_limit_ms": 99}, {"time_limit_ms": 5000}):
        client.post("/v1/default/query", json={"question": QUESTION, **given})
    client.post("/rag/hybrid-query", json={"question": QUESTION})
    assert seen == [1234, 99, 1234, 1234]


# The guide's response schema, name by name.
_GUIDE = {
    "answer",
    "subgraph",
    "retrieval_provenance",
    "path_relevance_scores",
    "retrieval_mode",
    "fusion_alpha",
    "seed_fusion_stats",
    "inferred_edges",
    "query_time_ms",
}
_PROVENANCE = {
    "node_id",
    "vector_score",
    "graph_degree",
    "seed_rank",
    "hop_distance",
    "fused_score",
    "signals",
}


def test_the_guides_request_is_taken_and_its_response_returned(client):
    body = {
        "question": "How is Acme Corp connected to Gamma Partners?",
        "mode": "balanced",
        "fusion_alpha": 0.5,
        "max_hops": 2,
        "seed_k": 5,
        "max_nodes": 50,
        "write_inferred": False,
        "vector_expansion": True,
        "semantic_path_scoring": True,
        "label_filter": ["ORG", "PERSON"],
        "max_tokens": 1024,
        "temperature": 0.0,
    }
    answered = client.post("/rag/hybrid-query", json=body).json()
    assert set(answered) >= _GUIDE
    assert set(answered["subgraph"]) >= {"nodes", "paths"}
    assert set(answered["retrieval_provenance"][0]) >= _PROVENANCE
    assert set(answered["path_relevance_scores"][0]) == {
        "path_index",
        "relevance_score",
        "matching_terms",
        "path_description",
    }
    assert {"vector_seeds", "degree_seeds", "fused_seeds"} <= set(answered["seed_fusion_stats"])
    assert isinstance(answered["query_time_ms"], int)
    named = {node["name"] for node in answered["subgraph"]["nodes"]}
    assert {"Acme Corp", "Beta Labs", "Gamma Partners"} <= named


@pytest.mark.parametrize(
    ("given", "mode", "alpha"),
    [
        ({}, "balanced", 0.5),
        ({"mode": "vector_first"}, "vector_first", 0.2),
        ({"mode": "graph_first"}, "graph_first", 0.8),
        ({"mode": "graph_first", "fusion_alpha": 0.3}, "graph_first", 0.3),
    ],
)
def test_mode_is_the_preset_and_is_echoed(client, given, mode, alpha):
    for path in ("/rag/hybrid-query", "/rag/query"):
        answered = client.post(path, json={"question": QUESTION, **given}).json()
        assert (answered["retrieval_mode"], answered["fusion_alpha"]) == (mode, alpha)
    assert {preset.value for preset in FusionMode} == {"balanced", "vector_first", "graph_first"}


def test_the_flat_path_walks_no_graph(client):
    flat, hybrid = (
        client.post(path, json={"question": QUESTION}).json()
        for path in ("/rag/query", "/rag/hybrid-query")
    )
    assert "Ada Moreau leads Acme Corp." in flat["answer"]
    assert flat["subgraph"] == {"nodes": [], "edges": [], "paths": []}
    assert hybrid["subgraph"]["nodes"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "hybrid"},
        {"max_hops": 0},
        {"max_hops": 6},
        {"seed_k": 21},
        {"max_nodes": 4},
        {"fusion_alpha": 1.1},
        {"questions": "x"},
        {"question": ""},
    ],
)
def test_the_guides_ranges_hold(client, wrong):
    problem(client.post("/rag/hybrid-query", json={"question": QUESTION, **wrong}), 422)


def test_another_collection_can_be_asked(server, client):
    server.library.create("deeds").add({"source": "d", "text": "Dora Lin runs Oak House."})
    body = {"question": "Who runs Oak House?", "collection": "deeds"}
    assert "Dora Lin" in client.post("/rag/query", json=body).json()["answer"]
    problem(client.post("/rag/query", json={**body, "collection": "nothing"}), 404)


def test_a_stream_gives_evidence_then_sentences_then_the_whole(server):
    with server.listening() as address:
        response = httpx.post(f"{address}/v1/default/stream", json={"question": QUESTION})
        whole = httpx.post(f"{address}/v1/default/query", json={"question": QUESTION}).json()
    assert response.headers["content-type"].startswith("text/event-stream")
    (first, evidence), *sentences, (last, done) = events(response.text)
    assert (first, last) == ("evidence", "done")
    assert {name for name, _ in sentences} == {"sentence"}
    assert evidence["results"] == whole["results"]
    assert "answer" not in evidence
    assert "".join(data["text"] for _, data in sentences) == whole["answer"] == done["answer"]
    cited = {marker for _, data in sentences for marker in data["citations"]}
    assert cited == {source["marker"] for source in done["sources"]}
    assert cited
    assert done["sources"] == whole["sources"]


def test_the_evidence_comes_before_the_answer_is_written(server, monkeypatch):
    """The answerer waits until the client has read the evidence."""
    read = threading.Event()
    components = server.library.collection("default")._components
    answerer = components.answerer()
    plain = type(answerer).answer

    def waiting(self, retrieval, **options):
        assert read.wait(30)
        return plain(self, retrieval, **options)

    monkeypatch.setattr(type(answerer), "answer", waiting)
    with (
        server.listening() as address,
        httpx.stream(
            "POST", f"{address}/v1/default/stream", json={"question": QUESTION}, timeout=60
        ) as response,
    ):
        received = ""
        for part in response.iter_text():
            received += part
            if "event: evidence" in received:
                read.set()
        assert [name for name, _ in events(received)][-1] == "done"


def test_an_answer_that_fails_after_the_evidence_ends_the_stream_with_a_problem(
    server, client, monkeypatch
):
    answerer = server.library.collection("default")._components.answerer()

    def fail(*_, **__):
        raise ReasoningError("inside")

    monkeypatch.setattr(type(answerer), "answer", fail)
    response = client.post("/v1/default/stream", json={"question": QUESTION})
    (_, _), (name, body) = events(response.text)
    assert name == "error"
    assert body["status"] == 500
    assert body["request_id"] == response.headers["x-request-id"]
    assert "inside" not in response.text


@pytest.mark.parametrize(
    "text",
    ["", "A. [1] B. [2]\nC. [3]", "No answer.", "A [1] b [12] c", "One line\nanother", "[1]"],
)
def test_pieces_joined_are_the_text(text):
    pieces = pieces_of(text)
    assert "".join(pieces) == text
    assert len(pieces) == {
        "A. [1] B. [2]\nC. [3]": 3,
        "A [1] b [12] c": 3,
        "One line\nanother": 2,
    }.get(text, 1 if text else 0)


def test_nodes_paths_and_communities(server, client):
    clew = server.library.collection("default")
    acme = client.get("/v1/default/nodes", params={"name": "Acme Corp"}).json()["node"]
    assert (acme["name"], acme["label"]) == ("Acme Corp", "ORG")
    assert client.get(f"/v1/default/nodes/{acme['id']}").json()["node"] == acme
    found = client.get(
        "/v1/default/paths", params={"first": "Acme Corp", "second": "Gamma Partners"}
    ).json()["paths"]
    assert [step["target_name"] for step in found[0]["steps"]] == ["Beta Labs", "Gamma Partners"]
    assert found[0]["description"] == "Acme Corp → ACQUIRED → Beta Labs → SUPPLIES → Gamma Partners"
    built = client.post("/v1/default/communities").json()["report"]
    listed = client.get("/v1/default/communities").json()["communities"]
    assert len(listed) == sum(built["communities"]) == len(clew.communities())
    coarse = client.get("/v1/default/communities", params={"level": 0}).json()["communities"]
    assert len(coarse) == built["communities"][0]
