"""The first step: sources are read, parsed and cut, and written document by document."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from clew.core.batches import ChunkBatch
from clew.core.documents import Chunk, Document, Stage
from clew.core.errors import IngestError
from clew.core.jobs import FileOutcome, FileReport
from clew.core.metadata_schema import MetadataSchema
from clew.engine.indexing.links import link_earlier
from clew.engine.indexing.run import Run
from clew.engine.indexing.supersession import keep_one_value
from clew.engine.indexing.titles import write_title
from clew.engine.model_calls.forgetting import forget_answers
from clew.engine.precedence import note_precedence
from clew.ingest.chunker import ChunkingPreset
from clew.ingest.documents import build_chunks, build_document
from clew.ingest.fields import CallerFields
from clew.ingest.language import detect_language
from clew.ingest.metadata_schema import conform
from clew.ingest.sources import LoadedSource, SourceFailure, SourceItem


def gather(
    run: Run,
    items: Iterable[SourceItem | SourceFailure],
    *,
    defaults: CallerFields,
    chunking: ChunkingPreset,
    schema: MetadataSchema | None = None,
) -> None:
    """Write every source that is new or has changed, one transaction each.

    What cannot be read, or has metadata that break the schema, becomes a failed or skipped source of the report, and the rest goes on.
    """
    stream = iter(items)
    done = 0
    while True:
        with run.timed("parse"):
            item = next(stream, None)
            if item is None:
                return
            report = _gather_one(run, item, defaults=defaults, chunking=chunking, schema=schema)
        if report.outcome is not FileOutcome.UNCHANGED or report.source not in run.tally.files:
            run.tally.files[report.source] = report
        done += 1
        run.progress("parse", done, None, item.source)


def _gather_one(
    run: Run,
    item: SourceItem | SourceFailure,
    *,
    defaults: CallerFields,
    chunking: ChunkingPreset,
    schema: MetadataSchema | None,
) -> FileReport:
    loaded = item.read() if isinstance(item, SourceItem) else item
    if isinstance(loaded, SourceFailure):
        return FileReport(loaded.source, loaded.outcome, reason=loaded.message, code=loaded.reason)
    try:
        document = document_of(loaded, defaults, schema, recorded_at=run.clock())
    except IngestError as error:
        return FileReport(loaded.source, FileOutcome.FAILED, reason=str(error), code="invalid")
    chunks = build_chunks(document, chunking)
    return _write(run, document, chunks, warnings=loaded.parsed.warnings)


def document_of(
    loaded: LoadedSource,
    defaults: CallerFields,
    schema: MetadataSchema | None,
    *,
    recorded_at: datetime | None,
) -> Document:
    """Return the document that a source becomes.

    Raises:
        IngestError: its fields are malformed, or its metadata break the schema.
    """
    fields, parsed = loaded.fields, loaded.parsed
    metadata = {**parsed.metadata, **defaults.metadata, **fields.metadata}
    if schema is not None:
        metadata = {**conform(metadata, schema, source=loaded.source)}
    return build_document(
        parsed,
        source=loaded.source,
        title=fields.title,
        authors=fields.authors or defaults.authors,
        published_at=fields.published_at or defaults.published_at,
        authority=defaults.authority if fields.authority is None else fields.authority,
        language=fields.language
        or defaults.language
        or parsed.language
        or detect_language(parsed.text),
        metadata=metadata,
        acl=fields.acl or defaults.acl,
        recorded_at=recorded_at,
    )


def _write(
    run: Run, document: Document, chunks: list[Chunk], *, warnings: tuple[str, ...]
) -> FileReport:
    """Write a version of a document, unless it is there already."""
    store, collection = run.store, run.collection
    with run.transaction():
        known = store.documents(collection, sources=[document.source])
        if known and known[0].content_hash == document.content_hash:
            outcome, fresh = FileOutcome.UNCHANGED, 0
        elif known:
            outcome, fresh = FileOutcome.UPDATED, _replace(run, known[0], document, chunks)
        else:
            outcome, fresh = FileOutcome.ADDED, len(chunks)
            _write_rows(run, document, chunks)
            link_earlier(run, write_title(run, document, chunks))
    run.tally.chunks += fresh
    return FileReport(document.source, outcome, fresh, document.id, warnings=warnings)


def _replace(run: Run, known: Document, document: Document, chunks: list[Chunk]) -> int:
    """Put a version in the place of an older one; return how many chunks have to be done.

    Chunks that both have keep their vectors and knowledge. A changed title or language bears on
    all of them, so these are done again.
    """
    store, collection = run.store, run.collection
    held = store.document_chunks(collection, known.id)
    before = {chunk.id for chunk in held}
    kept = before & {chunk.id for chunk in chunks}
    left = [chunk for chunk in held if chunk.id not in kept]
    changed = known if known.text != document.text else None
    forget_answers(run.responses, collection, document=changed, chunks=left)
    vanished = sorted(before - kept)
    same = (known.title, known.language) == (document.title, document.language)
    redone = () if same else tuple(sorted(kept))
    gone = [*vanished, *redone]
    at = document.recorded_at or run.clock()
    affected = store.mentions(collection, gone) if run.single_valued else ()
    subjects = {mention.node for mention in affected}
    # The version is written first: that is when the store keeps the one before it.
    _write_rows(run, document, chunks, redone=redone)
    store.retire(collection, gone, at)
    store.remove_chunks(collection, vanished)
    keep_one_value(store, collection, subjects, run.single_valued, at=at)
    link_earlier(run, write_title(run, document, chunks))
    return len(chunks) - len(kept) + len(redone)


def _write_rows(
    run: Run, document: Document, chunks: list[Chunk], *, redone: tuple[int, ...] = ()
) -> None:
    note_precedence(run.store, run.collection, document)
    run.write_chunks(
        ChunkBatch(
            documents=(document,),
            chunks=tuple(chunks),
            stage=Stage.CHUNKED if redone else None,
            staged=redone,
        ),
    )
