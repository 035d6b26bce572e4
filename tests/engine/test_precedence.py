"""Amendments, authority and recency in the ranking, from real ingest to the passages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from clew.core.precedence import PRECEDENCE, Precedence, read_precedence
from clew.core.query import Principal
from clew.engine.clew import Clew
from clew.settings.model import CacheSettings, PrecedenceSettings, Settings
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import NOW, open_clew

PASSAGE_MODES = ("vector_only", "keyword", "kg_only", "hybrid", "dual", "community")
RENT = "What is the monthly rent of the warehouse in Dunmere?"
LEASE = {
    "source": "contracts/lease.md",
    "title": "Lease Agreement",
    "text": "The monthly rent of the warehouse in Dunmere is 900 euros. The tenant pays on the "
    "first day of each month.",
    "published_at": "2020-01-01",
}
AMENDMENT = {
    "source": "contracts/amendment.md",
    "title": "Amendment to the Lease Agreement",
    "text": "The monthly rent of the warehouse in Dunmere is 950 euros.",
    "published_at": "2023-01-01",
}
OTHERS = (
    {"source": "b.md", "title": "Harbour", "text": "Dunmere has a harbour with warehouses."},
    {"source": "c.md", "title": "Bells", "text": "Selby Castings casts bells in Dunmere."},
)


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """The default models and store."""
    with Clew.open(tmp_path_factory.mktemp("precedence") / "kb.clew") as opened:
        opened.add(LEASE, AMENDMENT, *OTHERS)
        yield opened


def sums(retrieval):
    return [
        next(sum_ for sum_ in ("950", "900", "") if sum_ in row.content)
        for row in retrieval.results
    ]


@pytest.mark.parametrize("mode", PASSAGE_MODES)
def test_the_amendment_beats_the_original(real, mode):
    found = real.search(RENT, mode=mode)
    order = [each for each in sums(found) if each]
    assert order == ["950", "900"]
    rows = dict(zip(sums(found), found.results, strict=True))
    assert rows["950"].score_parts["supersedes"] == 1.0
    assert rows["900"].score_parts["superseded"] == 1.0
    scores = [row.score for row in found.results]
    assert scores == sorted(scores, reverse=True)
    assert "Lease Agreement is superseded by Amendment to the Lease Agreement" in found.notes


def test_the_amendment_is_found_where_it_was_not(real):
    found = real.search(RENT, mode="keyword", top_k=1)
    assert sums(found) == ["950"]


def test_the_answer_begins_with_the_amendment(real):
    answer = real.ask(RENT)
    assert "950" in answer.text.splitlines()[0]
    assert answer.sources[0].source == "contracts/amendment.md"


def test_a_clause_that_was_not_amended_stays_first(real):
    found = real.search("On which day of the month does the tenant pay?", mode="vector_only")
    assert sums(found)[0] == "900"
    assert "superseded" not in found.results[0].score_parts


def test_the_original_stands_at_its_own_time(real):
    found = real.search(RENT, mode="vector_only", temporal_at=datetime(2021, 5, 1, tzinfo=UTC))
    assert sums(found)[0] == "900"
    assert not found.notes


@pytest.fixture
def cheap():
    settings = Settings(cache=CacheSettings(enabled=False))
    with open_clew(MemoryStore(), settings=settings) as opened:
        yield opened


TEXT = "The rent in Dunmere is {} euros."


@pytest.mark.parametrize("field", ["supersedes", "amends", "replaces"])
@pytest.mark.parametrize("reference", ["docs/old.md", "old.md", "Old Rules", ["x", "old rules"]])
def test_metadata_names_what_is_superseded(cheap, field, reference):
    cheap.add(
        {"source": "docs/old.md", "title": "Old Rules", "text": TEXT.format(1)},
        {"source": "n", "title": "Rules", "text": TEXT.format(2), "metadata": {field: reference}},
    )
    found = cheap.search("What is the rent in Dunmere?", mode="vector_only")
    assert [row.content for row in found.results] == [TEXT.format(2), TEXT.format(1)]
    assert found.notes[-1] == "Old Rules is superseded by Rules"


def test_the_last_of_a_chain_comes_first(cheap):
    cheap.add(
        {"source": "1", "text": TEXT.format(1)},
        {"source": "2", "text": TEXT.format(2), "metadata": {"supersedes": "1"}},
        {"source": "3", "text": TEXT.format(3), "metadata": {"supersedes": "2"}},
    )
    found = cheap.search("What is the rent in Dunmere?", mode="vector_only")
    assert [row.content for row in found.results] == [TEXT.format(each) for each in (3, 2, 1)]


def test_a_title_speaks_of_its_own_folder_alone(cheap):
    cheap.add(
        {"source": "a/lease", "title": "Lease", "text": TEXT.format(1)},
        {"source": "b/change", "title": "Amendment to the Lease", "text": TEXT.format(2)},
    )
    assert not cheap.search("What is the rent in Dunmere?", mode="vector_only").notes


def test_an_amendment_that_one_may_not_see_changes_nothing(cheap):
    cheap.add(
        {"source": "1", "title": "Rules", "text": TEXT.format(1)},
        {
            "source": "2",
            "title": "Secret",
            "text": TEXT.format(2),
            "metadata": {"supersedes": "1"},
            "acl": ["board"],
        },
    )
    question = "What is the rent in Dunmere?"
    assert cheap.search(question, mode="vector_only").notes
    seen = cheap.search(question, mode="vector_only", principal=Principal(frozenset({"staff"})))
    assert not seen.notes
    assert [row.content for row in seen.results] == [TEXT.format(1)]


def test_a_removed_amendment_is_forgotten(cheap):
    cheap.add(
        {"source": "1", "text": TEXT.format(1)},
        {"source": "2", "text": TEXT.format(2), "metadata": {"supersedes": "1"}},
    )
    cheap.remove("2")
    assert not cheap.search("What is the rent in Dunmere?", mode="vector_only").notes


@pytest.mark.parametrize("part", ["authority", "published_at"])
def test_of_equals_the_one_of_more_standing_comes_first(cheap, part):
    # Recency halves in 365 days from now, so the newer date must move with the calendar.
    recent = (datetime.now(UTC) - timedelta(days=30)).date().isoformat()
    low, high = (0.1, 0.9) if part == "authority" else ("2001-01-01", recent)
    cheap.add(
        {"source": "a", "text": "Rain fell over Dunmere in May.", part: low},
        {"source": "b", "text": "Rain fell over Dunmere in June.", part: high},
        {"source": "c", "text": "Bells rang."},
    )
    found = cheap.search("Rain over Dunmere", mode="keyword")
    assert [row.document for row in found.results] == [
        held.id for held in cheap.documents() if held.source in "ab"
    ][::-1]
    name = "authority" if part == "authority" else "recency"
    first, second = (row.score_parts[name] for row in found.results)
    assert first > 0.5 > second


def test_scores_are_weighed_by_the_formula(cheap):
    """Best 2, last 1: a spread of 1. Authority 1 gains .05; one year of age costs nothing, for
    recency is .5 then."""
    cheap.add(
        {"source": "a", "text": "Rain over Dunmere.", "authority": 1.0},
        {"source": "b", "text": "Rain.", "published_at": NOW.replace(year=2025).isoformat()},
    )
    weighed = cheap.search("Rain over Dunmere", mode="keyword", temporal_at=NOW).results
    first, last = (row.score_parts["relevance"] for row in weighed)
    assert weighed[0].score == pytest.approx(first + 0.05 * (first - last))
    assert weighed[1].score == pytest.approx(last)


def test_without_dates_and_authority_nothing_changes(cheap):
    cheap.add(*OTHERS, {"source": "d", "text": "Rain fell over Dunmere."})
    off = Settings(
        cache=CacheSettings(enabled=False),
        precedence=PrecedenceSettings(authority=0.0, recency=0.0, supersession=False),
    )
    plain = open_clew(cheap._components.store, settings=off)
    for mode in PASSAGE_MODES:
        found, wanted = (each.search("Rain in Dunmere", mode=mode) for each in (cheap, plain))
        assert replace(found, timings={}) == replace(wanted, timings={})
        assert all("relevance" not in row.score_parts for row in found.results)


def test_the_fact_is_read_as_it_was_written():
    known = Precedence(dated=True).of("a", named=["b"], titled=[]).of("c", named=[], titled=["d"])
    assert read_precedence(known.text()) == known
    assert known.of("a", named=[], titled=[]).of("c", named=[], titled=[]) == Precedence(dated=True)
    assert not read_precedence(None)
    assert PRECEDENCE == "precedence"
