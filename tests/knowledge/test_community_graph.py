"""Which edges count for communities, with weights worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from clew.core.knowledge import Standing
from clew.core.ports import Store
from clew.knowledge.communities.collection_graph import (
    CO_MENTION,
    THIN_DEGREE,
    CollectionGraph,
    community_edges,
    read_collection,
)
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, edge, filed, mention, node_of, say, write


def put(store: Store, source: str, *passages: Sequence[str], acl: Sequence[str] = ()) -> None:
    """Write a document whose passages name what they are made of."""
    entry = filed(source, *(" ".join(names) + f" {source}" for names in passages), acl=acl)
    write(store, entry)
    for chunk, names in zip(entry.chunks, passages, strict=True):
        say(store, entry, *(mention(chunk, name) for name in names))


def weights(content: CollectionGraph) -> dict[frozenset[str], float]:
    """Return the total weight of each pair, by name."""
    names = {node_of(name): name for name in "ABCDEFGHI"}
    graph = community_edges(content)
    found: dict[frozenset[str], float] = {}
    for source, target, weight in zip(graph.source, graph.target, graph.weight, strict=True):
        pair = frozenset(names[int(content.nodes[end])] for end in (source, target))
        found[pair] = found.get(pair, 0.0) + float(weight)
    return found


def read(store: Store) -> CollectionGraph:
    return read_collection(MAIN, graph=store, chunks=store)


def test_the_names_of_a_passage_share_its_weight() -> None:
    store = MemoryStore()
    put(store, "a", "AB", "ABC")
    assert CO_MENTION == 0.5
    assert weights(read(store)) == pytest.approx(
        {frozenset("AB"): 0.5 + 0.25, frozenset("AC"): 0.25, frozenset("BC"): 0.25}
    )


def test_statements_count_by_their_confidence_and_add_up() -> None:
    store = MemoryStore()
    entry = filed("a", "A and B.", "Only A.", "Only B.")
    write(store, entry)
    say(store, entry, mention(entry.chunks[1], "A"), mention(entry.chunks[2], "B"))
    first = edge("A", "B", entry.chunks[1], relation="OWNS", confidence=0.75)
    second = edge("B", "A", entry.chunks[2], relation="SUED", confidence=0.5)
    guessed = edge("A", "B", relation="MAYBE", confidence=0.9, standing=Standing.INFERRED)
    say(store, entry, first, second, guessed)
    assert weights(read(store)) == pytest.approx({frozenset("AB"): 1.25})


def test_where_the_graph_is_dense_a_passage_joins_nothing() -> None:
    store = MemoryStore()
    assert THIN_DEGREE == 3
    entry = filed("a", "A B C D", "E")
    write(store, entry)
    both = entry.chunks
    say(store, entry, *(mention(both[0], name) for name in "ABCD"), mention(both[1], "E"))
    # A, B, C and D are each related to the three others; E to nobody.
    pairs = [("A", "B"), ("A", "C"), ("A", "D"), ("B", "C"), ("B", "D"), ("C", "D")]
    say(store, entry, *(edge(*pair, both[0], relation="X", confidence=0.5) for pair in pairs))
    assert weights(read(store)) == pytest.approx({frozenset(pair): 0.5 for pair in pairs})
    put(store, "b", "ABE")
    # A - B: both have neighbours enough; E, which has none, is joined to each.
    found = weights(read(store))
    assert found[frozenset("AB")] == pytest.approx(0.5)
    assert found[frozenset("AE")] == found[frozenset("BE")] == pytest.approx(0.25)


def test_chunks_keep_their_acl_and_language() -> None:
    store = MemoryStore()
    put(store, "b", "AB", acl=["staff"])
    put(store, "a", "AC")
    content = read(store)
    acls = [content.acls[number] for number in content.acl]
    assert acls == [frozenset(), frozenset({"staff"})], "in the order of sources"
    assert sorted(content.nodes) == sorted(map(node_of, "ABC"))


def test_nothing_is_a_graph_too() -> None:
    content = read(MemoryStore())
    assert len(content.nodes) == len(community_edges(content).weight) == 0
