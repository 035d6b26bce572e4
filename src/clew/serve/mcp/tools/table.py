"""All tools by name; a new one goes in here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clew.serve.mcp.tool import Tool
from clew.serve.mcp.tools import asking, documents, graph

TOOLS: Mapping[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        asking.ASK,
        asking.HYBRID,
        asking.FLAT,
        asking.SEARCH,
        asking.FEEDBACK,
        graph.PATH,
        graph.NEIGHBOURS,
        graph.TIMELINE,
        graph.COMMUNITIES,
        documents.DOCUMENTS,
        documents.COLLECTIONS,
        documents.INGEST,
        documents.REMOVE,
    )
}


def tool_named(name: str) -> Tool[Any] | None:
    """Return the tool of that name; dots are read as underscores, as in `rag.hybrid_query`."""
    return TOOLS.get(name.replace(".", "_"))
