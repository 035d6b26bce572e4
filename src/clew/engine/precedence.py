"""The part of every write that keeps the fact of precedence true to the documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from clew.core.documents import Document
from clew.core.ports import Store
from clew.core.precedence import PRECEDENCE, Precedence, read_precedence
from clew.text.amendments import amended_title
from clew.text.names import name_key

FIELDS = ("supersedes", "amends", "replaces")
"""Metadata fields that name other documents: a text or a list of texts."""


def note_precedence(store: Store, collection: str, document: Document) -> None:
    """Take in a document that is written; to be called in the transaction that writes it."""
    named = _keys(reference for name in FIELDS for reference in _texts(document, name))
    amended = amended_title(document.title)
    titled = _keys([amended]) if amended else ()
    known = _known(store, collection)
    fresh = replace(
        known,
        dated=known.dated or document.published_at is not None,
        rated=known.rated or document.authority is not None,
    ).of(document.source, named=named, titled=titled)
    if fresh != known:
        store.set_fact(collection, PRECEDENCE, fresh.text())


def forget_precedence(store: Store, collection: str, source: str) -> None:
    """Forget what a document that is removed referred to."""
    known = _known(store, collection)
    fresh = known.of(source, named=(), titled=())
    if fresh != known:
        store.set_fact(collection, PRECEDENCE, fresh.text())


def _known(store: Store, collection: str) -> Precedence:
    return read_precedence(store.facts(collection).get(PRECEDENCE))


def _texts(document: Document, name: str) -> list[str]:
    value = document.metadata.get(name)
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, list) else []


def _keys(references: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({key for reference in references if (key := name_key(reference))}))
