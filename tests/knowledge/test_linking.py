"""Linking over the memory store."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.batches import GraphBatch
from clew.core.decisions import Decisions, Different, Same
from clew.core.ids import node_id, origin_id
from clew.core.knowledge import MentionRole
from clew.knowledge.linking import Linker, candidate_names
from clew.knowledge.resolution import Resolver
from clew.stores.memory import MemoryStore
from clew.text.names import name_key

from .worlds import KB, TableEmbedder, add, document, name

Link = tuple[str, str, int]


def links(batches: tuple[GraphBatch, ...]) -> set[tuple[str, int]]:
    return {(m.surface, m.node) for batch in batches for m in batch.mentions}


def world(pages: dict[str, str]) -> tuple[MemoryStore, Linker]:
    """A store with one page a title, nothing extracted."""
    store = MemoryStore()
    resolver = Resolver(store, TableEmbedder())
    resolver.register_titles(KB, [document(t, t, text)[0] for t, text in pages.items()])
    for title, text in pages.items():
        add(store, resolver, title, title, text)
    return store, Linker(store, store)


def link_all(store: MemoryStore, linker: Linker) -> set[tuple[str, int]]:
    chunks = [
        chunk for found in store.documents(KB) for chunk in store.document_chunks(KB, found.id)
    ]
    return links(linker.link_chunks(KB, chunks))


def test_titles_are_linked_where_others_write_them() -> None:
    store, linker = world({
        "Vertigo (film)": "A film by Alfred Hitchcock.",
        "Alfred Hitchcock": "He made Vertigo in 1958.",
    })  # fmt: skip

    assert link_all(store, linker) == {
        ("Alfred Hitchcock", node_id("alfred hitchcock")),
        ("Vertigo", node_id("vertigo film")),
    }


def test_links_say_where_they_stand_and_whose_they_are() -> None:
    text = "A film by Alfred Hitchcock."
    store, linker = world({"Vertigo (film)": text, "Alfred Hitchcock": "A director."})

    (batch,) = linker.link_chunks(
        KB, store.chunks(KB, [document("Vertigo (film)", "", text)[1].id])
    )

    (mention,) = batch.mentions
    assert batch.origin == origin_id("Vertigo (film)")
    assert mention.role is MentionRole.LINK
    assert text[mention.span.start : mention.span.end] == "Alfred Hitchcock"
    assert mention.confidence == 0.9


def test_links_obey_what_people_decided() -> None:
    store, _ = world({
        "Alfred Hitchcock": "A director.",
        "Hitch": "A nickname.",
        "Diary": "Ada met Alfred Hitchcock, called Hitch.",
    })  # fmt: skip
    hitchcock, hitch = node_id("alfred hitchcock"), node_id("hitch")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    decisions = Decisions(
        (Same(hitch, hitchcock, "Hitch", "Alfred Hitchcock", ("hitch",), now),),
        (Different("alfred hitchcock", hitchcock, "x", 1, "Alfred Hitchcock", "x", now),),
    )
    store.set_merged(KB, decisions.merged.roots)

    found = link_all(store, Linker(store, store, decisions=decisions))

    assert found == {("Hitch", hitch)}


def test_longest_name_wins() -> None:
    store, linker = world({
        "New York": "A state.",
        "New York City": "A city.",
        "Diary of Ada": "She lived in New York City.",
    })  # fmt: skip

    assert link_all(store, linker) == {("New York City", node_id("new york city"))}


def test_common_words_and_stop_words_do_not_link() -> None:
    store, linker = world({
        "Demon": "A spirit.",
        "The Who": "A band.",
        "It (novel)": "A book.",
        "1984": "A year.",
        "Diary of Ada": "The demon who knew it left in 1984. Who was it? It was a demon.",
    })  # fmt: skip

    assert link_all(store, linker) == set()


def test_capitalised_single_words_do() -> None:
    store, linker = world({"Demon": "A spirit.", "Diary of Ada": "She read Demon twice."})

    assert link_all(store, linker) == {("Demon", node_id("demon"))}


def test_an_ambiguous_name_links_to_each_with_its_share() -> None:
    store, linker = world({
        "Mercury (planet)": "It orbits.",
        "Mercury (element)": "It melts.",
        "Diary of Ada": "She saw Mercury.",
    })  # fmt: skip
    text = "She saw Mercury."

    (batch,) = linker.link_chunks(KB, store.chunks(KB, [document("Diary of Ada", "", text)[1].id]))

    assert {(m.node, m.confidence) for m in batch.mentions} == {
        (node_id("mercury planet"), 0.45), (node_id("mercury element"), 0.45),
    }  # fmt: skip


def test_a_name_of_four_links_to_none() -> None:
    pages = {f"Mercury ({kind})": "x" for kind in ("planet", "element", "god", "car")}
    store, linker = world({**pages, "Diary of Ada": "She saw Mercury."})

    assert link_all(store, linker) == set()


def test_what_the_text_mentions_already_is_left_out() -> None:
    store, linker = world({"Alfred Hitchcock": "A director."})
    text = "Alfred Hitchcock came."
    resolver = Resolver(store, TableEmbedder())
    add(store, resolver, "d", "Diary of Ada", text, [name(text, "Alfred Hitchcock")])

    assert link_all(store, linker) == set()


def test_new_names_find_earlier_chunks() -> None:
    store, linker = world({"Diary of Ada": "She met Alfred Hitchcock's wife.", "Bonn": "A city."})
    resolver = Resolver(store, TableEmbedder())
    resolved = add(store, resolver, "h", "Alfred Hitchcock", "A director.")

    found = linker.link_names(KB, resolved.new_keys)

    assert links(found) == {("Alfred Hitchcock", node_id("alfred hitchcock"))}


TITLES = ["Ada Lovelace", "Lovelace", "New York", "New York City", "Bonn", "Rhine (river)"]
FILLERS = ["met", "in", "the", "near", "while", "Bonn", "Rhine", "rhine", "York", "City"]
TEXT = st.lists(st.sampled_from(TITLES + FILLERS), min_size=1, max_size=12).map(" ".join)


@settings(deadline=None, max_examples=25)
@given(st.lists(TEXT, min_size=3, max_size=3), st.permutations(range(3)), st.data())
def test_links_do_not_depend_on_the_order_of_ingest(
    texts: list[str], order: list[int], data: st.DataObject
) -> None:
    titles = data.draw(st.lists(st.sampled_from(TITLES), min_size=3, max_size=3, unique=True))
    pages = dict(zip(titles, texts, strict=True))
    shuffled = {titles[number]: texts[number] for number in order}

    assert link_all(*world(pages)) == link_all(*world(shuffled))


def test_linking_after_each_document_gives_the_links_of_linking_at_the_end() -> None:
    pages = {
        "Alfred Hitchcock": "He made Vertigo and Psycho.",
        "Vertigo (film)": "By Alfred Hitchcock.",
        "Psycho": "After Vertigo, by Alfred Hitchcock.",
    }
    at_end = link_all(*world(pages))
    for order in permutations(pages):
        store = MemoryStore()
        resolver, linker = Resolver(store, TableEmbedder()), Linker(store, store)
        found: set[tuple[str, int]] = set()
        for title in order:
            resolved = add(store, resolver, title, title, pages[title])
            chunk = document(title, title, pages[title])[1]
            found |= links(linker.link_chunks(KB, [chunk]))
            found |= links(linker.link_names(KB, resolved.new_keys, except_for=[chunk.id]))
        assert found == at_end


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60))
def test_keys_of_candidates_are_normalised_names(text: str) -> None:
    for item in candidate_names(text):
        surface = text[item.span.start : item.span.end]
        if surface.isascii():
            tail = item.key.split()[-1]
            assert name_key(surface + " x") == f"{item.key} x" or tail == "x"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Ada met the O'Brien family", "o brien"),
        ("the U.S. Senate", "us senate"),
        ("AT&T won", "at&t"),
        ("Géza's film", "geza"),
        ("John von Neumann", "john von neumann"),
        ("visited Rio de Janeiro", "rio de janeiro"),
    ],
)
def test_candidates_are_keyed_like_names(text: str, key: str) -> None:
    assert key in {item.key for item in candidate_names(text)}


@pytest.mark.parametrize("text", ["", "🙂", "2020 1984", "the and of", "lower case words only"])
def test_text_without_names_has_no_candidates(text: str) -> None:
    assert candidate_names(text) == []


def test_names_do_not_go_beyond_a_sentence() -> None:
    keys = {item.key for item in candidate_names("He reached Berlin.\nParis was far")}

    assert "berlin paris" not in keys
    assert {"berlin", "paris"} <= keys
