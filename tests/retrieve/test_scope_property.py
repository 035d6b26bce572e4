"""Filtered top-k equals brute force over the filtered set: random filters, every mode and store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.core.documents import Document
from clew.core.query import AllOf, AnyOf, Comparison, Condition, Filter, Not, Predicate, Principal
from clew.core.query import RetrievalMode as Mode
from clew.testing.store_samples import node_of
from tests.retrieve.asking import ASK, every_mode, ids
from tests.retrieve.library import LABELS, TOLD, Library, bm25, cosine

SOURCES = sorted(told.source for told in TOLD)
YEARS = sorted({told.year for told in TOLD})

conditions = st.one_of(
    st.builds(
        lambda comparison, year: Condition("year", comparison, year),
        st.sampled_from(
            [
                Comparison.EQUAL,
                Comparison.NOT_EQUAL,
                Comparison.AT_LEAST,
                Comparison.AT_MOST,
                Comparison.ABOVE,
                Comparison.BELOW,
            ]
        ),
        st.sampled_from(YEARS),
    ),
    st.builds(
        lambda years: Condition("year", Comparison.IN, tuple(years)),
        st.lists(st.sampled_from(YEARS), max_size=3),
    ),
    st.builds(lambda yes: Condition("year", Comparison.EXISTS, yes), st.booleans()),
)
predicates: st.SearchStrategy[Predicate] = st.recursive(
    conditions,
    lambda inner: (
        st.builds(lambda parts: AllOf(tuple(parts)), st.lists(inner, max_size=2))
        | st.builds(lambda parts: AnyOf(tuple(parts)), st.lists(inner, max_size=2))
        | st.builds(Not, inner)
    ),
    max_leaves=3,
)
filters = st.builds(
    Filter,
    sources=st.frozensets(st.sampled_from(SOURCES), max_size=6),
    languages=st.sampled_from([frozenset(), frozenset({"en"}), frozenset({"pt", "en"})]),
    labels=st.frozensets(st.sampled_from(sorted(set(LABELS.values()))), max_size=2),
    metadata=st.none() | predicates,
)
principals = st.sampled_from([Principal(), Principal(frozenset()), Principal(frozenset({"staff"}))])


def holds(predicate: Predicate | None, metadata: Mapping[str, Any]) -> bool:
    """Evaluate a predicate on years, by Python's own operators."""
    match predicate:
        case None:
            return True
        case AllOf(parts):
            return all(holds(part, metadata) for part in parts)
        case AnyOf(parts):
            return any(holds(part, metadata) for part in parts)
        case Not(part):
            return not holds(part, metadata)
    year, wanted = metadata["year"], predicate.value
    if isinstance(wanted, tuple):
        return year in wanted
    if predicate.comparison is Comparison.EXISTS:
        return bool(wanted)
    outcomes: dict[Comparison, bool] = {
        Comparison.EQUAL: year == wanted,
        Comparison.NOT_EQUAL: year != wanted,
        Comparison.AT_LEAST: year >= wanted,
        Comparison.AT_MOST: year <= wanted,
        Comparison.ABOVE: year > wanted,
        Comparison.BELOW: year < wanted,
    }
    return outcomes[predicate.comparison]


def passes(filter: Filter, principal: Principal, document: Document) -> bool:
    return (
        (principal.groups is None or not document.acl or bool(principal.groups & document.acl))
        and (not filter.sources or document.source in filter.sources)
        and (not filter.languages or document.language in filter.languages)
        and holds(filter.metadata, document.metadata)
    )


def scope_of(library: Library, filter: Filter, principal: Principal) -> set[int]:
    return {
        chunk
        for chunk in library.chunks
        if passes(filter, principal, library.document_of(chunk))
        and (not filter.labels or filter.labels & library.labels_of(chunk))
    }


random_scopes = given(filter=filters, principal=principals, top_k=st.integers(1, 8))
few = settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)
TEXT = f"{ASK.text} Zanzibar Vault, Grace Hopper, Beta Inc and Charles Babbage?"


@pytest.mark.parametrize(("mode", "measure"), [(Mode.VECTOR_ONLY, cosine), (Mode.KEYWORD, bm25)])
@random_scopes
@few
def test_searches_equal_brute_force(
    library: Library, mode: Mode, measure: Any, filter: Filter, principal: Principal, top_k: int
) -> None:
    query = replace(
        ASK,
        text=TEXT,
        mode=mode,
        filter=filter,
        principal=principal,
        top_k=top_k,
        deduplicate=False,
    )
    found = library.retriever.retrieve(query)
    scores = {
        chunk: measure(library, chunk, TEXT) for chunk in scope_of(library, filter, principal)
    }
    if mode is Mode.KEYWORD:
        scores = {chunk: score for chunk, score in scores.items() if score > 0}
    best = sorted(scores.values(), reverse=True)[:top_k]
    assert [result.score for result in found.results] == pytest.approx(best, abs=1e-5)
    assert set(ids(found)) <= scores.keys()


@every_mode
@random_scopes
@few
def test_the_best_of_a_scope_are_the_first_of_all_in_it(
    library: Library, mode: Mode, filter: Filter, principal: Principal, top_k: int
) -> None:
    """Walks have no brute force of their own: the whole ranking of the scope stands for it."""
    query = replace(
        ASK,
        text=TEXT,
        mode=mode,
        filter=filter,
        principal=principal,
        top_k=50,
        vector_expansion=False,
        deduplicate=False,
    )
    every = library.retriever.retrieve(query)
    first = library.retriever.retrieve(replace(query, top_k=top_k))
    assert ids(first) == ids(every)[:top_k]

    scope = scope_of(library, filter, principal)
    assert set(ids(every)) <= scope
    if mode in (Mode.HYBRID, Mode.VECTOR_ONLY):
        assert set(ids(every)) == scope

    documents = {
        chunk for chunk in library.chunks if passes(filter, principal, library.document_of(chunk))
    }
    spoken_of = {node_of(name) for chunk in documents for name in library.names[chunk]}
    assert {row.node for row in every.provenance} <= spoken_of
    assert {node.id for node in every.subgraph.nodes} <= spoken_of
    steps = [step for path in every.paths for step in path.steps] + [*every.subgraph.edges]
    assert {step.chunk for step in steps} <= scope
    if not any(library.document_of(chunk).source == "secret.md" for chunk in documents):
        shown = repr((every.results, every.paths, every.provenance, every.subgraph))
        assert "AL-9" not in shown
        assert "Zanzibar" not in shown
    if filter.labels:
        seeds = [row.node for row in every.provenance if row.seed_rank]
        labelled = {node_of(name) for name, label in LABELS.items() if label in filter.labels}
        assert set(seeds) <= labelled
