"""The OpenAPI document: complete, and no request that it allows makes the server fail."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import load_all_checks, not_a_server_error

from tests.serve.rest.server import Server


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
        ("post", "/v1/{collection}/query"),
        ("post", "/v1/{collection}/search"),
        ("post", "/v1/{collection}/stream"),
        ("delete", "/v1/{collection}/documents/{document}"),
    } <= set(routes)
    for route, operation in routes.items():
        assert operation["summary"], route
        assert operation["description"], route
        assert "application/problem+json" in operation["responses"]["5XX"]["content"], route
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body:
            name = body["schema"]["$ref"].rpartition("/")[2]
            assert contract["components"]["schemas"][name]["examples"], route


@pytest.fixture(scope="module")
def contract(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("contract"), requests_per_minute=0)
    server.fill()
    with server.listening() as address:
        yield schemathesis.openapi.from_url(f"{address}/openapi.json")
    server.library.close()


load_all_checks()
schema = schemathesis.pytest.from_fixture("contract")


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_request_makes_the_server_fail(case):
    """Half of the calls go to the collection that is there; the others find none."""
    if "collection" in (case.path_parameters or {}) and len(case.path_parameters["collection"]) % 2:
        case.path_parameters["collection"] = "default"
    case.validate_response(case.call(timeout=60), checks=[not_a_server_error])
