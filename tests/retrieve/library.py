"""A small library with languages, labels, groups and years, for tests that run every mode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Floats
from clew.core.documents import Chunk, Document
from clew.core.knowledge import Edge, Mention, MentionRole
from clew.core.ports import Store
from clew.retrieve.modes import ModeRetriever
from clew.testing.fakes import HashingEmbedder
from clew.testing.store_samples import (
    MAIN,
    Filed,
    edge,
    filed,
    mention,
    node_of,
    node_vectors,
    say,
    write,
)
from clew.text.tokens import terms
from tests.retrieve.worlds import CONFIDENCE

EMBEDDER = HashingEmbedder(64)

LABELS = {
    "Ada Lovelace": "Person",
    "Charles Babbage": "Person",
    "Grace Hopper": "Person",
    "Acme Corp": "Company",
    "Beta Inc": "Company",
    "Blue Whale": "Ship",
    "London": "Place",
    "Zanzibar Vault": "Place",
    "Agent Nine": "Person",
}


@dataclass(frozen=True)
class Told:
    """A document of the library: passages, and (source, relation, target) by passage place."""

    source: str
    title: str
    texts: tuple[str, ...]
    statements: tuple[tuple[int, str, str, str], ...] = ()
    language: str = "en"
    year: int = 2020
    acl: tuple[str, ...] = ()


TOLD = (
    Told(
        "whale.md",
        "Blue Whale",
        ("The Blue Whale is a research ship that Acme Corp built.", "It sails from London."),
        ((0, "Acme Corp", "BUILT", "Blue Whale"),),
    ),
    Told(
        "acme.md",
        "Acme Corp",
        ("Acme Corp was founded by Ada Lovelace.", "Beta Inc invested in Acme Corp in 2019."),
        (
            (0, "Ada Lovelace", "FOUNDED", "Acme Corp"),
            (1, "Beta Inc", "INVESTED_BY", "Acme Corp"),
        ),
        year=2021,
    ),
    Told(
        "ada.md",
        "Ada Lovelace",
        ("Ada Lovelace worked with Charles Babbage in London.", "She wrote the first program."),
        ((0, "Ada Lovelace", "WORKED_WITH", "Charles Babbage"),),
        year=2022,
    ),
    Told(
        "beta.md",
        "Beta Inc",
        ("Beta Inc belongs to Grace Hopper.", "Its ships carry grain and coal."),
        ((0, "Grace Hopper", "OWNS", "Beta Inc"),),
        language="pt",
    ),
    Told(
        "secret.md",
        "Zanzibar Vault",
        (
            "The Zanzibar Vault holds the ledgers of Acme Corp.",
            "Agent Nine guards the Zanzibar Vault for Ada Lovelace.",
        ),
        (
            (0, "Zanzibar Vault", "HIDES_FOR", "Acme Corp"),
            (1, "Agent Nine", "GUARDS_FOR", "Ada Lovelace"),
        ),
        acl=("staff",),
        year=2023,
    ),
    *(
        Told(f"filler{place}.md", f"Notes {place}", (f"Notes {place} on grain, coal and weather.",))
        for place in range(6)
    ),
)

SECRETS = ("Zanzibar", "ledgers", "Agent Nine", "HIDES_FOR", "GUARDS_FOR", "AL-9")
"""Words that only "secret.md" uses."""


@dataclass(frozen=True)
class Library:
    """The store, and what was written to it."""

    store: Store
    filed: tuple[Filed, ...]
    names: dict[int, frozenset[str]]
    """Names mentioned in each chunk."""

    @property
    def retriever(self) -> ModeRetriever:
        return ModeRetriever(chunks=self.store, graph=self.store, embedder=EMBEDDER)

    @property
    def chunks(self) -> dict[int, Chunk]:
        return {chunk.id: chunk for entry in self.filed for chunk in entry.chunks}

    def document(self, source: str) -> Document:
        return next(entry.document for entry in self.filed if entry.document.source == source)

    def document_of(self, chunk: int) -> Document:
        held = self.chunks[chunk].document
        return next(entry.document for entry in self.filed if entry.document.id == held)

    def labels_of(self, chunk: int) -> set[str]:
        return {LABELS[name] for name in self.names[chunk]}


def passage_vector(document: Document, chunk: Chunk) -> Floats:
    """Return the vector of a chunk's title and text."""
    vector: Floats = EMBEDDER.embed_passages([f"{document.title}\n{chunk.text}"])[0]
    return vector


def write_library(store: Store) -> Library:
    """Write everything and fold it into the store's indexes, but for the last document."""
    entries: list[Filed] = []
    names: dict[int, frozenset[str]] = {}
    for place, told in enumerate(TOLD):
        if place == len(TOLD) - 1:
            store.compact()
        entry = filed(
            told.source,
            *told.texts,
            title=told.title,
            language=told.language,
            metadata={"year": told.year},
            acl=told.acl,
        )
        vectors = [passage_vector(entry.document, chunk) for chunk in entry.chunks]
        write(store, entry, vectors=vectors)
        say(store, entry, *_knowledge(told, entry))
        for chunk in entry.chunks:
            page = {told.title} & LABELS.keys()
            names[chunk.id] = frozenset({name for name in LABELS if name in chunk.text} | page)
        entries.append(entry)
    _embed_nodes(store, entries)
    return Library(store, tuple(entries), names)


def _knowledge(told: Told, entry: Filed) -> Iterable[Mention | Edge]:
    for chunk in entry.chunks:
        for name, label in LABELS.items():
            if name in chunk.text:
                yield mention(chunk, name, label=label, confidence=CONFIDENCE)
        if told.title in LABELS:
            yield mention(chunk, told.title, label=LABELS[told.title], role=MentionRole.TITLE)
    if told.acl:
        # A secret alias, used more often than the open name of the same node.
        for start in range(9):
            yield mention(
                entry.chunks[1], "AL-9", node="Ada Lovelace", start=start, confidence=CONFIDENCE
            )
    for place, source, relation, target in told.statements:
        yield edge(source, target, entry.chunks[place], relation=relation, confidence=0.8)


def _embed_nodes(store: Store, entries: Iterable[Filed]) -> None:
    for entry in entries:
        rows = {
            name: (EMBEDDER.embed_passages([name])[0],) * 2
            for name in LABELS
            if name == entry.document.title
        }
        if rows:
            store.write_node_vectors(MAIN, node_vectors(entry.origin, **rows))


def cosine(library: Library, chunk: int, question: str) -> float:
    """Return the cosine of a question and a passage."""
    vector = passage_vector(library.document_of(chunk), library.chunks[chunk])
    return float(vector @ EMBEDDER.embed_questions([question])[0])


def bm25(library: Library, chunk: int, question: str) -> float:
    """Return BM25 (k1 1.2, b .75) of a passage with its title, by the formula."""
    bags = {
        row: terms(f"{library.document_of(row).title}\n{library.chunks[row].text}")
        for row in library.chunks
    }
    average = sum(map(len, bags.values())) / len(bags)
    score = 0.0
    for term in dict.fromkeys(terms(question)):
        holding = sum(term in bag for bag in bags.values())
        idf = np.log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
        count = bags[chunk].count(term)
        norm = 1.2 * (1 - 0.75 + 0.75 * len(bags[chunk]) / average)
        score += idf * 2.2 * count / (count + norm)
    return float(score)


def secret_nodes() -> set[int]:
    """Return the nodes that only the secret document speaks of."""
    return {node_of("Zanzibar Vault"), node_of("Agent Nine")}
