"""`IntelligentPathPruner`: thresholds, counts, and agreement of the single and the batched form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.arrays import Ids, Matrix
from clew.core.calibration import Calibration
from clew.core.errors import QueryError
from clew.retrieve.path_pruner import IntelligentPathPruner
from tests.retrieve.worlds import EAST, at_cosine


@dataclass(frozen=True)
class Edge:
    target: int
    confidence: float


def vectors_of(cosines: dict[int, float]):
    def read(nodes: Ids) -> Matrix:
        return np.stack(
            [at_cosine(cosines[node]) if node in cosines else 0 * EAST for node in nodes.tolist()]
        )

    return read


def pruner(
    cosines: dict[int, float], threshold: float = 0.3, *, background: float = 0.0
) -> IntelligentPathPruner:
    return IntelligentPathPruner(
        threshold,
        node_vectors=vectors_of(cosines),
        calibration=Calibration(question_node=background),
    )


def test_the_threshold_is_point_three() -> None:
    assert IntelligentPathPruner().threshold == 0.3
    assert IntelligentPathPruner().pruning_stats == {"pruned": 0, "kept": 0}


def test_confidence_and_relevance_must_both_reach_it() -> None:
    found = pruner({1: 0.5, 2: 0.2, 3: 0.0})
    assert found.should_expand([1], Edge(2, 0.3), EAST)  # mean .35
    assert not found.should_expand([1], Edge(2, 0.29), EAST)
    assert not found.should_expand([1], Edge(3, 1.0), EAST)  # mean .25
    assert found.pruning_stats == {"pruned": 2, "kept": 1}


def test_relevance_is_calibrated() -> None:
    # Background .5: .8 is .6 and .5 is 0; mean .3.
    assert pruner({1: 0.8, 2: 0.5}, 0.29, background=0.5).should_expand([1], Edge(2, 1.0), EAST)
    assert not pruner({1: 0.8, 2: 0.5}, 0.31, background=0.5).should_expand([1], Edge(2, 1.0), EAST)


def test_a_node_without_vector_counts_nothing() -> None:
    assert not pruner({1: 0.5}).should_expand([1], Edge(9, 1.0), EAST)
    assert pruner({1: 0.7}).should_expand([1], Edge(9, 1.0), EAST)


def test_without_vectors_only_the_batched_form_works() -> None:
    with pytest.raises(QueryError, match="node_vectors"):
        IntelligentPathPruner().should_expand([1], Edge(2, 1.0), EAST)


@pytest.mark.parametrize("threshold", [-1.1, 1.1])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(QueryError, match="relevance_threshold"):
        IntelligentPathPruner(threshold)


@given(
    st.lists(
        st.tuples(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.sampled_from((0.1, 0.6))),
        max_size=12,
    )
)
@settings(deadline=None, max_examples=50)
def test_a_frontier_at_once_is_the_same_as_path_by_path(
    paths: list[tuple[list[int], float]],
) -> None:
    cosines = {node: (node - 2) / 4 for node in range(1, 6)}
    single = pruner(cosines)
    expected = [
        single.should_expand(nodes[:-1], Edge(nodes[-1], confidence), EAST)
        for nodes, confidence in paths
    ]
    batched = pruner(cosines)
    means = [np.mean([cosines[node] for node in nodes]) for nodes, _ in paths]
    kept = batched.keep(
        np.array(means, np.float32), np.array([row for _, row in paths], np.float32)
    )
    near_threshold = np.isclose(means, 0.3, atol=1e-5)
    assert np.all((kept == np.array(expected, np.bool_)) | near_threshold)
    assert sum(batched.pruning_stats.values()) == len(paths)
