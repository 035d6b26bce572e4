from datetime import UTC, datetime
from typing import Any, cast

import pytest

from clew.core.causality import CausalGuard
from clew.core.errors import QueryError, UnsupportedModeError
from clew.core.ids import format_id
from clew.core.query import (
    AllOf,
    Comparison,
    Condition,
    Filter,
    FusionMode,
    RetrievalMode,
)
from clew.engine.questions import QueryParameters, build_query
from clew.settings.model import RetrievalSettings

DAY = datetime(2024, 5, 1, tzinfo=UTC)


def query(*, settings=None, mode=None, top_k=None, **parameters: Any):
    return build_query(
        "Who?",
        collection="c",
        settings=settings or RetrievalSettings(),
        mode=mode,
        top_k=top_k,
        parameters=cast("QueryParameters", parameters),
    )


def test_what_is_not_given_comes_from_the_settings():
    settings = RetrievalSettings(mode=RetrievalMode.KEYWORD, top_k=3, max_hops=4, fusion_alpha=0.3)
    made = query(settings=settings)
    assert (made.mode, made.top_k, made.max_hops, made.alpha) == (RetrievalMode.KEYWORD, 3, 4, 0.3)
    assert made.collection == "c"


def test_what_is_given_wins_over_the_settings():
    settings = RetrievalSettings(top_k=3, seed_k=2)
    made = query(settings=settings, mode="graph", top_k=7, seed_k=9, vector_expansion=False)
    assert (made.mode, made.top_k, made.seed_k) == (RetrievalMode.KG_ONLY, 7, 9)
    assert made.vector_expansion is False


def test_a_preset_that_is_named_wins_over_the_weight_of_the_settings():
    settings = RetrievalSettings(fusion_alpha=0.3)
    assert query(settings=settings, fusion_mode="graph_first").alpha == 0.8
    assert query(settings=settings, fusion_mode=FusionMode.BALANCED, fusion_alpha=0.1).alpha == 0.1


@pytest.mark.parametrize("mode", ["auto"])
def test_modes_to_come_are_refused_with_those_that_work(mode):
    with pytest.raises(UnsupportedModeError) as caught:
        query(mode=mode)
    for known in (mode, "vector_only", "keyword", "kg_only", "hybrid", "dual"):
        assert known in str(caught.value)


def test_an_unknown_mode_or_parameter_is_named():
    with pytest.raises(QueryError, match="sideways"):
        query(mode="sideways")
    with pytest.raises(QueryError, match="max_hop"):
        query(max_hop=2)
    with pytest.raises(QueryError, match="fusion_mode 'x'"):
        query(fusion_mode="x")
    with pytest.raises(QueryError, match="fusion_strategy 'y'"):
        query(fusion_strategy="y")
    with pytest.raises(QueryError, match="causal_guard 'z'; choose one of: strict, warn, off"):
        query(causal_guard="z")
    with pytest.raises(QueryError, match="reference_date has no time zone"):
        query(reference_date=datetime(2020, 1, 1))  # noqa: DTZ001


def test_the_causal_guard_comes_from_the_settings_unless_it_is_given():
    settings = RetrievalSettings(causal_guard=CausalGuard.STRICT, causal_confidence=0.7)
    made = query(settings=settings)
    assert (made.causal_guard, made.causal_confidence) == (CausalGuard.STRICT, 0.7)
    assert query(settings=settings, causal_guard="off").causal_guard is CausalGuard.OFF


def test_parts_of_the_scope_complete_the_filter():
    made = query(
        filter=Filter(sources=frozenset({"a"}), metadata=Condition("k", Comparison.AT_LEAST, 1)),
        documents=[5, format_id(6)],
        labels=["ORG"],
        languages=["en", "pt"],
        published_from=DAY,
        where={"year": 2024},
    )
    assert made.filter == Filter(
        documents=frozenset({5, 6}),
        sources=frozenset({"a"}),
        languages=frozenset({"en", "pt"}),
        labels=frozenset({"ORG"}),
        published_from=DAY,
        metadata=AllOf(
            (
                Condition("k", Comparison.AT_LEAST, 1),
                Condition("year", Comparison.EQUAL, 2024),
            )
        ),
    )


def test_a_set_that_is_given_twice_is_refused_since_their_meet_might_be_empty():
    with pytest.raises(QueryError, match="sources is given twice"):
        query(filter=Filter(sources=frozenset({"a"})), sources=["b"])


def test_a_lone_string_is_not_taken_for_its_letters():
    with pytest.raises(QueryError, match="labels is one string"):
        query(labels="ORG")


def test_a_date_without_zone_is_refused():
    with pytest.raises(QueryError, match="published_to has no time zone"):
        query(published_to=datetime(2024, 1, 1))  # noqa: DTZ001 - on purpose
