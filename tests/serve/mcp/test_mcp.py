"""MCP, spoken to by the SDK's own client: over HTTP to a real server, and over standard streams."""

from __future__ import annotations

import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from clew.core.errors import StoreError
from clew.core.ids import format_id
from clew.engine.clew import Clew
from clew.serve.access.api_key import Right
from clew.serve.mcp.running import mcp_app
from clew.serve.mcp.tools.table import TOOLS
from tests.serve.rest.server import ACME, Server, running

pytestmark = pytest.mark.asyncio
QUESTION = "Who leads Acme Corp?"
REPOSITORY = Path(__file__).resolve().parents[3]
READING = {
    "ask",
    "rag_hybrid_query",
    "rag_query",
    "search",
    "path",
    "neighbours",
    "timeline",
    "communities",
    "documents",
    "collections",
}
WRITING = {"ingest", "remove"}
KEEPING = {"feedback"}


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path, requests_per_minute=0)
    server.fill()
    yield server
    server.library.close()


@asynccontextmanager
async def over_http(server, *, key=None, mode="auto"):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with running(mcp_app(server.library, server.keys), lifespan="on") as address:
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client


@asynccontextmanager
async def over_stdio(store, *arguments, mode="auto"):
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tests.cli.cheap_models", "mcp", "--store", str(store), *arguments],
        cwd=REPOSITORY,
        env=dict(os.environ),
    )
    async with Client(parameters, mode=mode) as client:
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
async def test_both_transports_and_both_protocols_add_ask_and_tell_progress(
    server, tmp_path, transport, mode
):
    told = []

    async def note(done, total, message):
        told.append((done, message))

    new = {"documents": [{"source": "new", "text": "Dora Lin runs Oak House."}]}
    connected = (
        over_http(server, mode=mode)
        if transport == "http"
        else over_stdio(tmp_path / "fresh.clew", mode=mode)
    )
    async with connected as client:
        added = await client.call_tool("ingest", new, progress_callback=note)
        assert not added.is_error, added.content
        assert added.structured_content["files"][0]["outcome"] == "added"
        asked = await client.call_tool("ask", {"question": "Who runs Oak House?"})
        assert "Dora Lin" in asked.structured_content["answer"]
        assert [one["source"] for one in asked.structured_content["sources"]] == ["new"]
        assert "[1]" in asked.content[0].text
        assert "Sources:\n[1] new" in asked.content[0].text
    numbers = [done for done, _ in told]
    assert numbers == sorted(set(numbers))
    assert any(message.startswith("embed") for _, message in told), told


async def test_tools_are_listed_with_schemas_and_hints(server):
    async with over_http(server) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(listed) == READING | WRITING | KEEPING == set(TOOLS)
    for name, tool in listed.items():
        assert tool.input_schema["type"] == "object", name
        assert tool.output_schema["type"] == "object", name
        assert tool.description
        assert tool.title
        assert tool.annotations.read_only_hint is (name in READING)
        assert tool.annotations.destructive_hint is (name in WRITING)
        assert tool.annotations.idempotent_hint is (name not in KEEPING)
        assert tool.annotations.open_world_hint is (name == "ingest")


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("ask", {"question": QUESTION, "mode": "hybrid", "top_k": 3}, "Ada Moreau"),
        ("rag_query", {"question": QUESTION}, "Ada Moreau"),
        ("rag.query", {"question": QUESTION}, "Ada Moreau"),
        ("rag.hybrid_query", {"question": QUESTION, "mode": "balanced", "seed_k": 8}, "Ada"),
        ("search", {"question": QUESTION}, "Ada Moreau leads"),
        ("path", {"first": "Acme Corp", "second": "Gamma Partners"}, "→ SUPPLIES →"),
        ("neighbours", {"name": "Beta Labs"}, "← ACQUIRED ← Acme Corp"),
        ("communities", {}, "There are none yet"),
        ("timeline", {"name": "Acme Corp"}, "Nothing is dated"),
        ("documents", {"limit": 1}, "2 documents"),
        ("collections", {}, "default"),
        ("feedback", {"question": QUESTION, "score": 0.5}, "kept as"),
    ],
)
async def test_reading_tools_tell_in_words_and_data(server, name, arguments, expected):
    """The client checks the data against the tool's schema."""
    async with over_http(server) as client:
        await client.list_tools()
        result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert expected in result.content[0].text
    assert result.structured_content


async def test_the_hybrid_tool_gives_the_guides_response_and_the_sources(server):
    async with over_http(server) as client:
        data = (
            await client.call_tool("rag_hybrid_query", {"question": QUESTION})
        ).structured_content
    for name in (
        "answer",
        "subgraph",
        "retrieval_provenance",
        "path_relevance_scores",
        "retrieval_mode",
        "fusion_alpha",
        "seed_fusion_stats",
        "inferred_edges",
        "query_time_ms",
        "sources",
    ):
        assert name in data
    assert data["retrieval_mode"] == "balanced"
    assert data["seed_fusion_stats"]["fused_seeds"] > 0


async def test_a_document_is_removed_with_a_receipt(server):
    document = format_id(server.library.collection("default").documents()[0].id)
    async with over_http(server) as client:
        gone = (await client.call_tool("remove", {"document": document})).structured_content
        assert (gone["document"], gone["source"]) == (document, "acme")
        assert gone["removed"]["documents"] == 1
        again = await client.call_tool("remove", {"document": document})
    assert again.is_error
    assert "no document" in again.content[0].text


async def test_documents_and_nodes_are_resources(server):
    server.library.create("other").add({"source": "elsewhere", "text": "Cleo left."})
    async with over_http(server) as client:
        listed = (await client.list_resources()).resources
        assert [one.name for one in listed] == ["acme", "beta"]
        cursor = (await client.list_resources()).next_cursor
        rest = await client.list_resources(cursor=cursor)
        assert [one.name for one in rest.resources] == ["elsewhere"]
        assert rest.next_cursor is None
        (text,) = (await client.read_resource(listed[0].uri)).contents
        assert text.text == ACME
        node = format_id(server.library.collection("default").node("Acme Corp").id)
        (told,) = (await client.read_resource(f"clew://default/nodes/{node}")).contents
        assert '"name": "Acme Corp"' in told.text
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == [
            "clew://{collection}/documents/{id}",
            "clew://{collection}/nodes/{id}",
        ]
        for wrong in (
            "clew://default/documents/0000000000000001",
            "clew://default/x/1",
            "file:///a",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)


async def test_prompts_name_the_tools(server):
    async with over_http(server) as client:
        prompts = {one.name: one for one in (await client.list_prompts()).prompts}
        assert set(prompts) == {"answer_with_sources", "connect", "survey"}
        given = {"first": "Acme Corp", "second": "Beta Labs", "collection": "default"}
        text = (await client.get_prompt("connect", given)).messages[0].content.text
        assert "Acme Corp and Beta Labs" in text
        assert "`path`" in text
        with pytest.raises(MCPError, match="question"):
            await client.get_prompt("answer_with_sources", {})
        with pytest.raises(MCPError, match="no prompt"):
            await client.get_prompt("nonsense", {})


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("ask", {}, "question"),
        ("ask", {"question": QUESTION, "nonsense": 1}, "nonsense"),
        ("ask", {"question": QUESTION, "collection": "other"}, "no collection 'other'"),
        ("neighbours", {"name": "Nobody"}, "Nobody"),
        ("ingest", {}, "nothing to add"),
        ("ingest", {"documents": [{"source": "s", "text": "T."}], "collection": "jobs"}, "server"),
        ("ingest", {"documents": [{"source": "s", "text": "T."}], "collection": "a b"}, "name"),
    ],
)
async def test_what_an_agent_can_mend_is_an_error_of_the_tool(server, name, arguments, said):
    async with over_http(server) as client:
        result = await client.call_tool(name, arguments)
    assert result.is_error
    assert said in result.content[0].text


async def test_an_unknown_tool_is_an_error_of_the_protocol(server):
    async with over_http(server) as client:
        with pytest.raises(MCPError, match="no tool"):
            await client.call_tool("nonsense", {})


@pytest.mark.parametrize("error", [StoreError("the inside"), ZeroDivisionError("the inside")])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_nothing_of_the_inside_is_told(server, monkeypatch, error, mode):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(Clew, "ask", fail)
    monkeypatch.setattr(Clew, "documents", fail)
    async with over_http(server, mode=mode) as client:
        if isinstance(error, StoreError):
            result = await client.call_tool("ask", {"question": QUESTION})
            assert result.is_error
            assert "inside" not in result.content[0].text
        else:
            with pytest.raises(MCPError) as told:
                await client.call_tool("ask", {"question": QUESTION})
            assert "inside" not in str(told.value)
        with pytest.raises(MCPError) as told:
            await client.list_resources()
        assert "inside" not in str(told.value)


async def test_keys_have_their_rights_collections_and_groups(tmp_path):
    server = Server(tmp_path, requests_per_minute=0)
    server.fill(acl=["board"])
    server.library.create("other")
    board = server.key(Right.READ, collections=["default"], groups=["board"])
    staff = server.key(Right.READ, groups=["staff"])
    new = {"documents": [{"source": "s", "text": "Text."}]}
    try:
        async with over_http(server, key=board) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == READING | KEEPING
            found = await client.call_tool("collections", {})
            assert found.structured_content["collections"] == ["default"]
            assert "Ada" in (await client.call_tool("ask", {"question": QUESTION})).content[0].text
            for name, given in (
                ("ingest", new),
                ("search", {"question": "x", "collection": "other"}),
            ):
                refused = await client.call_tool(name, given)
                assert refused.is_error
                assert "right" in refused.content[0].text
        async with over_http(server, key=staff) as client:
            assert "Ada" not in str(await client.call_tool("ask", {"question": QUESTION}))
            assert [one.name for one in (await client.list_resources()).resources] == ["beta"]
            hidden = server.library.collection("default").documents()[0]
            with pytest.raises(MCPError):
                await client.read_resource(f"clew://default/documents/{format_id(hidden.id)}")
    finally:
        server.library.close()


async def test_http_is_behind_the_gate(server):
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    plain = {"Accept": "application/json, text/event-stream"}
    app = mcp_app(server.library, server.keys)
    with running(app, lifespan="on") as address:
        for headers, status in (
            ({"Host": "evil.example"}, 421),
            ({"Origin": "https://evil.example"}, 403),
            ({"Origin": "http://localhost:3000"}, 200),
            ({}, 200),
        ):
            response = httpx.post(f"{address}/mcp", json=body, headers={**plain, **headers})
            assert response.status_code == status, response.text
        server.key(Right.READ)
        assert httpx.post(f"{address}/mcp", json=body, headers=plain).status_code == 401


async def test_stdio_keeps_to_what_it_was_started_for(tmp_path):
    store = tmp_path / "kb.clew"
    async with over_stdio(store, "--read-only") as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == READING | KEEPING
        refused = await client.call_tool(
            "ingest", {"documents": [{"source": "s", "text": "Text."}]}
        )
        assert refused.is_error
