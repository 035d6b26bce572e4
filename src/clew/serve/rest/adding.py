"""Texts and web pages that a caller adds, as the work that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clew.core.jobs import IngestReport
from clew.serve.rest.caller import Caller
from clew.serve.rest.ingest_jobs import Tell
from clew.serve.rest.models_of_documents import NewDocuments
from clew.serve.rest.ownership import acl_of, require_own_sources
from clew.serve.rest.problems import Problem


def add_documents(caller: Caller, new: NewDocuments) -> Callable[[Tell | None], IngestReport]:
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


def _joined(first: IngestReport, second: IngestReport) -> IngestReport:
    return replace(
        first,
        files=first.files + second.files,
        chunks=first.chunks + second.chunks,
        nodes=first.nodes + second.nodes,
        edges=first.edges + second.edges,
        notes=first.notes + second.notes,
    )
