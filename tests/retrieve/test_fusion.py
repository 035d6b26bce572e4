"""Fusion of ranked lists, by arithmetic done by hand and by loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.arrays import Hits
from clew.core.errors import QueryError
from clew.core.query import FusionStrategy
from clew.retrieve.fusion.learned import learned
from clew.retrieve.fusion.max_score import max_score
from clew.retrieve.fusion.reciprocal_rank import reciprocal_rank
from clew.retrieve.fusion.strategies import FUSIONS
from clew.retrieve.fusion.weighted_average import weighted_average
from tests.retrieve.worlds import hits, no_hits, scores_of

ranked_lists = st.lists(st.lists(st.integers(1, 9), max_size=6, unique=True), max_size=4)


def ranked(*ids: int) -> Hits:
    """Return a ranking whose scores fall from 1."""
    return hits(*((identifier, 1.0 / place) for place, identifier in enumerate(ids, start=1)))


def column(rows: list[int]) -> Hits:
    return ranked(*rows)


class TestReciprocalRank:
    def test_two_lists_by_hand(self) -> None:
        found = reciprocal_rank(
            [ranked(1, 2, 3), ranked(3, 1)], weights=[0.75, 0.25], limit=10, k=60
        )
        expected = {
            1: 61 * (0.75 / 61 + 0.25 / 62),
            3: 61 * (0.75 / 63 + 0.25 / 61),
            2: 61 * 0.75 / 62,
        }
        assert found.ids.tolist() == [1, 3, 2]
        assert scores_of(found) == pytest.approx(expected, rel=1e-6)

    def test_another_constant(self) -> None:
        found = reciprocal_rank([ranked(4, 5), ranked(5)], weights=[1.0, 1.0], limit=10, k=1)
        # 5: 2 * (1/3 + 1/2) / 2; 4: 2 * (1/2) / 2
        assert scores_of(found) == pytest.approx({5: 5 / 6, 4: 1 / 2})

    def test_the_constant_is_sixty_by_default(self) -> None:
        found = reciprocal_rank([ranked(4, 5)], weights=[1.0], limit=10)
        assert scores_of(found) == pytest.approx({4: 1.0, 5: 61 / 62})

    @pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (0.1, 0.2, 5.0)])
    def test_first_in_every_list_is_one(self, weights: tuple[float, ...]) -> None:
        lists = [ranked(7, 1), ranked(7), ranked(7, 3, 1)]
        found = reciprocal_rank(lists, weights=weights, limit=1)
        assert scores_of(found) == pytest.approx({7: 1.0})

    def test_a_weight_of_zero_takes_its_list_out(self) -> None:
        found = reciprocal_rank([ranked(1), ranked(2)], weights=[0.0, 0.5], limit=10)
        assert scores_of(found) == pytest.approx({2: 1.0})

    def test_an_empty_list_keeps_its_weight(self) -> None:
        found = reciprocal_rank([ranked(1), ranked()], weights=[0.25, 0.75], limit=10)
        assert scores_of(found) == pytest.approx({1: 0.25})

    def test_ties_are_ordered_by_id(self) -> None:
        lists = [ranked(9, 2), ranked(2, 9), ranked(5), ranked(4)]
        found = reciprocal_rank(lists, weights=[1.0] * 4, limit=10)
        assert found.ids.tolist() == [2, 9, 4, 5]

    def test_an_id_counts_once_a_list(self) -> None:
        twice = reciprocal_rank([ranked(7, 7, 8, 7)], weights=[1.0], limit=10)
        assert scores_of(twice) == pytest.approx({7: 1.0, 8: 61 / 62})

    @pytest.mark.parametrize("lists", [[], [[]], [[], []]])
    def test_nothing_gives_nothing(self, lists: list[list[int]]) -> None:
        found = reciprocal_rank(
            [column(rows) for rows in lists], weights=[1.0] * len(lists), limit=5
        )
        assert found.ids.tolist() == []

    def test_the_limit_keeps_the_best(self) -> None:
        found = reciprocal_rank([ranked(*range(100, 60, -1))], weights=[1.0], limit=3)
        assert found.ids.tolist() == [100, 99, 98]

    def test_lists_and_weights_go_in_pairs(self) -> None:
        with pytest.raises(ValueError, match="zip"):
            reciprocal_rank([ranked(1)], weights=[1.0, 2.0], limit=5)

    @given(ranked_lists, st.data())
    @settings(deadline=None, max_examples=60)
    def test_loops_give_the_same(self, lists: list[list[int]], data: st.DataObject) -> None:
        weights = data.draw(st.lists(st.floats(0.1, 3.0), min_size=len(lists), max_size=len(lists)))
        expected: dict[int, float] = {}
        for rows, weight in zip(lists, weights, strict=True):
            for rank, identifier in enumerate(rows, start=1):
                share = weight / (60 + rank) * 61 / sum(weights)
                expected[identifier] = expected.get(identifier, 0.0) + share
        found = reciprocal_rank([column(rows) for rows in lists], weights=weights, limit=100)
        assert scores_of(found) == pytest.approx(expected, rel=1e-5)
        assert max(scores_of(found).values(), default=0.0) <= 1.0 + 1e-6
        ordered = sorted(scores_of(found).items(), key=lambda row: (-row[1], row[0]))
        assert found.ids.tolist() == [identifier for identifier, _ in ordered]

    @given(ranked_lists.filter(bool), st.data())
    @settings(deadline=None, max_examples=30)
    def test_the_order_of_lists_does_not_matter(
        self, lists: list[list[int]], data: st.DataObject
    ) -> None:
        weights = [0.5 + place for place in range(len(lists))]
        order = data.draw(st.permutations(range(len(lists))))
        plain = reciprocal_rank([column(rows) for rows in lists], weights=weights, limit=100)
        mixed = reciprocal_rank(
            [column(lists[place]) for place in order],
            weights=[weights[place] for place in order],
            limit=100,
        )
        assert scores_of(mixed) == pytest.approx(scores_of(plain), rel=1e-6)

    @given(
        st.lists(st.integers(1, 9), min_size=2, max_size=6, unique=True), ranked_lists, st.data()
    )
    @settings(deadline=None, max_examples=30)
    def test_a_better_rank_never_scores_less(
        self, rows: list[int], others: list[list[int]], data: st.DataObject
    ) -> None:
        place = data.draw(st.integers(1, len(rows) - 1))
        raised = [*rows[: place - 1], rows[place], rows[place - 1], *rows[place + 1 :]]
        rest = [column(other) for other in others]
        weights = [1.0] * (1 + len(rest))
        before = reciprocal_rank([column(rows), *rest], weights=weights, limit=100)
        after = reciprocal_rank([column(raised), *rest], weights=weights, limit=100)
        assert scores_of(after)[rows[place]] > scores_of(before)[rows[place]]


class TestWeightedAverage:
    def test_two_lists_by_hand(self) -> None:
        found = weighted_average(
            [hits((1, 8.0), (2, 4.0)), hits((2, 0.5), (3, 0.25))], weights=[0.75, 0.25], limit=10
        )
        # Scaled: 1 -> (1, 0), 2 -> (.5, 1), 3 -> (0, .5).
        assert found.ids.tolist() == [1, 2, 3]
        assert scores_of(found) == pytest.approx({1: 0.75, 2: 0.625, 3: 0.125})

    def test_weights_need_not_sum_to_one(self) -> None:
        found = weighted_average([hits((1, 2.0)), hits((2, 2.0))], weights=[3.0, 1.0], limit=10)
        assert scores_of(found) == pytest.approx({1: 0.75, 2: 0.25})

    def test_only_positive_scores_count(self) -> None:
        found = weighted_average([hits((1, 2.0), (2, 0.0), (3, -1.0))], weights=[1.0], limit=10)
        assert scores_of(found) == pytest.approx({1: 1.0})

    def test_a_list_without_positive_scores_says_nothing(self) -> None:
        found = weighted_average(
            [hits((1, -2.0), (2, -3.0)), hits((2, 4.0))], weights=[0.5, 0.5], limit=10
        )
        assert scores_of(found) == pytest.approx({2: 0.5})

    def test_a_negative_score_takes_nothing_away(self) -> None:
        found = weighted_average(
            [hits((1, 1.0), (2, -1.0)), hits((2, 1.0))], weights=[0.5, 0.5], limit=10
        )
        assert scores_of(found) == pytest.approx({1: 0.5, 2: 0.5})
        assert found.ids.tolist() == [1, 2]

    @pytest.mark.parametrize("lists", [[], [no_hits()], [no_hits(), no_hits()]])
    def test_nothing_gives_nothing(self, lists: list[Hits]) -> None:
        found = weighted_average(lists, weights=[1.0] * len(lists), limit=5)
        assert found.ids.tolist() == []

    def test_ties_and_limit(self) -> None:
        found = weighted_average(
            [hits((9, 1.0), (3, 1.0), (6, 1.0), (1, 0.5))], weights=[1.0], limit=2
        )
        assert found.ids.tolist() == [3, 6]

    @given(
        st.lists(
            st.dictionaries(
                st.integers(1, 9), st.integers(-8, 8).map(lambda eighths: eighths / 8), max_size=6
            ),
            max_size=4,
        ),
        st.data(),
    )
    @settings(deadline=None, max_examples=60)
    def test_loops_give_the_same(self, lists: list[dict[int, float]], data: st.DataObject) -> None:
        weights = data.draw(st.lists(st.floats(0.1, 3.0), min_size=len(lists), max_size=len(lists)))
        expected: dict[int, float] = {}
        for rows, weight in zip(lists, weights, strict=True):
            best = max(rows.values(), default=0.0)
            for identifier, score in rows.items():
                if best > 0 and score > 0:
                    share = weight * (score / best) / sum(weights)
                    expected[identifier] = expected.get(identifier, 0.0) + share
        found = weighted_average(
            [hits(*rows.items()) for rows in lists], weights=weights, limit=100
        )
        assert scores_of(found) == pytest.approx(expected, rel=1e-4, abs=1e-30)
        assert np.all(np.diff(found.scores) <= 0)


class TestMaxScore:
    def test_two_lists_by_hand(self) -> None:
        found = max_score(
            [hits((1, 8.0), (2, 4.0)), hits((2, 0.75), (3, 0.5))], weights=[1.0, 0.5], limit=10
        )
        # Scaled: 1 -> 1, 2 -> max(.5, .5 * 1), 3 -> .5 * 2/3.
        assert found.ids.tolist() == [1, 2, 3]
        assert scores_of(found) == pytest.approx({1: 1.0, 2: 0.5, 3: 1 / 3})

    def test_equal_weights_give_the_plain_maximum(self) -> None:
        found = max_score(
            [hits((1, 2.0), (2, 1.0)), hits((2, 9.0), (1, 3.0))], weights=[0.5, 0.5], limit=10
        )
        assert scores_of(found) == pytest.approx({1: 1.0, 2: 1.0})
        assert found.ids.tolist() == [1, 2]

    def test_only_positive_scores_count(self) -> None:
        found = max_score([hits((1, 2.0), (2, 0.0), (3, -1.0))], weights=[1.0], limit=10)
        assert scores_of(found) == pytest.approx({1: 1.0})


class TestLearned:
    def test_two_lists_by_hand(self) -> None:
        found = learned([hits((1, 4.0), (2, 1.0)), hits((2, 3.0))], weights=[3.0, 1.0], limit=10)
        # By score: 1 -> .75, 2 -> .75 * .25 + .25; by rank: 1 -> .75, 2 -> .75 * 61/62 + .25.
        expected = {1: 0.75, 2: (0.4375 + 0.75 * 61 / 62 + 0.25) / 2}
        assert found.ids.tolist() == [1, 2]
        assert scores_of(found) == pytest.approx(expected, rel=1e-6)

    def test_the_weights_decide(self) -> None:
        lists = [hits((1, 1.0)), hits((2, 1.0))]
        assert learned(lists, weights=[0.9, 0.1], limit=1).ids.tolist() == [1]
        assert learned(lists, weights=[0.1, 0.9], limit=1).ids.tolist() == [2]

    @pytest.mark.parametrize("weights", [(0.0, 0.0), (-1.0, 2.0), (float("nan"), 1.0)])
    def test_unusable_weights_are_refused(self, weights: tuple[float, float]) -> None:
        with pytest.raises(QueryError, match="fusion weights"):
            learned([hits((1, 1.0)), hits((2, 1.0))], weights=weights, limit=1)


scored_lists = st.lists(
    st.dictionaries(st.integers(1, 9), st.integers(-8, 8).map(lambda part: part / 8), max_size=6),
    min_size=1,
    max_size=4,
).map(lambda lists: [dict(sorted(rows.items(), key=lambda row: -row[1])) for rows in lists])
every_strategy = pytest.mark.parametrize("strategy", list(FusionStrategy))


class TestEveryStrategy:
    def test_each_has_a_formula(self) -> None:
        assert FUSIONS.keys() == set(FusionStrategy)

    @every_strategy
    @given(lists=scored_lists, data=st.data())
    @settings(deadline=None, max_examples=40)
    def test_scores_lie_in_0_to_1_and_fall(
        self, strategy: FusionStrategy, lists: list[dict[int, float]], data: st.DataObject
    ) -> None:
        weights = data.draw(
            st.lists(st.floats(0.125, 3.0), min_size=len(lists), max_size=len(lists))
        )
        limit = data.draw(st.integers(1, 12))
        found = FUSIONS[strategy](
            [hits(*rows.items()) for rows in lists], weights=weights, limit=limit
        )
        assert len(found.ids) <= limit
        assert len(set(found.ids.tolist())) == len(found.ids)
        assert set(found.ids.tolist()) <= {identifier for rows in lists for identifier in rows}
        assert np.all(found.scores <= 1.0 + 1e-6)
        assert np.all(found.scores > 0)
        assert np.all(np.diff(found.scores) <= 0)

    @every_strategy
    @given(lists=scored_lists, factor=st.sampled_from((0.25, 2.0, 64.0)))
    @settings(deadline=None, max_examples=40)
    def test_the_scale_of_a_list_does_not_matter(
        self, strategy: FusionStrategy, lists: list[dict[int, float]], factor: float
    ) -> None:
        """Powers of two scale exactly, so that the blend must be the same."""
        weights = [1.0 + place for place in range(len(lists))]
        plain = FUSIONS[strategy](
            [hits(*rows.items()) for rows in lists], weights=weights, limit=20
        )
        stretched = [
            hits(*((identifier, score * factor) for identifier, score in rows.items()))
            for rows in lists
        ]
        found = FUSIONS[strategy](stretched, weights=weights, limit=20)
        assert found.ids.tolist() == plain.ids.tolist()
        assert found.scores.tolist() == plain.scores.tolist()

    @every_strategy
    def test_first_in_every_list_is_one(self, strategy: FusionStrategy) -> None:
        found = FUSIONS[strategy](
            [hits((7, 0.9), (1, 0.2)), hits((7, 12.0))], weights=[0.25, 0.75], limit=1
        )
        assert scores_of(found) == pytest.approx({7: 1.0})

    @every_strategy
    def test_a_weight_of_zero_takes_its_list_out(self, strategy: FusionStrategy) -> None:
        found = FUSIONS[strategy]([hits((1, 5.0)), hits((2, 1.0))], weights=[0.0, 1.0], limit=5)
        assert scores_of(found) == pytest.approx({2: 1.0})

    @every_strategy
    def test_nothing_gives_nothing(self, strategy: FusionStrategy) -> None:
        found = FUSIONS[strategy]([no_hits(), no_hits()], weights=[0.5, 0.5], limit=5)
        assert found.ids.tolist() == []
