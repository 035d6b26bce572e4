"""Documents: add texts, pages and files; list; remove with a receipt."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, Form, Path, Request, UploadFile

from clew.core.ids import parse_id
from clew.core.jobs import IngestReport
from clew.serve.access.api_key import Right
from clew.serve.json_form import document_json, to_json
from clew.serve.rest.caller import caller_at
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.models_of_documents import NewDocuments
from clew.serve.rest.models_of_questions import Words
from clew.serve.rest.ownership import acl_of, require_own_sources
from clew.serve.rest.problems import Problem
from clew.serve.rest.services import services_of
from clew.serve.rest.uploads import server_named, shown_name, suffix_of

router = APIRouter(prefix="/v1/{collection}/documents", tags=["documents"])
Collection = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("", summary="List documents")
def documents(request: Request, collection: Collection) -> JsonObject:
    """Return the documents that the caller may see, without their texts."""
    caller = caller_at(request, collection, Right.READ)
    found = caller.clew.documents(principal=caller.principal)
    return {"documents": [document_json(document) for document in found]}


@router.post("", summary="Add texts and web pages")
def add(request: Request, collection: Collection, body: NewDocuments) -> JsonObject:
    """Index texts and pages and report each: added, updated, unchanged or failed."""
    caller = caller_at(request, collection, Right.WRITE)
    if not body.documents and not body.urls:
        raise Problem(422, "There is nothing to add; give documents or urls.")
    records = [document.record(acl_of(caller, document.acl)) for document in body.documents]
    pages_acl = acl_of(caller, body.acl)
    with services_of(request).writing.turn():
        require_own_sources(caller, [each.source for each in body.documents] + body.urls)
        reports = []
        if records:
            reports.append(caller.clew.add(records))
        if body.urls:
            reports.append(
                caller.clew.add(*body.urls, acl=pages_acl, allow_private_addresses=False)
            )
    return _report(reports)


@router.post("/upload", summary="Add a file")
def upload(
    request: Request,
    collection: Collection,
    file: Annotated[UploadFile, File()],
    acl: Annotated[list[Words] | None, Form()] = None,
) -> JsonObject:
    """Index a file. The server names it; the client's name is kept as metadata `filename`."""
    caller = caller_at(request, collection, Right.WRITE)
    services = services_of(request)
    filename = file.filename or ""
    suffix = suffix_of(filename, services.settings.upload_types)
    seen_by = acl_of(caller, acl or ())
    named = server_named(file.file.read(), suffix, seen_by)
    with services.writing.turn():
        require_own_sources(caller, [named.name])
        report = caller.clew.add(named, acl=seen_by, metadata={"filename": shown_name(filename)})
    return _report([report])


@router.delete("/{document}", summary="Remove a document")
def remove(
    request: Request,
    collection: Collection,
    document: Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")],
) -> JsonObject:
    """Remove a document and all that rested on it alone; the receipt counts rows by table."""
    caller = caller_at(request, collection, Right.WRITE)
    identifier = parse_id(document)
    with services_of(request).writing.turn():
        if not caller.clew.documents(ids=[identifier], principal=caller.principal):
            raise Problem(404, f"The collection {collection!r} has no document {document}.")
        return {"receipt": to_json(caller.clew.remove(identifier))}


def _report(reports: list[IngestReport]) -> JsonObject:
    return {
        "files": [to_json(file) for report in reports for file in report.files],
        "chunks": sum(report.chunks for report in reports),
        "nodes": sum(report.nodes for report in reports),
        "edges": sum(report.edges for report in reports),
        "notes": [note for report in reports for note in report.notes],
    }
