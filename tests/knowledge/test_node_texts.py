from __future__ import annotations

import numpy as np

from clew.core.ids import node_id, origin_id
from clew.knowledge.node_texts import embed_nodes, node_texts
from clew.knowledge.resolution import Resolver
from clew.stores.memory import MemoryStore

from .worlds import KB, TableEmbedder, add, name


def filled(embedder: TableEmbedder) -> tuple[MemoryStore, Resolver]:
    store = MemoryStore()
    resolver = Resolver(store, embedder)
    text = "Some talk. Bonn lies on the Rhine. Bonn is old."
    add(
        store, resolver, "r", "Diary of Ada", text, [name(text, "Bonn", "GPE"), name(text, "Rhine")]
    )
    add(store, resolver, "b", "Bonn", "Bonn is a city in Germany. It is old.")
    return store, resolver


def test_a_page_is_described_by_its_first_sentence() -> None:
    store, _ = filled(TableEmbedder())

    (text,) = node_texts(KB, [node_id("bonn")], graph_store=store, chunk_store=store)

    assert text.text == "Bonn (GPE): Bonn is a city in Germany."
    assert text.origin == origin_id("b")


def test_another_node_by_the_sentence_of_its_mention() -> None:
    store, _ = filled(TableEmbedder())

    (text,) = node_texts(KB, [node_id("rhine")], graph_store=store, chunk_store=store)

    assert text.text == "Rhine (entity): Bonn lies on the Rhine."
    assert text.origin == origin_id("r")


def test_unknown_nodes_are_left_out() -> None:
    store, _ = filled(TableEmbedder())

    assert node_texts(KB, [1, 2], graph_store=store, chunk_store=store) == []


def test_all_nodes_are_embedded_once() -> None:
    embedder = TableEmbedder()
    store, resolver = filled(embedder)

    vectors = embed_nodes(
        KB, graph_store=store, chunk_store=store, embedder=embedder, index=resolver.index(KB)
    )
    store.write_node_vectors(KB, vectors)

    assert set(vectors.ids.tolist()) == {
        node_id("bonn"), node_id("rhine"), node_id("diary of ada"),
    }  # fmt: skip
    row = vectors.ids.tolist().index(node_id("rhine"))
    np.testing.assert_allclose(vectors.name[row], embedder.embed_questions(["Rhine"])[0])
    again = embed_nodes(KB, graph_store=store, chunk_store=store, embedder=embedder)
    assert len(again.ids) == 0
    assert again.search.shape == (0, embedder.dimensions)


def test_the_vector_of_the_canonical_name_is_kept_whatever_is_said_more_often() -> None:
    embedder = TableEmbedder(["Germany", "Deutschland"])
    store = MemoryStore()
    resolver = Resolver(store, embedder)
    add(store, resolver, "a", "notes-1-x", "Germany", [name("Germany", "Germany")])
    for source in "bcd":
        german = [name("Deutschland", "Deutschland")]
        add(store, resolver, source, f"notes-{source}-x", "Deutschland", german)

    (text,) = node_texts(KB, [node_id("germany")], graph_store=store, chunk_store=store)

    assert store.nodes(KB, [node_id("germany")])[0].name == "Deutschland"
    assert text.name == "Germany"
