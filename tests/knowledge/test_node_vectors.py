from __future__ import annotations

import numpy as np

from clew.core.ids import node_id, origin_id
from clew.knowledge.node_vectors import (
    NodeEvidence,
    best_evidence,
    embed_nodes,
    search_vectors,
)
from clew.knowledge.resolution import Resolver
from clew.stores.memory import MemoryStore

from .worlds import KB, TableEmbedder, add, document, name


def filled(embedder: TableEmbedder) -> tuple[MemoryStore, Resolver]:
    store = MemoryStore()
    resolver = Resolver(store, embedder)
    text = "Some talk. Bonn lies on the Rhine. Bonn is old."
    add(
        store, resolver, "r", "Diary of Ada", text, [name(text, "Bonn", "GPE"), name(text, "Rhine")]
    )
    add(store, resolver, "b", "Bonn", "Bonn is a city in Germany. It is old.")
    return store, resolver


def chunk_of(source: str, text: str) -> int:
    return document(source, "", text)[1].id


def evidence(store: MemoryStore, *names: str) -> list[NodeEvidence]:
    nodes = [node_id(each) for each in names]
    return best_evidence(KB, nodes, graph_store=store, chunk_store=store)


def test_a_page_is_told_by_its_first_passage() -> None:
    store, _ = filled(TableEmbedder())

    (found,) = evidence(store, "bonn")

    assert found.chunk == chunk_of("b", "Bonn is a city in Germany. It is old.")
    assert found.origin == origin_id("b")


def test_another_node_by_the_passage_of_its_mention() -> None:
    store, _ = filled(TableEmbedder())

    (found,) = evidence(store, "rhine")

    assert found.chunk == chunk_of("r", "Some talk. Bonn lies on the Rhine. Bonn is old.")
    assert found.origin == origin_id("r")


def test_unknown_nodes_are_left_out() -> None:
    store, _ = filled(TableEmbedder())

    assert best_evidence(KB, [1, 2], graph_store=store, chunk_store=store) == []


def test_the_search_vector_is_name_plus_passage_at_unit_length() -> None:
    names = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    passages = np.array([[0.0, 1.0], [0.0, 0.0]], np.float32)

    half = np.sqrt(0.5)
    np.testing.assert_allclose(
        search_vectors(names, passages), [[half, half], [0.0, 1.0]], rtol=1e-6
    )


def test_every_node_gets_both_vectors() -> None:
    embedder = TableEmbedder()
    store, _ = filled(embedder)
    nodes = store.nodes_without_vectors(KB, limit=10)

    vectors = embed_nodes(KB, nodes, graph_store=store, chunk_store=store, embedder=embedder)

    assert set(vectors.ids.tolist()) == {
        node_id("bonn"), node_id("rhine"), node_id("diary of ada"),
    }  # fmt: skip
    row = vectors.ids.tolist().index(node_id("rhine"))
    np.testing.assert_allclose(vectors.name[row], embedder.embed_questions(["Rhine"])[0])
    np.testing.assert_allclose(np.linalg.norm(vectors.search, axis=1), 1.0, rtol=1e-5)
    nothing = embed_nodes(KB, [], graph_store=store, chunk_store=store, embedder=embedder)
    assert nothing.search.shape == (0, embedder.dimensions)


def test_the_canonical_name_is_kept_whatever_is_said_more_often() -> None:
    embedder = TableEmbedder(["Germany", "Deutschland"])
    store = MemoryStore()
    resolver = Resolver(store, embedder)
    add(store, resolver, "a", "notes-1-x", "Germany", [name("Germany", "Germany")])
    for source in "bcd":
        german = [name("Deutschland", "Deutschland")]
        add(store, resolver, source, f"notes-{source}-x", "Deutschland", german)

    (found,) = evidence(store, "germany")

    assert store.nodes(KB, [node_id("germany")])[0].name == "Deutschland"
    assert found.name == "Germany"
