"""Feedback is kept with the shares of what found the passages."""

import pytest

from clew.core.errors import QueryError
from clew.core.query import Query, RetrievalMode
from clew.core.results import Result, Retrieval
from clew.engine.feedback import contributions_of, query_type_of
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import NOW, open_clew


def found_by(*signals):
    return Result(1, 2, "text", 1.0, signals=signals)


def test_shares_are_of_passages_in_equal_parts():
    """Two passages by vectors, one of them by the graph as well: 1.5 and 0.5 of 2."""
    found = (found_by("vector"), found_by("vector", "graph"), found_by())
    assert contributions_of(found) == {"graph": 0.25, "vector": 0.75}
    assert contributions_of(()) == {}


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("What are the main themes across all documents?", "overview"),
        ("How is Acme connected to Beta?", "multi"),
    ],
)
def test_the_type_is_the_shape_of_the_question(question, shape):
    assert query_type_of(Retrieval(Query(question), ())) == shape


def test_feedback_is_kept_and_replaced():
    store = MemoryStore()
    with open_clew(store) as clew:
        clew.add({"source": "a", "text": "Acme Corp sued Beta Labs."})
        answer = clew.ask("Who sued Beta Labs?", mode="vector_only")
        first = clew.feedback(answer, 0.25)
        assert first.mode is RetrievalMode.VECTOR_ONLY
        assert (first.question, first.recorded_at) == ("Who sued Beta Labs?", NOW)
        assert sum(first.contributions.values()) == pytest.approx(1.0)
        second = clew.feedback(answer.retrieval, 1.0, outcome=first.id)
        assert store.outcomes("default") == [second]
        assert second.feedback_score == 1.0
        for score in (-0.1, 1.1, float("nan")):
            with pytest.raises(QueryError, match="score"):
                clew.feedback(answer, score)
