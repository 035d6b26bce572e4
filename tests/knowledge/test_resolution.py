"""Resolution over the memory store, with vectors that the tests choose."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.arrays import Matrix
from clew.core.decisions import Decisions, Different, Same
from clew.core.extraction import FoundName
from clew.core.ids import node_id
from clew.core.knowledge import MentionRole, NodeType
from clew.knowledge.identity import is_short_name, may_be_same
from clew.knowledge.node_vectors import embed_nodes
from clew.knowledge.resolution import Resolved, Resolver
from clew.stores.memory import MemoryStore
from clew.text.names import numbers

from .worlds import KB, TableEmbedder, add, document, hashed, name, related


def nodes_of(resolved: Resolved) -> dict[str, int]:
    return {
        mention.surface: mention.node
        for mention in resolved.batch.mentions
        if mention.role is MentionRole.TEXT
    }


def reasons(resolved: Resolved) -> dict[str, str]:
    return {merge.key: merge.reason for merge in resolved.batch.merges}


def simple(text: str, *surfaces: str, label: str | None = None) -> list[FoundName]:
    return [name(text, surface, label) for surface in surfaces]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def test_spellings_of_one_name_are_one_node(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder())
    add(store, resolver, "a", "notes-1-x", "Acme Inc.", simple("Acme Inc.", "Acme Inc."))

    resolved = add(
        store, resolver, "b", "notes-2-x", "ACME's boss", simple("ACME's boss", "ACME's")
    )

    assert nodes_of(resolved) == {"ACME's": node_id("acme")}
    assert reasons(resolved) == {"acme": "normalised"}
    assert resolved.created == ()


def test_abbreviation_gets_the_node_of_its_full_name(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder())
    text = "World Health Organization (WHO)"
    names = [
        name(text, "World Health Organization"),
        name(text, "WHO", alias_of="World Health Organization"),
    ]

    first = add(store, resolver, "a", "notes-1-x", text, names)
    later = add(store, resolver, "b", "notes-2-x", "WHO said", simple("WHO said", "WHO"))

    assert set(nodes_of(first).values()) == {node_id("world health organization")}
    assert reasons(first)["who"] == "acronym"
    assert nodes_of(later) == {"WHO": node_id("world health organization")}


def test_cosine_merges_and_logs_its_score(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder(["Deutschland", "Germany"]))
    add(store, resolver, "a", "notes-1-x", "Germany", simple("Germany", "Germany"))

    resolved = add(
        store, resolver, "b", "notes-2-x", "Deutschland", simple("Deutschland", "Deutschland")
    )

    (merge,) = resolved.batch.merges
    assert (merge.key, merge.node, merge.reason) == ("deutschland", node_id("germany"), "cosine")
    assert merge.score == pytest.approx(0.95, abs=0.01)


def test_cosine_below_the_threshold_does_not_merge(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder(["Deutschland", "Germany"], closeness=0.85))
    text = "Germany or Deutschland"

    resolved = add(store, resolver, "a", "notes-1-x", text, simple(text, "Germany", "Deutschland"))

    assert len(set(nodes_of(resolved).values())) == 2


def test_stored_vectors_are_matched_too(store: MemoryStore) -> None:
    embedder = TableEmbedder(["Deutschland", "Germany"])
    add(store, Resolver(store, embedder), "a", "notes-1-x", "Germany", simple("Germany", "Germany"))
    store.write_node_vectors(
        KB,
        embed_nodes(
            KB,
            store.nodes_without_vectors(KB, limit=10),
            graph_store=store,
            chunk_store=store,
            embedder=embedder,
        ),
    )

    resolved = add(
        store, Resolver(store, embedder), "b", "notes-2-x", "Deutschland",
        simple("Deutschland", "Deutschland"),
    )  # fmt: skip

    assert nodes_of(resolved) == {"Deutschland": node_id("germany")}


def test_merges_do_not_chain(store: MemoryStore) -> None:
    """B is like A, C is like B but not like A: C must not reach A through B."""

    class Chain(TableEmbedder):
        def _vector(self, text: str) -> Matrix:
            across = hashed("across") - hashed("along") * (hashed("across") @ hashed("along"))
            angle = {"Alpha Beta": 0.0, "Beta Alpha": 0.4, "Gamma Beta": 0.8}.get(text)
            if angle is None:
                return hashed(text)
            across /= (across @ across) ** 0.5
            return np.asarray(np.cos(angle) * hashed("along") + np.sin(angle) * across)

    resolver = Resolver(store, Chain())
    text = "Alpha Beta, Beta Alpha, Gamma Beta"

    resolved = add(
        store, resolver, "a", "notes-1-x", text,
        simple(text, "Alpha Beta", "Beta Alpha", "Gamma Beta"),
    )  # fmt: skip

    nodes = nodes_of(resolved)
    assert nodes["Beta Alpha"] == nodes["Alpha Beta"]
    assert nodes["Gamma Beta"] == node_id("gamma beta")


WORDS = st.sampled_from(["Boeing", "Model", "Series", "7", "747", "1984", "Mark", "II", "X5"])
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@settings(deadline=None, max_examples=60)
@given(st.lists(NAMES, min_size=2, max_size=12, unique=True))
def test_different_numbers_never_merge_and_merges_go_to_canonical_names(found: list[str]) -> None:
    """Every name is given the same vector, the worst an embedder can do."""
    store = MemoryStore()
    resolver = Resolver(store, TableEmbedder(found, closeness=0.999))
    text = " | ".join(found)

    resolved = add(store, resolver, "a", "notes-1-x", text, simple(text, *found))

    nodes = nodes_of(resolved)
    by_node = defaultdict(set)
    for surface, node in nodes.items():
        by_node[node].add(frozenset(numbers(surface)))
    assert all(len(kinds) == 1 for kinds in by_node.values())
    canonical = {node_id(mention.key) for mention in resolved.batch.mentions}
    merged = {merge.key for merge in resolved.batch.merges if merge.reason == "cosine"}
    for merge in resolved.batch.merges:
        if merge.reason == "cosine":
            assert merge.node in canonical
            assert merge.node not in {node_id(key) for key in merged}


@pytest.mark.parametrize(
    ("first", "second", "person", "same"),
    [
        ("Anna Smith", "Anne Smith", True, False),
        ("Anna Smith", "Anna Smyth", True, False),
        ("Anna Smith", "Anna Maria Smith", True, True),
        ("Smith", "Smyth", True, False),
        ("North Korea", "South Korea", False, False),
        ("World War I", "World War II", False, False),
        ("first album", "second album", False, False),
        ("Boeing 747", "Boeing 737", False, False),
        ("John Smith Jr.", "John Smith", True, False),
        ("heart attack", "heart attacks", False, True),
        ("North America", "North American", False, False),
        ("Italy", "Italian", False, False),
        ("Vitamin C", "Vitamin D", False, False),
        ("data in a warehouse", "data in the warehouse", False, True),
        ("vitamin a pills", "vitamin b pills", False, False),
        ("vitamin a", "vitamin", False, False),
        ("Class A Share", "Class Share", False, False),
        ("Sony DSC-W150 camera", "Sony DSCW150 cameras", False, True),
        ("Washington D.C.", "Washington D.C", False, True),
    ],
)
def test_tokens_that_tell_names_apart(first: str, second: str, person: bool, same: bool) -> None:  # noqa: FBT001
    assert may_be_same(first, second, person=person) is same
    assert may_be_same(second, first, person=person) is same


@pytest.mark.parametrize(
    ("short", "full", "may"),
    [
        ("Porcaro", "Jeff Porcaro", True),
        ("Jeff", "Jeff Porcaro", True),
        ("von Cziffra", "Géza von Cziffra", True),
        ("Fiona Nash", "Fiona Joy Nash", True),
        ("Joy", "Fiona Joy Nash", False),
        ("Steve Porcaro", "Jeff Porcaro", False),
        ("Jeff Porcaro", "Porcaro", False),
        ("J", "J Porcaro", False),
    ],
)
def test_short_names(short: str, full: str, may: bool) -> None:  # noqa: FBT001
    assert is_short_name(short, full) is may


def test_a_surname_is_the_person_named_before(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder())
    text = "Jeff Porcaro drummed. Later Porcaro moved."
    names = [name(text, "Jeff Porcaro", "PERSON"), name("@" * 28 + "Porcaro", "Porcaro", "PERSON")]

    resolved = add(store, resolver, "a", "Toto (band)", text, names)

    assert nodes_of(resolved)["Porcaro"] == node_id("jeff porcaro")
    assert reasons(resolved)["porcaro"] == "short name"


def test_a_surname_of_two_is_neither(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder())
    text = "Jeff Porcaro and Steve Porcaro; Porcaro"
    people = simple(text, "Jeff Porcaro", "Steve Porcaro", label="PERSON")

    resolved = add(
        store, resolver, "a", "Toto (band)", text, [*people, name(text, "Porcaro", "PERSON")]
    )

    assert nodes_of(resolved)["Porcaro"] == node_id("porcaro")


def test_a_surname_of_two_is_the_page(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder())
    text = "Jeff Porcaro and Steve Porcaro; Porcaro"
    people = simple(text, "Jeff Porcaro", "Steve Porcaro", label="PERSON")

    resolved = add(
        store, resolver, "a", "Jeff Porcaro", text, [*people, name(text, "Porcaro", "ORG")]
    )

    assert nodes_of(resolved)["Porcaro"] == node_id("jeff porcaro")


def test_a_surname_does_not_reach_other_documents(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder())
    text = "Jeff Porcaro drummed. Later Porcaro moved."
    people = simple(text, "Jeff Porcaro", label="PERSON")
    later = name("@" * 28 + "Porcaro", "Porcaro", "PERSON")
    add(store, resolver, "a", "Toto (band)", text, [*people, later])

    found = add(store, resolver, "b", "notes-1-x", "Porcaro", simple("Porcaro", "Porcaro"))
    resolver.forget(KB)
    again = add(store, resolver, "c", "notes-2-x", "Porcaro", simple("Porcaro", "Porcaro"))

    assert nodes_of(found) == nodes_of(again) == {"Porcaro": node_id("porcaro")}


def test_a_bare_title_is_known_from_the_store(store: MemoryStore) -> None:
    add(store, Resolver(store, TableEmbedder()), "f", "Vertigo (film)", "A film.")

    resolved = add(
        store, Resolver(store, TableEmbedder()), "o", "notes-1-x", "Vertigo",
        simple("Vertigo", "Vertigo"),
    )  # fmt: skip

    assert nodes_of(resolved)["Vertigo"] == node_id("vertigo film")


def test_pages_that_share_a_bare_title_stay_apart(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder())
    planet, _ = document("p", "Mercury (planet)", "Mercury orbits.")
    element, _ = document("e", "Mercury (element)", "Mercury melts.")
    resolver.register_titles(KB, [planet, element])

    first = add(
        store,
        resolver,
        "p",
        "Mercury (planet)",
        "Mercury orbits.",
        simple("Mercury orbits.", "Mercury"),
    )
    second = add(
        store,
        resolver,
        "e",
        "Mercury (element)",
        "Mercury melts.",
        simple("Mercury melts.", "Mercury"),
    )
    other = add(store, resolver, "o", "notes-1-x", "Mercury", simple("Mercury", "Mercury"))

    assert nodes_of(first)["Mercury"] == node_id("mercury planet")
    assert nodes_of(second)["Mercury"] == node_id("mercury element")
    assert nodes_of(other)["Mercury"] == node_id("mercury")
    assert set(store.find_names(KB, ["mercury"])["mercury"]) == {
        node_id("mercury planet"), node_id("mercury element"), node_id("mercury"),
    }  # fmt: skip


def test_a_bare_title_of_one_page_is_that_page(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder())
    film, _ = document("f", "Vertigo (film)", "A film.")
    resolver.register_titles(KB, [film])

    resolved = add(store, resolver, "o", "notes-1-x", "Vertigo", simple("Vertigo", "Vertigo"))

    assert nodes_of(resolved)["Vertigo"] == node_id("vertigo film")


def test_every_chunk_of_a_page_mentions_its_title(store: MemoryStore) -> None:
    resolved = add(store, Resolver(store, TableEmbedder()), "p", "Mercury (planet)", "It orbits.")

    titles = [m for m in resolved.batch.mentions if m.role is MentionRole.TITLE]
    assert {(m.key, m.node) for m in titles} == {
        ("mercury planet", node_id("mercury planet")), ("mercury", node_id("mercury planet")),
    }  # fmt: skip
    assert resolved.new_keys == ("mercury planet", "mercury")


def test_a_title_that_is_no_name_is_a_document(store: MemoryStore) -> None:
    resolved = add(store, Resolver(store, TableEmbedder()), "r", "q3-report-final", "Sales fell.")

    (mention,) = resolved.batch.mentions
    assert mention.kind is NodeType.DOCUMENT
    assert resolved.new_keys == ()


def test_edges_join_nodes_and_collect_evidence(store: MemoryStore) -> None:
    text = "Acme bought Beta. Acme bought Beta."
    resolver = Resolver(store, TableEmbedder())

    resolved = add(
        store, resolver, "a", "notes-1-x", text, simple(text, "Acme", "Beta"),
        [related("Acme", "BOUGHT", "Beta"), related("the Acme", "BOUGHT", "Beta's"),
         related("Acme", "IS", "Acme Inc")],
    )  # fmt: skip

    (edge,) = resolved.batch.edges
    assert (edge.source, edge.target) == (node_id("acme"), node_id("beta"))
    assert edge.relation == "BOUGHT"
    assert len(edge.evidence) == 1


def test_ends_that_no_name_lists_become_nodes(store: MemoryStore) -> None:
    text = "Acme bought a factory."

    resolved = add(
        store, Resolver(store, TableEmbedder()), "a", "notes-1-x", text, simple(text, "Acme"),
        [related("Acme", "BOUGHT", "factory")],
    )  # fmt: skip

    mention = next(m for m in resolved.batch.mentions if m.surface == "factory")
    assert mention.kind is NodeType.CONCEPT
    assert text[mention.span.start : mention.span.end] == "factory"
    assert len(resolved.batch.edges) == 1


def test_equal_input_gives_equal_output() -> None:
    def run() -> list[Resolved]:
        store = MemoryStore()
        resolver = Resolver(store, TableEmbedder(["Germany", "Deutschland"]))
        return [
            add(store, resolver, "a", "Bonn", "Germany", simple("Germany", "Germany")),
            add(store, resolver, "b", "Rhine", "Deutschland", simple("Deutschland", "Deutschland")),
        ]

    assert run() == run()


def test_forgetting_falls_back_to_the_store(store: MemoryStore) -> None:
    resolver = Resolver(store, TableEmbedder())
    add(store, resolver, "a", "notes-1-x", "Acme", simple("Acme", "Acme"))

    resolver.forget(KB)
    resolved = add(store, resolver, "b", "notes-2-x", "Acme", simple("Acme", "Acme"))

    assert resolved.created == ()
    assert resolved.new_keys == ()


NOW = datetime(2026, 1, 1, tzinfo=UTC)


def refused(key: str, node: str) -> Decisions:
    return Decisions(different=(Different(key, node_id(node), node, node_id(key), key, node, NOW),))


def test_a_refused_name_is_matched_by_no_rule(store: MemoryStore) -> None:
    full, alike = "Harbour Safety Board", "Harbour Safety Boards"
    embedder = TableEmbedder((full, alike))
    text = "Harbour Safety Board (HSB)"
    names = [name(text, full), name(text, "HSB", alias_of=full)]

    for key, surfaces in (("hsb", names), ("harbour safety boards", simple(alike, alike))):
        decisions = refused(key, "harbour safety board")
        resolver = Resolver(store, embedder, decisions=decisions)
        add(store, resolver, "a", "notes-1-x", text, names[:1])
        resolved = add(store, resolver, "b", "notes-2-x", text + alike, surfaces)
        assert nodes_of(resolved)[surfaces[-1].surface] == node_id(key)

    free = Resolver(MemoryStore(), embedder)
    resolved = add(MemoryStore(), free, "b", "notes-2-x", text, names)
    assert nodes_of(resolved)["HSB"] == node_id("harbour safety board")


def test_a_refused_short_name_is_a_node_of_its_own(store: MemoryStore) -> None:
    text = "Ada Roe met Roe"
    surfaces = simple(text, "Ada Roe", "Roe", label="PERSON")
    resolver = Resolver(store, TableEmbedder(), decisions=refused("roe", "ada roe"))

    resolved = add(store, resolver, "a", "notes-1-x", text, surfaces)

    assert nodes_of(resolved) == {"Ada Roe": node_id("ada roe"), "Roe": node_id("roe")}


def test_names_of_a_merged_node_stay_its_own(store: MemoryStore) -> None:
    acme, rock = node_id("acme"), node_id("big rock")
    add(store, Resolver(store, TableEmbedder()), "a", "n-1-x", "Acme", simple("Acme", "Acme"))
    text = "Big Rock (BRK)"
    aliases = [name(text, "Big Rock"), name(text, "BRK", alias_of="Big Rock")]
    add(store, Resolver(store, TableEmbedder()), "b", "n-2-x", text, aliases)
    store.set_merged(KB, {rock: acme})
    decisions = Decisions((Same(rock, acme, "Big Rock", "Acme", ("big rock", "brk"), NOW),))

    resolver = Resolver(store, TableEmbedder(), decisions=decisions)
    later = simple("BRK and Big Rock and Acme", "BRK", "Big Rock", "Acme")
    resolved = add(store, resolver, "c", "n-3-x", "BRK and Big Rock and Acme", later)

    assert nodes_of(resolved) == {"BRK": rock, "Big Rock": rock, "Acme": acme}
    assert resolved.created == ()
