"""The OpenAPI document: complete, and no request that it allows makes the server fail."""

from collections import Counter
from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import integers
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error

from clew.serve.rest.openai.errors import is_openai_path


def test_every_route_is_described_with_a_summary_and_an_example(client):
    contract = client.get("/openapi.json").json()
    routes = {
        (method, path): operation
        for path, operations in contract["paths"].items()
        for method, operation in operations.items()
    }
    assert {
        ("post", "/rag/hybrid-query"),
        ("post", "/rag/query"),
        ("post", "/v1/chat/completions"),
        ("get", "/v1/models"),
        ("post", "/v1/{collection}/query"),
        ("post", "/v1/{collection}/search"),
        ("post", "/v1/{collection}/stream"),
        ("delete", "/v1/{collection}/documents/{document}"),
    } <= set(routes)
    for route, operation in routes.items():
        assert operation["summary"], route
        assert operation["description"], route
        spoken = "application/json" if is_openai_path(route[1]) else "application/problem+json"
        assert set(operation["responses"]["5XX"]["content"]) == {spoken}, route
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body:
            name = body["schema"]["$ref"].rpartition("/")[2]
            assert contract["components"]["schemas"][name]["examples"], route


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(GenerationMode))
def test_no_request_makes_the_server_fail(make_server, kind):
    """Neither what the contract allows nor what it forbids does.

    Two thirds of the calls with a collection go to the one that is there.
    """
    server = make_server(requests_per_minute=0)
    server.fill()
    statuses: Counter[int] = Counter()
    with server.listening() as address:
        contract = schemathesis.openapi.from_url(f"{address}/openapi.json")
        operations = [found.ok() for found in contract.get_all_operations()]  # type: ignore[union-attr]
        for operation in operations:

            @settings(
                max_examples=20,
                deadline=None,
                derandomize=True,
                database=None,
                phases=[Phase.explicit, Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=kind), chance=integers(0, 2))
            def call(case, chance):
                place = case.path_parameters
                if chance and isinstance(place, dict) and "collection" in place:
                    place["collection"] = "default"
                response = case.call(timeout=60)
                statuses[response.status_code] += 1
                case.validate_response(response, checks=[not_a_server_error])

            # What takes no input can be given no wrong one.
            with suppress(Unsatisfiable):
                call()
    assert len(operations) >= 35
    if kind is GenerationMode.POSITIVE:
        assert statuses[200] > 50, statuses
    assert sum(statuses[status] for status in (400, 404, 415, 422)) > 20, statuses
    assert not [status for status in statuses if status >= 500]
