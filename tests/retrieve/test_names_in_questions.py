"""The names that a question holds, and the nodes that they stand for."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from clew.core.query import Filter, Principal, Query
from clew.retrieve.named_nodes import NamedNodes, find_named_nodes, rarity
from clew.retrieve.question import name_candidates, prepare
from clew.stores.memory import MemoryStore
from clew.testing.fakes import HashingEmbedder
from clew.testing.store_samples import GUEST, MAIN, filed, id_array, mention, node_of, say, write
from tests.retrieve.worlds import CONFIDENCE, tell

ASK = Query("x", collection=MAIN)


def found(store: MemoryStore, text: str, query: Query = ASK) -> NamedNodes:
    return find_named_nodes(replace(query, text=text), graph=store)


def names_in(store: MemoryStore, text: str, query: Query = ASK) -> set[int]:
    return set(found(store, text, query).ids.tolist())


def keys(text: str) -> list[str]:
    return [candidate.key for candidate in name_candidates(text)]


class TestCandidates:
    def test_longest_first_and_from_the_left(self) -> None:
        assert keys("Ada met Bob") == ["ada met bob", "ada met", "met bob", "ada", "bob"]

    def test_places_are_those_of_the_words(self) -> None:
        places = {
            candidate.key: (candidate.first, candidate.last)
            for candidate in name_candidates("is Ada Lovelace here")
        }
        assert places["ada lovelace"] == (1, 3)

    def test_one_word_in_lower_case_is_no_name(self) -> None:
        assert "apple" not in keys("who ate the apple")
        assert "apple" in keys("who founded Apple")

    def test_a_digit_marks_a_name(self) -> None:
        assert "1984" in keys("when was 1984 written")
        assert "x3" in keys("what is x3")

    def test_longer_names_are_tried_in_lower_case(self) -> None:
        assert "ada lovelace" in keys("who was ada lovelace")

    def test_stop_words_alone_are_no_name(self) -> None:
        assert keys("Who Is It") == []
        assert keys("to be or not to be") == []

    def test_stop_words_inside_a_name_belong_to_it(self) -> None:
        assert "lord of the rings" in keys("who wrote The Lord of the Rings")

    def test_eight_words_at_most(self) -> None:
        lengths = {len(key.split()) for key in keys("Aa Bb Cc Dd Ee Ff Gg Hh Ii Jj")}
        assert max(lengths) == 8

    def test_possessives_and_punctuation(self) -> None:
        assert "acme" in keys("What is Acme's revenue?")
        assert "ada lovelace" in keys("(Ada Lovelace)?")

    @pytest.mark.parametrize("text", ["", "?!", "\x00", "\U0001f680"])
    def test_nothing_to_find(self, text: str) -> None:
        assert keys(text) == []


class TestNamedNodes:
    def test_the_longest_name_wins(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["New York", "York", "New York Times"])
        assert names_in(store, "Who owns the New York Times?") == {node_of("New York Times")}
        assert names_in(store, "Who runs New York?") == {node_of("New York")}
        assert names_in(store, "Who runs York?") == {node_of("York")}

    def test_names_beside_each_other_are_both_found(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["Ada Lovelace", "Charles Babbage"])
        both = {node_of("Ada Lovelace"), node_of("Charles Babbage")}
        assert names_in(store, "Did Ada Lovelace meet Charles Babbage?") == both

    def test_the_first_of_two_overlapping_names_of_one_length_wins(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["Red Green", "Green Blue"])
        assert names_in(store, "Red Green Blue") == {node_of("Red Green")}

    def test_questions_in_lower_case(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["Ada Lovelace", "Bob"])
        assert names_in(store, "who was ada lovelace") == {node_of("Ada Lovelace")}
        assert names_in(store, "who was bob") == set()

    def test_stop_words_name_nothing(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["Who", "It"])
        assert names_in(store, "Who is it") == set()

    def test_a_name_with_two_meanings_parts_its_weight(self) -> None:
        store = MemoryStore()
        entry = filed("s", "one", "two")
        write(store, entry)
        one, two = entry.chunks
        planet = mention(one, "Mercury", node="Mercury planet", confidence=CONFIDENCE)
        metal = mention(two, "Mercury", node="Mercury metal", confidence=CONFIDENCE)
        again = mention(one, "Mercury", node="Mercury metal", start=9, confidence=CONFIDENCE)
        say(store, entry, planet, metal, again)
        named = found(store, "How far is Mercury?")
        weights = dict(zip(named.ids.tolist(), named.weights.tolist(), strict=True))
        assert weights == pytest.approx(
            {
                node_of("Mercury planet"): 0.5,
                node_of("Mercury metal"): 0.5 / (1 + math.log(2)),
            }
        )
        assert len(set(named.names.tolist())) == 1

    def test_of_many_meanings_the_five_most_mentioned_count(self) -> None:
        store = MemoryStore()
        entry = filed("s", *(f"text {place}" for place in range(8)))
        write(store, entry)
        # The meaning M0 has eight mentions, M1 seven, ..., M6 two.
        for meaning in range(7):
            rows = (
                mention(chunk, "John", node=f"M{meaning}", confidence=CONFIDENCE)
                for chunk in entry.chunks[meaning:]
            )
            say(store, entry, *rows)
        named = found(store, "Where is John?")
        assert named.ids.tolist() == [node_of(f"M{meaning}") for meaning in range(5)]

    def test_two_names_are_told_apart(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["Ada", "Bob"])
        named = found(store, "Ada and Bob")
        assert len(named.ids) == 2
        assert len(set(named.names.tolist())) == 2

    def test_a_name_said_twice_is_one_node(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["Ada"])
        named = found(store, "Ada, Ada and Ada")
        assert named.ids.tolist() == [node_of("Ada")]
        assert named.weights.tolist() == [1.0]

    def test_nothing_named(self) -> None:
        named = found(MemoryStore(), "what is love")
        assert (len(named.ids), len(named.weights), len(named.names)) == (0, 0, 0)


class TestScope:
    def store(self) -> MemoryStore:
        made = MemoryStore()
        tell(made, "open", ["Ada"], label="Person")
        tell(made, "shut", ["Bob", "Acme"], label="Company", acl=["staff"])
        return made

    def test_principal(self) -> None:
        text = "Ada, Bob and Acme"
        assert len(names_in(self.store(), text)) == 3
        guest = replace(ASK, principal=GUEST)
        assert names_in(self.store(), text, guest) == {node_of("Ada")}
        staff = replace(ASK, principal=Principal(frozenset({"staff"})))
        assert len(names_in(self.store(), text, staff)) == 3

    def test_labels(self) -> None:
        query = replace(ASK, filter=Filter(labels=frozenset({"Company"})))
        expected = {node_of("Bob"), node_of("Acme")}
        assert names_in(self.store(), "Ada, Bob and Acme", query) == expected

    def test_documents(self) -> None:
        query = replace(ASK, filter=Filter(sources=frozenset({"open"})))
        assert names_in(self.store(), "Ada, Bob and Acme", query) == {node_of("Ada")}

    def test_a_name_out_of_scope_does_not_hide_a_shorter_one_in_scope(self) -> None:
        made = MemoryStore()
        tell(made, "open", ["York"])
        tell(made, "shut", ["New York"])
        query = replace(ASK, filter=Filter(sources=frozenset({"open"})))
        assert names_in(made, "Where is New York?", query) == {node_of("York")}
        assert names_in(made, "Where is New York?") == {node_of("New York")}

    def test_only_the_meanings_in_scope_count(self) -> None:
        made = MemoryStore()
        for source, node in (("open", "Mercury planet"), ("shut", "Mercury metal")):
            entry = filed(source, f"text of {source}")
            write(made, entry)
            say(made, entry, mention(entry.chunks[0], "Mercury", node=node, confidence=0.5))
        query = replace(ASK, filter=Filter(sources=frozenset({"open"})))
        named = found(made, "How far is Mercury?", query)
        assert named.ids.tolist() == [node_of("Mercury planet")]
        assert named.weights.tolist() == [1.0]

    def test_collections_do_not_mix(self) -> None:
        assert names_in(self.store(), "Ada", replace(ASK, collection="other")) == set()


class TestRarity:
    def test_by_hand(self) -> None:
        assert rarity(id_array(0, 1, 2, 100)).tolist() == pytest.approx(
            [1.0, 1.0, 1 / (1 + math.log(2)), 1 / (1 + math.log(100))]
        )

    def test_more_mentions_are_worth_less(self) -> None:
        assert np.all(np.diff(rarity(np.arange(1, 50))) < 0)


class TestPrepare:
    def test_terms_are_distinct_and_in_order(self) -> None:
        query = replace(ASK, text="The river, the River's bank and the river")
        question = prepare(query, HashingEmbedder())
        assert question.terms == ("river", "bank")

    def test_vector_is_the_questions(self) -> None:
        embedder = HashingEmbedder(16)
        question = prepare(replace(ASK, text="river bank"), embedder)
        assert question.vector.tolist() == embedder.embed_questions(["river bank"])[0].tolist()
        assert question.embed_ms >= 0
