"""Filters and principals in every mode and store: nothing out of scope shows anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from clew.core.documents import Document
from clew.core.query import Comparison, Condition, Filter, Principal, RetrievalMode
from clew.core.results import Retrieval
from clew.testing.store_samples import GUEST, STAFF, node_of
from tests.retrieve.asking import ASK, QUESTION, every_mode, graph_modes, ids
from tests.retrieve.library import SECRETS, Library, bm25, cosine, secret_nodes

Holds = Callable[[Library, int], bool]
"""Whether a chunk is in scope, by an independent test of each filter."""


def by_document(test: Callable[[Document], bool]) -> Holds:
    return lambda library, chunk: test(library.document_of(chunk))


FILTERS: dict[str, tuple[Callable[[Library], Filter], Holds]] = {
    "documents": (
        lambda library: Filter(
            documents=frozenset({library.document("acme.md").id, library.document("ada.md").id})
        ),
        by_document(lambda document: document.source in {"acme.md", "ada.md"}),
    ),
    "sources": (
        lambda _: Filter(sources=frozenset({"whale.md", "filler5.md"})),
        by_document(lambda document: document.source in {"whale.md", "filler5.md"}),
    ),
    "languages": (
        lambda _: Filter(languages=frozenset({"pt"})),
        by_document(lambda document: document.language == "pt"),
    ),
    "metadata": (
        lambda _: Filter(metadata=Condition("year", Comparison.AT_LEAST, 2021)),
        by_document(lambda document: document.metadata["year"] in {2021, 2022, 2023}),
    ),
    "labels": (
        lambda _: Filter(labels=frozenset({"Company"})),
        lambda library, chunk: "Company" in library.labels_of(chunk),
    ),
    "labels and sources": (
        lambda _: Filter(
            labels=frozenset({"Person"}), sources=frozenset({"acme.md", "beta.md", "ada.md"})
        ),
        lambda library, chunk: (
            "Person" in library.labels_of(chunk)
            and library.document_of(chunk).source in {"acme.md", "beta.md", "ada.md"}
        ),
    ),
    "nothing": (
        lambda _: Filter(sources=frozenset({"no such source"})),
        by_document(lambda document: False),
    ),
}
every_filter = pytest.mark.parametrize("name", FILTERS)


class TestFilters:
    @every_filter
    @pytest.mark.parametrize(
        ("mode", "measure"), [(RetrievalMode.VECTOR_ONLY, cosine), (RetrievalMode.KEYWORD, bm25)]
    )
    def test_exact_modes_equal_brute_force(
        self,
        library: Library,
        name: str,
        mode: RetrievalMode,
        measure: Callable[[Library, int, str], float],
    ) -> None:
        make, holds = FILTERS[name]
        query = replace(ASK, mode=mode, filter=make(library), top_k=3)
        found = library.retriever.retrieve(query)
        scores = {
            chunk: measure(library, chunk, QUESTION)
            for chunk in library.chunks
            if holds(library, chunk)
        }
        if mode is RetrievalMode.KEYWORD:
            scores = {chunk: score for chunk, score in scores.items() if score > 0}
        best = sorted(scores.values(), reverse=True)[:3]
        assert [result.score for result in found.results] == pytest.approx(best, abs=1e-5)
        for result in found.results:
            assert result.score == pytest.approx(scores[result.id], abs=1e-5)

    @every_filter
    @every_mode
    def test_nothing_out_of_scope_shows(
        self, library: Library, name: str, mode: RetrievalMode
    ) -> None:
        make, holds = FILTERS[name]
        text = f"{QUESTION} Zanzibar Vault, Grace Hopper, Beta Inc and Charles Babbage?"
        query = replace(ASK, text=text, mode=mode, filter=make(library), top_k=100)
        found = library.retriever.retrieve(query)
        scope = {chunk for chunk in library.chunks if holds(library, chunk)}
        seen = {node_of(each) for chunk in scope for each in library.names[chunk]}
        assert set(ids(found)) <= scope
        assert {row.node for row in found.provenance} <= seen
        steps = [step for path in found.paths for step in path.steps]
        assert {step.chunk for step in steps} <= scope
        assert {end for step in steps for end in (step.source, step.target)} <= seen

    @graph_modes
    def test_seeds_have_the_labels_asked_for(self, library: Library, mode: RetrievalMode) -> None:
        query = replace(ASK, mode=mode, filter=Filter(labels=frozenset({"Company"})))
        found = library.retriever.retrieve(query)
        seeds = {row.name for row in found.provenance if row.seed_rank}
        assert seeds == {"Acme Corp", "Beta Inc"}


class TestPrincipals:
    TEXT = "What does Agent Nine hide in the Zanzibar Vault for Acme Corp and Ada Lovelace?"

    def shown(self, found: Retrieval) -> str:
        return repr((found.results, found.paths, found.provenance, found.partial, found.notes))

    @every_mode
    @pytest.mark.parametrize("text", [TEXT, "AL-9 GUARDS_FOR ledgers", QUESTION])
    def test_nothing_hidden_shows(self, library: Library, mode: RetrievalMode, text: str) -> None:
        query = replace(ASK, text=text, mode=mode, principal=GUEST, top_k=100)
        found = library.retriever.retrieve(query)
        shown = self.shown(found)
        assert [secret for secret in SECRETS if secret in shown] == []
        hidden = {chunk for chunk in library.chunks if library.document_of(chunk).acl}
        assert not hidden & set(ids(found))
        nodes = {row.node for row in found.provenance}
        nodes |= {end for path in found.paths for step in path.steps for end in (step.source,)}
        nodes |= {step.target for path in found.paths for step in path.steps}
        assert not secret_nodes() & nodes

    @every_mode
    @pytest.mark.parametrize("principal", [STAFF, Principal()])
    def test_who_may_see_it_does(
        self, library: Library, mode: RetrievalMode, principal: Principal
    ) -> None:
        query = replace(ASK, text=self.TEXT, mode=mode, principal=principal, top_k=100)
        shown = self.shown(library.retriever.retrieve(query))
        assert "Zanzibar" in shown

    @graph_modes
    def test_a_hidden_alias_is_no_name(self, library: Library, mode: RetrievalMode) -> None:
        guest = replace(ASK, mode=mode, principal=GUEST)
        names = {row.name for row in library.retriever.retrieve(guest).provenance}
        assert "Ada Lovelace" in names
        everyone = {
            row.name for row in library.retriever.retrieve(replace(ASK, mode=mode)).provenance
        }
        assert "AL-9" in everyone
