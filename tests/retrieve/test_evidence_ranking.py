"""Evidence-based ranking, by arithmetic done by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.documents import Document
from clew.core.errors import QueryError
from clew.core.results import RankedResult, Result
from clew.retrieve.evidence_ranking import (
    EvidenceParts,
    EvidenceWeights,
    compute_final_score,
    rank_by_evidence,
    recency_weight,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def document(
    identifier: int, *, days: float | None = None, authority: float | None = None
) -> Document:
    return Document(
        identifier,
        f"s{identifier}",
        "1",
        "",
        "",
        published_at=None if days is None else NOW - timedelta(days=days),
        authority=authority,
    )


def row(identifier: int, score: float) -> RankedResult:
    return RankedResult(Result(identifier, identifier, "text", 0.0), score)


class TestFinalScore:
    def test_the_guides_weights(self) -> None:
        parts = EvidenceParts(similarity=0.8, recency=0.5, authority=1.0, confidence=0.25)
        # .4 * .8 + .2 * .5 + .2 * 1 + .2 * .25
        assert compute_final_score(parts) == pytest.approx(0.67)

    def test_weights_are_relative(self) -> None:
        parts = EvidenceParts(similarity=0.8, recency=0.5, authority=1.0, confidence=0.25)
        weights = EvidenceWeights(similarity=3, recency=1, authority=0, confidence=0)
        assert compute_final_score(parts, weights) == pytest.approx((3 * 0.8 + 0.5) / 4)

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"similarity": -0.1}, "similarity is -0.1"),
            ({"recency": float("nan")}, "recency is nan"),
            ({"similarity": 0, "recency": 0, "authority": 0, "confidence": 0}, "all evidence"),
            ({"half_life_days": 0}, "half-life"),
        ],
    )
    def test_unusable_weights_are_refused(self, wrong: dict[str, float], said: str) -> None:
        with pytest.raises(QueryError, match=said):
            EvidenceWeights(**wrong)

    @given(
        st.tuples(*(st.floats(0, 1) for _ in range(4))),
        st.tuples(*(st.floats(0.01, 5) for _ in range(4))),
    )
    @settings(deadline=None, max_examples=50)
    def test_it_lies_between_the_least_and_the_greatest_part(
        self, parts: tuple[float, ...], weights: tuple[float, ...]
    ) -> None:
        score = compute_final_score(EvidenceParts(*parts), EvidenceWeights(*weights))
        assert min(parts) - 1e-9 <= score <= max(parts) + 1e-9


class TestRecency:
    @pytest.mark.parametrize(
        ("days", "expected"), [(0, 1.0), (365, 0.5), (730, 0.25), (-10, 1.0), (0.9, 1.0)]
    )
    def test_it_halves_every_year(self, days: float, expected: float) -> None:
        assert recency_weight(NOW - timedelta(days=days), now=NOW) == pytest.approx(expected)

    def test_another_half_life(self) -> None:
        found = recency_weight(NOW - timedelta(days=60), now=NOW, half_life_days=30)
        assert found == pytest.approx(0.25)

    def test_no_date_counts_a_half(self) -> None:
        assert recency_weight(None, now=NOW) == 0.5

    def test_a_date_without_zone_is_utc(self) -> None:
        bare = datetime(2025, 1, 1)  # noqa: DTZ001 - the case itself
        assert recency_weight(bare, now=NOW) == pytest.approx(0.5)


class TestRanking:
    def test_each_part_is_shown_and_the_order_follows(self) -> None:
        rows = [row(1, 0.5), row(2, 0.4)]
        documents = {
            1: document(1),
            2: document(2, days=0, authority=1.0),
        }
        found = rank_by_evidence(rows, confidence={1: 1.0, 2: 0.5}, documents=documents, now=NOW)
        # 1: .4 * .5 + .2 * (.5 + .5 + 1) = .6; 2: .4 * .4 + .2 * (1 + 1 + .5) = .66
        assert [result.id for result in found] == [2, 1]
        assert [result.score for result in found] == pytest.approx([0.66, 0.6])
        assert found[0].score_parts == pytest.approx(
            {
                "evidence_similarity": 0.4,
                "evidence_recency": 1.0,
                "evidence_authority": 1.0,
                "evidence_confidence": 0.5,
            }
        )
        assert found[1].score_parts["evidence_authority"] == 0.5

    def test_a_score_below_zero_counts_zero_and_an_unknown_document_a_half(self) -> None:
        (found,) = rank_by_evidence([row(1, -0.1)], confidence={}, documents={}, now=NOW)
        assert found.score == pytest.approx(0.2 * 0.5 + 0.2 * 0.5)

    def test_ties_keep_the_order_given(self) -> None:
        rows = [row(9, 0.5), row(3, 0.5), row(6, 0.5)]
        found = rank_by_evidence(rows, confidence={}, documents={}, now=NOW)
        assert [result.id for result in found] == [9, 3, 6]
