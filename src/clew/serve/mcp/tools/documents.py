"""Tools that change or list what a collection holds."""

from __future__ import annotations

from pydantic import Field

from clew.core.ids import parse_id
from clew.serve.access.api_key import Right
from clew.serve.json_form import Json, document_json, to_json
from clew.serve.mcp.arguments import AtCollection
from clew.serve.mcp.call import Call
from clew.serve.mcp.outputs import Collections, Documents, Ingested, Removed
from clew.serve.mcp.tool import Told, Tool
from clew.serve.mcp.wording import report_text
from clew.serve.rest.adding import add_documents
from clew.serve.rest.models_of_documents import NewDocuments, TextDocument, WebAddress
from clew.serve.rest.models_of_questions import Identifier, Request, Words
from clew.serve.rest.problems import Problem

_MOST_LISTED = 1000


class Given(AtCollection):
    """Texts and web pages to add."""

    documents: list[TextDocument] = Field(default=[], max_length=1000)
    urls: list[WebAddress] = Field(default=[], max_length=100)
    acl: list[Words] = Field(default=[], max_length=1000, description="Groups that see the pages.")


class Named(AtCollection):
    """A document by its id."""

    document: Identifier


class Listing(AtCollection):
    """A part of the list of documents."""

    limit: int = Field(default=100, ge=1, le=_MOST_LISTED)
    offset: int = Field(default=0, ge=0)


class Nothing(Request):
    """No arguments."""


def _ingest(call: Call, given: Given) -> Told:
    call.make_if_allowed(given.collection)
    caller = call.at(given.collection, Right.WRITE)
    new = NewDocuments(documents=given.documents, urls=given.urls, acl=given.acl)
    work = add_documents(caller, new)
    with call.services.writing.turn():
        report = work(call.tell)
    files: list[Json] = [
        {
            "source": file.source,
            "outcome": file.outcome.value,
            "document": None if file.document is None else f"{file.document:016x}",
            "chunks": file.chunks,
            "reason": file.reason,
            "warnings": list(file.warnings),
        }
        for file in report.files
    ]
    data: dict[str, Json] = {
        "collection": caller.collection,
        "files": files,
        "chunks": report.chunks,
        "nodes": report.nodes,
        "edges": report.edges,
        "notes": list(report.notes),
    }
    return Told(report_text(report), data)


def _remove(call: Call, given: Named) -> Told:
    caller = call.at(given.collection, Right.WRITE)
    identifier = parse_id(given.document)
    with call.services.writing.turn():
        if not caller.clew.documents(ids=[identifier], principal=caller.principal):
            raise Problem(404, f"There is no document {given.document}.")
        receipt = caller.clew.remove(identifier)
    data: dict[str, Json] = {
        "collection": caller.collection,
        "document": given.document,
        "source": receipt.source,
        "removed": to_json(receipt.removed),
        "indexes": to_json(receipt.indexes),
    }
    return Told(f"removed {receipt.source}: {sum(receipt.removed.values())} rows", data)


def _documents(call: Call, given: Listing) -> Told:
    caller = call.at(given.collection, Right.READ)
    found = caller.clew.documents(principal=caller.principal)
    shown = found[given.offset : given.offset + given.limit]
    lines = [f"{one.id:016x}  {one.source}  {one.title}" for one in shown]
    data: dict[str, Json] = {
        "collection": caller.collection,
        "total": len(found),
        "documents": [document_json(one) for one in shown],
    }
    return Told("\n".join([f"{len(found)} documents", *lines]), data)


def _collections(call: Call, _: Nothing) -> Told:
    names = call.readable()
    default = call.services.settings.collection
    return Told(
        "\n".join(names) or "There are none.",
        {"collections": list(names), "default": default},
    )


INGEST = Tool(
    name="ingest",
    title="Add documents",
    description=(
        "Index texts and web pages: passages, vectors, and the knowledge graph of what they say. "
        "A text under a source that is there replaces it; the same text again changes nothing. "
        "Whoever may make collections makes one by adding to it."
    ),
    arguments=Given,
    output=Ingested,
    run=_ingest,
    right=Right.WRITE,
    read_only=False,
    destructive=True,
    open_world=True,
)
REMOVE = Tool(
    name="remove",
    title="Remove a document",
    description="Remove a document, and whatever rested on it alone, for good; gives a receipt.",
    arguments=Named,
    output=Removed,
    run=_remove,
    right=Right.WRITE,
    read_only=False,
    destructive=True,
)
DOCUMENTS = Tool(
    name="documents",
    title="List documents",
    description="List the documents of a collection, without their texts.",
    arguments=Listing,
    output=Documents,
    run=_documents,
)
COLLECTIONS = Tool(
    name="collections",
    title="List collections",
    description="List the collections that can be asked.",
    arguments=Nothing,
    output=Collections,
    run=_collections,
)
