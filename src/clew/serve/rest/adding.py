"""Texts, web pages and files that a caller adds, as the work that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clew.core.jobs import IngestReport, Progress
from clew.core.query import Principal
from clew.engine.library import Library
from clew.serve.rest.caller import Caller
from clew.serve.rest.models_of_documents import NewDocuments
from clew.serve.rest.orders import Order, Upload
from clew.serve.rest.ownership import acl_of, require_own_sources
from clew.serve.rest.problems import Problem
from clew.serve.rest.uploads import server_named, shown_name

Tell = Callable[[Progress], None]
Work = Callable[[Tell | None], IngestReport]


def work_of(order: Order, library: Library) -> Work:
    """Return what does an order, once it is its turn to write.

    Raises:
        NotFoundError: the collection is gone.
        Problem: it cannot be done as asked.
    """
    principal = Principal(order.groups)
    caller = Caller(library.collection(order.collection), order.collection, principal)
    if isinstance(order.what, Upload):
        return add_upload(caller, order.what)
    return add_documents(caller, order.what)


def add_documents(caller: Caller, new: NewDocuments) -> Work:
    """Return what adds the documents, once it is its turn to write.

    Raises:
        Problem: there is nothing to add, or a group is not the caller's.
    """
    if not new.documents and not new.urls:
        raise Problem(422, "There is nothing to add; give documents or urls.")
    records = [document.record(acl_of(caller, document.acl)) for document in new.documents]
    pages_acl = acl_of(caller, new.acl)

    def work(tell: Tell | None) -> IngestReport:
        require_own_sources(caller, [each.source for each in new.documents] + new.urls)
        texts = caller.clew.add(records, progress=tell)
        if not new.urls:
            return texts
        pages = caller.clew.add(
            *new.urls, acl=pages_acl, allow_private_addresses=False, progress=tell
        )
        return _joined(texts, pages)

    return work


def add_upload(caller: Caller, upload: Upload) -> Work:
    """Return what adds a file, once it is its turn to write.

    Raises:
        Problem: a group is not the caller's.
    """
    seen_by = acl_of(caller, upload.acl)
    named = server_named(upload.data, upload.suffix, seen_by)

    def work(tell: Tell | None) -> IngestReport:
        require_own_sources(caller, [named.name])
        known = {"filename": shown_name(upload.filename)}
        return caller.clew.add(named, acl=seen_by, metadata=known, progress=tell)

    return work


def _joined(first: IngestReport, second: IngestReport) -> IngestReport:
    return replace(
        first,
        files=first.files + second.files,
        chunks=first.chunks + second.chunks,
        nodes=first.nodes + second.nodes,
        edges=first.edges + second.edges,
        notes=first.notes + second.notes,
    )
