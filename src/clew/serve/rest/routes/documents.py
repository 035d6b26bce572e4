"""Documents: add texts, pages and files; list; remove with a receipt."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Path, Query, Request, UploadFile
from fastapi.responses import JSONResponse

from clew.core.ids import parse_id
from clew.core.jobs import IngestReport
from clew.serve.access.api_key import Right
from clew.serve.json_form import document_json, to_json
from clew.serve.rest.adding import work_of
from clew.serve.rest.caller import Caller, caller_at
from clew.serve.rest.ingest_jobs import accept, order_of
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.models_of_documents import NewDocuments
from clew.serve.rest.models_of_questions import Words
from clew.serve.rest.orders import Upload
from clew.serve.rest.problems import Problem
from clew.serve.rest.services import services_of
from clew.serve.rest.uploads import suffix_of

router = APIRouter(prefix="/v1/{collection}/documents", tags=["documents"])
Collection = Annotated[str, Path(min_length=1, max_length=200)]
Wait = Annotated[bool, Query(description="False: answer 202 with a job at once.")]
_ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"description": "A job, if not to be waited for"}
}


@router.get("", summary="List documents")
def documents(request: Request, collection: Collection) -> JsonObject:
    """Return the documents that the caller may see, without their texts."""
    caller = caller_at(request, collection, Right.READ)
    found = caller.clew.documents(principal=caller.principal)
    return {"documents": [document_json(document) for document in found]}


@router.post("", summary="Add texts and web pages", response_model=JsonObject, responses=_ACCEPTED)
def add(
    request: Request, collection: Collection, body: NewDocuments, wait: Wait = True
) -> JsonObject | JSONResponse:
    """Index texts and pages and report each: added, updated, unchanged or failed."""
    caller = caller_at(request, collection, Right.WRITE)
    return _answer(request, caller, body, wait=wait)


@router.post("/upload", summary="Add a file", response_model=JsonObject, responses=_ACCEPTED)
def upload(
    request: Request,
    collection: Collection,
    file: Annotated[UploadFile, File()],
    acl: Annotated[list[Words] | None, Form()] = None,
    wait: Wait = True,
) -> JsonObject | JSONResponse:
    """Index a file. The server names it; the client's name is kept as metadata `filename`."""
    caller = caller_at(request, collection, Right.WRITE)
    filename = file.filename or ""
    suffix = suffix_of(filename, services_of(request).settings.upload_types)
    sent = Upload(file.file.read(), suffix, filename, tuple(acl or ()))
    return _answer(request, caller, sent, wait=wait)


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


def _answer(
    request: Request, caller: Caller, what: NewDocuments | Upload, *, wait: bool
) -> JsonObject | JSONResponse:
    order = order_of(request, caller, what)
    if not wait:
        return accept(request, order)
    services = services_of(request)
    work = work_of(order, services.library)
    with services.writing.turn():
        report = work(None)
    return report_json(report)


def report_json(report: IngestReport) -> JsonObject:
    """Return what became of each source, and the counts."""
    return {
        "files": [to_json(file) for file in report.files],
        "chunks": report.chunks,
        "nodes": report.nodes,
        "edges": report.edges,
        "notes": list(report.notes),
    }
