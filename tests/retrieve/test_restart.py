"""Where the walk starts: how mass is shared out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.arrays import Hits
from clew.core.knowledge import EdgeType
from clew.core.results import Path, PathStep
from clew.retrieve.restart import (
    ANCHORS,
    NAMED_SHARE,
    PATH_SHARE,
    SEED_SHARE,
    paths_ends,
    restart_at,
)
from clew.retrieve.walk import Restart
from clew.testing.store_samples import node_of
from tests.retrieve.worlds import hits, named, no_hits, nobody_named


def path_to(*names: str, relevance: float) -> Path:
    """Return a path over the names in a row."""
    steps = tuple(
        PathStep(node_of(a), node_of(b), a, b, 0, EdgeType.CAUSES, "r", True, 1.0)
        for a, b in pairwise(names)
    )
    return Path(steps, relevance_score=relevance)


def mass_of(restart: Restart) -> dict[int, float]:
    return dict(
        zip(
            [*restart.chunks.tolist(), *restart.nodes.tolist()],
            [*restart.chunk_mass.tolist(), *restart.node_mass.tolist()],
            strict=True,
        )
    )


def test_every_group_has_its_share() -> None:
    found = restart_at(
        hits((1, 2.0), (2, 1.0)),
        named(("Ada", 3.0), ("Bob", 1.0)),
        hits((node_of("Cy"), 0.5)),
        [path_to("Ada", "Dee", relevance=0.9)],
    )
    rest = 1 - NAMED_SHARE - SEED_SHARE - PATH_SHARE
    assert mass_of(found) == pytest.approx(
        {
            1: rest * 4 / 5,
            2: rest * 1 / 5,
            node_of("Ada"): NAMED_SHARE * 3 / 4,
            node_of("Bob"): NAMED_SHARE / 4,
            node_of("Cy"): SEED_SHARE,
            node_of("Dee"): PATH_SHARE,
        },
        rel=1e-5,
    )


def test_only_the_best_anchors_count() -> None:
    anchors = hits(*((place, 1.0) for place in range(1, ANCHORS + 4)))
    found = restart_at(anchors, nobody_named(), no_hits(), [])
    assert found.chunks.tolist() == anchors.ids[:ANCHORS].tolist()
    assert found.chunk_mass.tolist() == pytest.approx([1 / ANCHORS] * ANCHORS)


def test_an_empty_group_leaves_its_share_to_the_passages() -> None:
    found = restart_at(hits((1, 1.0)), named(("Ada", 1.0)), no_hits(), [])
    assert mass_of(found) == pytest.approx({1: 1 - NAMED_SHARE, node_of("Ada"): NAMED_SHARE})


def test_without_passages_nodes_share_everything_in_proportion() -> None:
    found = restart_at(no_hits(), named(("Ada", 1.0)), hits((node_of("Cy"), 0.4)), [])
    both = NAMED_SHARE + SEED_SHARE
    assert mass_of(found) == pytest.approx(
        {node_of("Ada"): NAMED_SHARE / both, node_of("Cy"): SEED_SHARE / both}
    )


def test_passages_without_score_are_as_good_as_none() -> None:
    found = restart_at(hits((1, 0.0)), named(("Ada", 1.0)), no_hits(), [])
    assert mass_of(found) == pytest.approx({node_of("Ada"): 1.0})


def test_nothing_at_all() -> None:
    assert mass_of(restart_at(no_hits(), nobody_named(), no_hits(), [])) == {}


def test_a_node_of_two_groups_has_both_shares() -> None:
    ada = node_of("Ada")
    found = restart_at(hits((1, 1.0)), named(("Ada", 1.0)), hits((ada, 0.7)), [])
    assert mass_of(found)[ada] == pytest.approx(NAMED_SHARE + SEED_SHARE)


def test_a_given_seed_that_no_signal_found_counts_as_a_first_one() -> None:
    given, other = node_of("Ada"), node_of("Bob")
    found = restart_at(no_hits(), nobody_named(), hits((given, 0.0), (other, 0.25)), [])
    assert mass_of(found) == pytest.approx({given: 0.8, other: 0.2})


class TestPathEnds:
    def test_last_nodes_of_good_paths_with_the_best_relevance(self) -> None:
        found = paths_ends(
            [
                path_to("Ada", "Bob", relevance=0.6),
                path_to("Ada", "Cy", "Bob", relevance=0.9),
                path_to("Eve", "Bob", relevance=0.7),
                path_to("Ada", "Dee", relevance=0.5),
                path_to("Ada", "Eve", relevance=0.49),
            ]
        )
        assert dict(zip(found.ids.tolist(), found.scores.tolist(), strict=True)) == pytest.approx(
            {node_of("Bob"): 0.9, node_of("Dee"): 0.5}
        )

    def test_none(self) -> None:
        assert len(paths_ends([]).ids) == 0


scores = st.lists(st.integers(0, 8).map(lambda eighths: eighths / 8), max_size=5)


def ranked(values: list[float], *, first: int) -> Hits:
    return hits(*((first + place, value) for place, value in enumerate(sorted(values)[::-1])))


@given(scores, scores, scores, st.lists(st.floats(0.0, 1.0), max_size=3))
@settings(deadline=None, max_examples=60)
def test_mass_is_positive_or_zero_and_sums_to_one(
    anchors: list[float], weights: list[float], seeds: list[float], relevances: list[float]
) -> None:
    found = restart_at(
        ranked(anchors, first=1),
        named(*((f"N{place}", weight) for place, weight in enumerate(weights))),
        ranked(seeds, first=1000),
        [path_to("Ada", f"P{place}", relevance=value) for place, value in enumerate(relevances)],
    )
    mass = np.concatenate([found.chunk_mass, found.node_mass])
    assert np.all(mass >= 0)
    if len(mass):
        assert mass.sum() == pytest.approx(1.0, abs=1e-5)
    else:
        assert not any(anchors)
        assert not any(weights)
        assert not seeds
        assert max(relevances, default=0.0) < 0.5
    assert len(np.unique(found.nodes)) == len(found.nodes)
