"""Stage 3: path scores by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from clew.core.calibration import Calibration
from clew.core.knowledge import EdgeType
from clew.core.query import Filter, Query
from clew.core.results import Path, PathStep
from clew.graph.shortest_ways import Arc, Way
from clew.retrieve.expansion import expand_seeds
from clew.retrieve.paths import joined_paths, score_path, score_paths
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import GUEST, MAIN, edge, mention, node_of, say
from tests.retrieve.worlds import ids_of, ready, tell

ASK = Query("investor portfolio of Beta", collection=MAIN, vector_expansion=False)
STRONG = ("INVESTED_BY",)


def scored(
    store: MemoryStore,
    query: Query,
    *seeds: str,
    connections: Sequence[Way] = (),
    strong: Sequence[str] = STRONG,
) -> tuple[Path, ...]:
    question = ready(query)
    expansion = expand_seeds(question, ids_of(*seeds), graph=store, calibration=Calibration())
    return score_paths(
        query,
        question.terms,
        expansion,
        connections,
        graph=store,
        chunks=store,
        strong_relations=strong,
    )


def step(source: str, relation: str, target: str, *, forward: bool = True) -> PathStep:
    ends = node_of(source), node_of(target)
    kind = EdgeType.RELATED_TO
    return PathStep(*ends, source, target, hash(relation), kind, relation, forward, 1.0)


def guide() -> MemoryStore:
    """The hybrid guide's example: Acme, its investor, and what the investor holds."""
    store = MemoryStore()
    tell(
        store,
        "s",
        ["Acme Corp", "Investor Fund", "Beta Inc"],
        edge("Acme Corp", "Investor Fund", relation="INVESTED_BY"),
        edge("Investor Fund", "Beta Inc", relation="PORTFOLIO"),
    )
    return store


class TestScorePath:
    def test_one_point_a_matching_term(self) -> None:
        path = score_path(
            (step("Acme Corp", "INVESTED_BY", "VC Fund A"), step("VC Fund A", "PORTFOLIO", "Beta")),
            frozenset({"portfolio", "beta", "missing"}),
            frozenset(),
        )
        assert path.score == 2
        assert path.relevance_score == pytest.approx(2 / 3)
        assert path.matching_terms == ("portfolio", "beta")

    def test_a_tenth_for_each_strong_relation(self) -> None:
        steps = (step("A1", "OWNS", "B1"), step("B1", "controls", "C1"), step("C1", "knows", "D1"))
        path = score_path(steps, frozenset({"a1"}), frozenset({"own", "control"}))
        assert path.score == pytest.approx(1.2)
        assert path.relevance_score == pytest.approx(1.2 / 4)

    def test_a_term_counts_once(self) -> None:
        steps = (step("River Bank", "bank", "Bank"),)
        assert score_path(steps, frozenset({"bank"}), frozenset()).score == 1

    def test_underscores_part_words(self) -> None:
        steps = (step("A", "FOUNDED_BY", "B"),)
        path = score_path(steps, frozenset({"founded"}), frozenset())
        assert path.matching_terms == ("founded",)

    def test_terms_are_folded(self) -> None:
        steps = (step("Évora Città", "lies in", "Brazil"),)
        path = score_path(steps, frozenset({"evora", "citta"}), frozenset())
        assert path.matching_terms == ("evora", "citta")

    def test_relevance_is_at_most_one(self) -> None:
        steps = (step("one two three", "four", "five six"),)
        terms = frozenset("one two three four five six".split())
        path = score_path(steps, terms, frozenset())
        assert (path.score, path.relevance_score) == (6, 1.0)

    def test_a_long_path_has_to_earn_its_length(self) -> None:
        short = score_path((step("A", "r", "Beta"),), frozenset({"beta"}), frozenset())
        long = score_path(
            (step("A", "r", "X"), step("X", "r", "Beta")), frozenset({"beta"}), frozenset()
        )
        assert short.score == long.score
        assert short.relevance_score > long.relevance_score


class TestScorePaths:
    def test_description_score_and_order(self) -> None:
        best, second = scored(guide(), ASK, "Acme Corp")
        assert best.description == (
            "Acme Corp → INVESTED_BY → Investor Fund → PORTFOLIO → Beta Inc"
        )
        # investor, portfolio and beta match; one relation is strong.
        assert best.score == pytest.approx(3.1)
        assert best.relevance_score == pytest.approx(1.0)
        assert best.matching_terms == ("investor", "portfolio", "beta")
        assert second.description == "Acme Corp → INVESTED_BY → Investor Fund"
        assert second.score == pytest.approx(1.1)
        assert second.relevance_score == pytest.approx(1.1 / 2)

    def test_against_an_edge(self) -> None:
        (path, *_) = scored(guide(), replace(ASK, max_hops=1), "Beta Inc")
        assert path.description == "Beta Inc ← PORTFOLIO ← Investor Fund"
        assert not path.steps[0].forward

    def test_steps_carry_their_evidence(self) -> None:
        store = guide()
        paths = scored(store, ASK, "Acme Corp")
        evidence = {found.chunk for path in paths for found in path.steps}
        (document,) = store.documents(MAIN)
        assert evidence == {chunk.id for chunk in store.document_chunks(MAIN, document.id)}

    def test_no_strong_relations(self) -> None:
        best, _ = scored(guide(), ASK, "Acme Corp", strong=())
        assert best.score == 3

    def test_strong_relations_are_found_in_any_case(self) -> None:
        best, _ = scored(guide(), ASK, "Acme Corp", strong=("portfolio", "Invested_By"))
        assert best.score == pytest.approx(3.2)

    def test_nothing_reached_gives_no_paths(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["A"])
        assert scored(store, ASK, "A") == ()

    def test_at_most_three_ways_to_a_node(self) -> None:
        store = MemoryStore()
        middle = [f"M{place}" for place in range(5)]
        rows = [edge("A", name) for name in middle] + [edge(name, "Z") for name in middle]
        tell(store, "s", ["A", "Z", *middle], *rows)
        paths = scored(store, ASK, "A")
        assert sum(path.steps[-1].target == node_of("Z") for path in paths) == 3
        assert len(paths) == 5 + 3

    def test_three_ways_though_many_lead_there(self) -> None:
        """Two layers of three make nine ways to the last node."""
        store = MemoryStore()
        first, second = ["P0", "P1", "P2"], ["Q0", "Q1", "Q2"]
        rows = [edge("A", name) for name in first]
        rows += [edge(a, b) for a in first for b in second] + [edge(b, "Z") for b in second]
        tell(store, "s", ["A", "Z", *first, *second], *rows)
        paths = scored(store, replace(ASK, text="Z", max_hops=3), "A")
        assert sum(path.steps[-1].target == node_of("Z") for path in paths) == 3

    def test_twenty_in_all(self) -> None:
        store = MemoryStore()
        names = [f"N{place}" for place in range(30)]
        tell(store, "s", ["A", *names], *(edge("A", name) for name in names))
        paths = scored(store, replace(ASK, text="N29 N7"), "A")
        assert len(paths) == 20
        assert {path.steps[0].target_name for path in paths[:2]} == {"N29", "N7"}

    def test_the_same_edges_are_one_path(self) -> None:
        paths = scored(guide(), ASK, "Acme Corp", "Beta Inc")
        edges = [frozenset(found.edge for found in path.steps) for path in paths]
        assert len(edges) == len(set(edges)) == 3

    def test_equal_scores_go_by_relevance_then_confidence(self) -> None:
        store = MemoryStore()
        weak = edge("Ann", "Weak", confidence=0.4)
        sure = edge("Ann", "Sure", confidence=0.9)
        tell(store, "s", ["Ann", "Weak", "Sure", "Far"], weak, sure, edge("Sure", "Far"))
        paths = scored(store, replace(ASK, text="Ann"), "Ann")
        assert [path.steps[-1].target_name for path in paths] == ["Sure", "Weak", "Far"]

    def test_without_semantic_scoring_short_paths_come_first(self) -> None:
        first, second = scored(guide(), replace(ASK, semantic_path_scoring=False), "Acme Corp")
        assert (len(first.steps), len(second.steps)) == (1, 2)

    def test_connections_are_scored_with_the_others(self) -> None:
        store = MemoryStore()
        row = edge("Beta", "Gamma", relation="INVESTED_BY", confidence=0.7)
        tell(store, "s", ["Alone", "Beta", "Gamma"], row)
        way = (Arc(row.source, row.target, row.id, row.kind, True, 0.7),)
        (path,) = scored(store, ASK, "Alone", connections=[way])
        assert path.description == "Beta → INVESTED_BY → Gamma"
        assert path.score == pytest.approx(1.1)

    def test_a_connection_over_an_excluded_edge_is_dropped_whole(self) -> None:
        store = MemoryStore()
        free, shut = edge("Gamma", "Beta"), edge("Beta", "Alpha")
        tell(store, "open", ["Alone", "Beta", "Gamma"], free)
        tell(store, "shut", ["Alpha", "Beta"], shut, acl=["staff"])
        way = tuple(
            Arc(row.source, row.target, row.id, row.kind, True, 1.0) for row in (free, shut)
        )
        only = replace(ASK, filter=Filter(sources=frozenset({"open"})))
        assert scored(store, only, "Alone", connections=[way]) == ()
        assert scored(store, replace(ASK, principal=GUEST), "Alone", connections=[way]) == ()
        assert len(scored(store, ASK, "Alone", connections=[way])) == 1

    def test_evidence_is_the_one_in_scope(self) -> None:
        store = MemoryStore()
        row = edge("A", "B", confidence=0.9)
        tell(store, "best", ["A", "B"], row)
        other = tell(store, "other", ["A", "B"], replace(row, confidence=0.3))
        query = replace(ASK, filter=Filter(sources=frozenset({"other"})))
        ((found,),) = (path.steps for path in scored(store, query, "A"))
        assert found.chunk == other.ids[0]

    def test_evidence_is_one_that_the_principal_sees(self) -> None:
        store = MemoryStore()
        row = edge("A", "B", confidence=0.9)
        tell(store, "secret", ["A", "B"], row, acl=["staff"])
        other = tell(store, "open", ["A", "B"], replace(row, confidence=0.3))
        ((found,),) = (path.steps for path in scored(store, replace(ASK, principal=GUEST), "A"))
        assert found.chunk == other.ids[0]

    def test_names_are_those_that_the_principal_sees(self) -> None:
        store = MemoryStore()
        entry = tell(store, "open", ["A", "B"], edge("A", "B"))
        secret = tell(store, "secret", [], acl=["staff"])
        (chunk,) = secret.chunks
        rows = (mention(chunk, "Alias", node="B", start=start) for start in range(3))
        say(store, secret, *rows)
        (everyone,) = scored(store, ASK, "A")
        (guest,) = scored(store, replace(ASK, principal=GUEST), "A")
        assert everyone.description == "A → joins → Alias"
        assert guest.description == "A → joins → B"
        assert guest.steps[0].chunk == entry.ids[0]


class TestJoinedPaths:
    def test_each_set_of_edges_is_shown_once_and_the_best_first(self) -> None:
        weak = score_path((step("A1", "knows", "B1"),), frozenset({"a1"}), frozenset())
        best = score_path((step("A1", "likes", "C1"),), frozenset({"a1", "c1"}), frozenset())
        assert joined_paths([weak], [best, weak]) == (best, weak)
