"""Forgetting what models answered about texts that leave the collection."""

from __future__ import annotations

from collections.abc import Iterable

from clew.core.documents import Chunk, Document
from clew.core.model_calls import Responses, text_subject

SUMMARIES = "summaries"
"""The stage whose answers tell of many documents at once: they go with any of them."""


def forget_answers(
    responses: Responses, collection: str, *, document: Document | None, chunks: Iterable[Chunk]
) -> None:
    """Forget the answers about a document's whole text (None: about none) and some of its chunks.

    To be called before the text goes: a run that is killed in between pays again, and nothing
    that was deleted is kept.
    """
    texts = [] if document is None else [document.text]
    for chunk in chunks:
        texts += [chunk.text] if chunk.original is None else [chunk.text, chunk.original]
    responses.forget(collection, [text_subject(text) for text in texts])
    responses.forget_stage(collection, SUMMARIES)
