"""Communities of small collections whose groups are known, built, changed and built again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.core.arrays import Matrix
from clew.core.documents import Span
from clew.core.ids import origin_id
from clew.core.knowledge import Claim, Community
from clew.core.ports import Store
from clew.core.query import ALL_RIGHTS, Principal
from clew.knowledge.communities.graphrag import (
    ExtractedCommunities,
    GraphRAGExtractor,
    embedded_text,
)
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.testing.fakes import HashingEmbedder
from clew.testing.store_samples import MAIN, edge, filed, mention, node_of, say, write

_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*")

SHIPS = (
    "Aurelia carries Blue Whale. Blue Whale belongs to Cargo Line. Cargo Line hired Dora Fields.",
    "Dora Fields sailed Aurelia. Aurelia passed Cape Ember. Cape Ember guides Blue Whale.",
    "Cargo Line bought Aurelia. Dora Fields left Cape Ember.",
)
STARS = (
    "Kestrel Dome watches Lyra. Lyra moves near Mira. Mira dimmed over Nova Ridge.",
    "Nova Ridge hosts Kestrel Dome. Omar Pike drew Lyra. Omar Pike runs Kestrel Dome.",
    "Mira amazed Omar Pike. Nova Ridge hides Mira.",
)


class Counting(HashingEmbedder):
    """Keeps the texts that it embeds."""

    def __init__(self) -> None:
        super().__init__(64)
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        self.texts += texts
        return super().embed_passages(texts)


class Base:
    """A collection with an extractor, as the engine would use them."""

    def __init__(self, store: Store, *, levels: int = 2) -> None:
        self.store = store
        self.embedder = Counting()
        self.levels = levels

    def tell(self, source: str, *texts: str, acl: Sequence[str] = ()) -> None:
        """Write a document: each sentence is a claim that relates the first and the last name."""
        entry = filed(source, *texts, acl=acl, language="en")
        write(self.store, entry)
        for chunk in entry.chunks:
            for place, sentence in enumerate(re.finditer(r"[^.]+\.", chunk.text)):
                span = Span(sentence.start() + (place > 0), sentence.end())
                found = list(_NAME.finditer(chunk.text, span.start, span.end))
                say(
                    self.store,
                    entry,
                    *(mention(chunk, one.group(), start=one.start()) for one in found),
                )
                claim = Claim(chunk.id + place, chunk.id, sentence.group(), span)
                say(self.store, entry, claim)
                if len(found) > 1:
                    stated = edge(found[0].group(), found[-1].group(), chunk, confidence=0.9)
                    say(self.store, entry, stated)

    def extract(self, *, afresh: bool = False) -> ExtractedCommunities:
        """Return the communities without writing them."""
        self.embedder.texts.clear()
        extractor = GraphRAGExtractor(
            graph=self.store, chunks=self.store, embedder=self.embedder, levels=self.levels
        )
        return extractor.extract_communities(MAIN, afresh=afresh)

    def build(self, *, afresh: bool = False) -> ExtractedCommunities:
        """Extract communities and write them."""
        extracted = self.extract(afresh=afresh)
        self.store.write_communities(MAIN, extracted.batch)
        return extracted

    def held(self, principal: Principal = ALL_RIGHTS, level: int | None = None) -> list[Community]:
        return self.store.communities(MAIN, level=level, principal=principal)


@pytest.fixture(params=["memory", "embedded"])
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Base]:
    store: Store = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "kb")
    yield Base(store)
    store.close()


@pytest.fixture
def told(base: Base) -> Base:
    """Give a collection on ships and on stars, with nothing in common."""
    base.tell("ships", *SHIPS)
    base.tell("stars", *STARS)
    return base


def named(*names: str) -> set[int]:
    return {node_of(name) for name in names}


SHIP_NODES = named("Aurelia", "Blue Whale", "Cargo Line", "Dora Fields", "Cape Ember")
STAR_NODES = named("Kestrel Dome", "Lyra", "Mira", "Nova Ridge", "Omar Pike")


def of(communities: Sequence[Community], nodes: set[int]) -> list[Community]:
    return [one for one in communities if set(one.members) & nodes]


def without_path(one: Community) -> Community:
    return replace(one, path="")


def test_what_hangs_together_is_a_community(told: Base) -> None:
    extracted = told.build()
    tops = told.held(level=0)
    for subject in (SHIP_NODES, STAR_NODES):
        members = [set(one.members) for one in of(tops, subject)]
        assert set().union(*members) == subject, "nobody is left out or mixed in"
        assert sum(map(len, members)) == len(subject), "nobody is in two"
    assert told.held() == sorted(
        extracted.communities, key=lambda one: (one.level, one.path, one.id)
    )


def test_paths_lead_from_the_whole_to_the_parts(told: Base) -> None:
    told.build()
    every = {one.id: one for one in told.held()}
    assert {one.level for one in every.values()} == {0, 1}
    for one in every.values():
        if one.level == 0:
            assert re.fullmatch(r"level0_\d+", one.path)
            assert one.parent is None
        else:
            assert one.parent is not None
            parent = every[one.parent]
            assert re.fullmatch(re.escape(parent.path) + r"\.level1_\d+", one.path)
            assert set(one.members) <= set(parent.members)
    node = told.store.nodes(MAIN, [node_of("Lyra")])[0]
    assert node.community in {one.path for one in every.values() if one.level == 1}


def test_every_sentence_of_a_summary_stands_where_it_says(told: Base) -> None:
    told.build()
    for one in told.held():
        assert 1 <= len(one.evidence) <= 5
        sentences = []
        for evidence in one.evidence:
            (chunk,) = told.store.chunks(MAIN, [evidence.chunk])
            sentences.append(chunk.text[evidence.span.start : evidence.span.end])
            names = named(*_NAME.findall(sentences[-1]))
            assert names & set(one.members)
        assert one.summary == " ".join(sentences)
        assert len(set(sentences)) == len(sentences)


def test_summaries_of_wholes_have_three_to_five_sentences(told: Base) -> None:
    told.build()
    for one in told.held(level=0):
        if len(one.members) >= 4:
            assert 3 <= len(one.evidence) <= 5


def test_titles_name_members(told: Base) -> None:
    told.build()
    for one in told.held():
        names = one.title.split(", ")
        assert len(names) == min(3, len(one.members))
        assert named(*names) <= set(one.members)


def test_vectors_are_those_of_title_and_summary(told: Base) -> None:
    told.build()
    held = told.held()
    vectors = told.store.community_vectors(MAIN, np.array([one.id for one in held], np.int64))
    expected = HashingEmbedder(64).embed_passages([embedded_text(one) for one in held])
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_the_order_in_which_documents_come_does_not_matter(tmp_path: Path) -> None:
    texts = [(f"doc{place}", text) for place, text in enumerate((*SHIPS, *STARS))]
    found = []
    for order in (texts, texts[::-1], [texts[place] for place in (3, 0, 5, 1, 4, 2)]):
        base = Base(MemoryStore())
        for source, text in order:
            base.tell(source, text)
        found.append(base.build().communities)
    assert found[0] == found[1] == found[2]


def test_a_second_build_changes_nothing_and_embeds_nothing(told: Base) -> None:
    first = told.build()
    assert first.embedded == len(told.embedder.texts) > 0
    again = told.build()
    assert (again.summarised, again.embedded, told.embedder.texts) == (0, 0, [])
    assert again.batch.communities == ()
    assert again.batch.replaced == ()
    assert again.communities == first.communities


def test_only_what_a_change_touches_is_redone(told: Base) -> None:
    told.build()
    before = {one.id for one in told.held()}
    stars_before = of(told.held(), STAR_NODES)
    told.tell("more", "Dora Fields sold Blue Whale. Aurelia met Ferry Swift. Ferry Swift sank.")
    changed = told.build()
    # Paths count by size, and may move; what is told under them does not.
    assert set(map(without_path, of(told.held(), STAR_NODES))) == set(
        map(without_path, stars_before)
    )
    assert 0 < changed.embedded == len(told.embedder.texts)
    assert not any("Kestrel" in text or "Lyra" in text for text in told.embedder.texts)
    assert named("Ferry Swift") <= set().union(*(set(one.members) for one in told.held(level=0)))
    assert changed.summarised == len({one.id for one in changed.communities} - before)
    assert set(changed.batch.vectors.ids.tolist()).isdisjoint(one.id for one in stars_before)


def test_a_text_that_stays_keeps_its_vector_though_the_evidence_grew(told: Base) -> None:
    told.build()
    ids = {one.id for one in told.held()}
    texts = {embedded_text(one) for one in told.held()}
    # A heading is evidence of its communities, but no sentence for a summary.
    entry = filed("heading", "# Aurelia and Blue Whale")
    write(told.store, entry)
    names = ("Aurelia", "Blue Whale")
    say(told.store, entry, *(mention(entry.chunks[0], name, start=2) for name in names))
    changed = told.build()
    assert changed.summarised == len({one.id for one in told.held()} - ids) > 0
    assert sorted(told.embedder.texts) == sorted(
        {embedded_text(one) for one in told.held()} - texts
    )
    for one in told.held():
        assert told.store.community_vectors(MAIN, np.array([one.id], np.int64)).any()


def test_what_a_removal_dropped_is_filled_again(told: Base) -> None:
    told.build()
    told.tell("gone", "Lyra swallowed Pale Comet. Pale Comet hit Mira.")
    told.build()
    assert any("Pale Comet" in one.summary + one.title for one in told.held())
    told.store.erase(MAIN, origin_id("gone"))
    gone = next(one for one in told.store.documents(MAIN) if one.source == "gone")
    told.store.remove_document(MAIN, gone.id)
    assert not any("Pale Comet" in one.summary + one.title for one in told.held())
    told.build()
    tops = told.held(level=0)
    assert set().union(*(set(one.members) for one in tops)) == SHIP_NODES | STAR_NODES
    assert not any("Pale Comet" in one.summary + one.title for one in tops)


def test_afresh_forgets_the_way_here(told: Base) -> None:
    told.build()
    told.tell("bridge", "Lyra guided Aurelia.")
    told.build()
    anew = told.build(afresh=True)
    other = Base(MemoryStore())
    for source, texts in (
        ("ships", SHIPS),
        ("stars", STARS),
        ("bridge", ("Lyra guided Aurelia.",)),
    ):
        other.tell(source, *texts)
    assert anew.communities == other.build().communities


def test_three_levels(tmp_path: Path) -> None:
    base = Base(MemoryStore(), levels=3)
    base.tell("ships", *SHIPS)
    base.build()
    assert {one.level for one in base.held()} == {0, 1, 2}
    (deep, *_) = base.held(level=2)
    assert re.fullmatch(r"level0_\d+\.level1_\d+\.level2_\d+", deep.path)


def test_an_empty_collection_has_none(base: Base) -> None:
    assert base.build().communities == ()
    assert base.held() == []


class TestPermissions:
    """A summary rests on what everybody in its acl may see, and on nothing else."""

    @pytest.fixture
    def mixed(self, base: Base) -> Base:
        base.tell("open", *SHIPS)
        base.tell(
            "staff", "Aurelia hides Secret Gold. Secret Gold paid Dora Fields.", acl=["staff"]
        )
        base.tell(
            "both", "Cargo Line fears Hidden Debt. Hidden Debt ruins Aurelia.", acl=["law", "staff"]
        )
        base.build()
        return base

    def all_text(self, base: Base, principal: Principal) -> str:
        held = base.held(principal)
        ids = [node for one in held for node in one.members]
        names = [node.name for node in base.store.nodes(MAIN, ids)]
        return " ".join([*(f"{one.title} {one.summary}" for one in held), *names])

    def test_one_summary_an_acl(self, mixed: Base) -> None:
        acls: dict[str, set[frozenset[str]]] = {}
        for one in mixed.held():
            assert one.acl not in acls.get(one.path, set())
            acls.setdefault(one.path, set()).add(one.acl)
        assert set().union(*acls.values()) == {
            frozenset(),
            frozenset({"staff"}),
            frozenset({"law", "staff"}),
        }

    @pytest.mark.parametrize(
        ("groups", "hidden"),
        [
            ((), ("Secret Gold", "Hidden Debt")),
            (("guest",), ("Secret Gold", "Hidden Debt")),
            (("law",), ("Secret Gold",)),
            (("staff",), ()),
        ],
    )
    def test_nobody_reads_what_is_hidden(
        self, mixed: Base, groups: tuple[str, ...], hidden: tuple[str, ...]
    ) -> None:
        text = self.all_text(mixed, Principal(frozenset(groups)))
        assert "Aurelia" in text
        for word in ("Secret Gold", "Hidden Debt"):
            assert (word in text) == (word not in hidden)

    def test_everything_is_told_to_somebody(self, mixed: Base) -> None:
        text = self.all_text(mixed, ALL_RIGHTS)
        assert "Secret Gold" in text
        assert "Hidden Debt" in text

    def test_evidence_is_readable_by_every_group_of_the_acl(self, mixed: Base) -> None:
        for one in mixed.held():
            chunks = [evidence.chunk for evidence in one.evidence]
            for group in one.acl or {"anybody"}:
                reader = Principal(frozenset({group}))
                assert mixed.store.in_scope(MAIN, np.array(chunks), principal=reader).all()
                nodes = mixed.store.nodes(MAIN, one.members, principal=reader)
                assert len(nodes) == len(one.members)

    def test_closing_a_document_hides_its_summaries_at_once(self, mixed: Base) -> None:
        guest = Principal(frozenset({"guest"}))
        assert mixed.held(guest)
        mixed.tell("open", *SHIPS, acl=["staff"])
        assert mixed.held(guest) == []
        mixed.build()
        assert mixed.held(guest) == []
