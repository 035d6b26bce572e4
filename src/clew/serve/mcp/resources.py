"""Documents and nodes as resources: `clew://COLLECTION/documents/ID`, `clew://COLLECTION/nodes/ID`."""

from __future__ import annotations

import json

from mcp.types import Resource, ResourceTemplate, TextResourceContents

from clew.core.errors import NotFoundError
from clew.serve.access.api_key import Right
from clew.serve.addresses import DOCUMENTS, NODES, SCHEME, Address, parse_address
from clew.serve.json_form import to_json
from clew.serve.mcp.call import Call

PAGE = 100
_PLAIN = "text/plain"
_JSON = "application/json"
_SEPARATOR = ":"

TEMPLATES = [
    ResourceTemplate(
        name="document",
        title="A document",
        uri_template=f"{SCHEME}://{{collection}}/{DOCUMENTS}/{{id}}",
        description="The text of a document; `documents` and every source name the ids.",
        mime_type=_PLAIN,
    ),
    ResourceTemplate(
        name="node",
        title="A thing in the knowledge graph",
        uri_template=f"{SCHEME}://{{collection}}/{NODES}/{{id}}",
        description="Names, passages, edges and contradictions of a thing.",
        mime_type=_JSON,
    ),
]


def list_documents(call: Call, cursor: str | None) -> tuple[list[Resource], str | None]:
    """Return a page of the documents that the caller may read, and the cursor of the next one.

    A cursor is OFFSET:COLLECTION; collections come by name, documents by source.

    Raises:
        NotFoundError: the cursor is none of these.
    """
    names = call.readable()
    offset, at = _place(cursor)
    for index, name in enumerate(names):
        if name < at:
            continue
        start = offset if name == at else 0
        caller = call.at(name, Right.READ)
        found = caller.clew.documents(principal=caller.principal)
        shown = [
            Resource(
                uri=str(Address(name, DOCUMENTS, document.id)),
                name=document.source,
                title=document.title or document.source,
                mime_type=_PLAIN,
                size=len(document.text.encode("utf-8", "replace")),
            )
            for document in found[start : start + PAGE]
        ]
        if not shown:
            continue
        if start + PAGE < len(found):
            return shown, f"{start + PAGE}{_SEPARATOR}{name}"
        after = names[index + 1] if index + 1 < len(names) else None
        return shown, None if after is None else f"0{_SEPARATOR}{after}"
    return [], None


def read(call: Call, uri: str) -> TextResourceContents:
    """Return a document's text, or what is told of a node.

    Raises:
        NotFoundError: there is no such thing, or the caller may not see it.
        Problem: the key does not have the right.
    """
    address = parse_address(uri)
    caller = call.at(address.collection, Right.READ)
    if address.kind == NODES:
        found = caller.clew.entities.show(address.id, principal=caller.principal)
        text = json.dumps(to_json(found), ensure_ascii=False)
        return TextResourceContents(uri=uri, mime_type=_JSON, text=text)
    documents = caller.clew.documents(ids=[address.id], principal=caller.principal)
    if not documents:
        raise NotFoundError(f"there is no document {uri}")
    return TextResourceContents(uri=uri, mime_type=_PLAIN, text=documents[0].text)


def _place(cursor: str | None) -> tuple[int, str]:
    if cursor is None:
        return 0, ""
    offset, separator, name = cursor.partition(_SEPARATOR)
    if not separator or not offset.isascii() or not offset.isdigit():
        raise NotFoundError(f"{cursor!r} is no cursor of this list")
    return int(offset), name
