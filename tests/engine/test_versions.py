"""Versions of documents through the facade: what supersedes, what was known, what a removal takes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from clew.core.errors import NotFoundError, QueryError
from clew.core.ids import edge_id, node_id
from clew.core.knowledge import Edge, EdgeType, Standing
from clew.core.ports import Store
from clew.core.query import EdgeFilter
from clew.engine.clew import Clew
from clew.settings.model import Settings
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import open_clew

FIRST = datetime(2024, 1, 1, tzinfo=UTC)
SECOND = datetime(2025, 1, 1, tzinfo=UTC)
THIRD = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = Settings.model_validate({"knowledge": {"single_valued": ["LED_BY"]}})


@pytest.fixture(params=["memory", "embedded"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "kb")
    yield made
    made.close()


def at(store: Store, moment: datetime) -> Clew:
    return open_clew(store, settings=SETTINGS, clock=lambda: moment)


def edges_of(store: Store, *names: str) -> dict[str, Edge]:
    """Return the edges between two names in force, by "source relation target"."""
    found = store.find_names("default", [name.lower() for name in names])
    nodes = sorted({node for held in found.values() for node in held})
    batch = store.expand(
        "default", np.array(nodes, np.int64), edge_filter=EdgeFilter(standings=frozenset(Standing))
    )
    edges = store.edges("default", sorted(set(batch.edge.tolist())))
    ends = sorted({end for edge in edges for end in (edge.source, edge.target)})
    named = {node.id: node.name for node in store.nodes("default", ends)}
    return {f"{named[edge.source]} {edge.relation} {named[edge.target]}": edge for edge in edges}


def test_a_changed_document_retires_what_it_no_longer_states(store: Store) -> None:
    at(store, FIRST).add([{"source": "a", "text": "Acme sued Beta."}])
    (edge,) = edges_of(store, "Acme", "Beta").values()
    at(store, SECOND).add([{"source": "a", "text": "Acme bought Gamma."}])
    assert list(edges_of(store, "Acme", "Beta", "Gamma")) == ["Acme BOUGHT Gamma"]
    (retired,) = store.edges("default", [edge.id])
    assert (retired.retired_at, retired.superseded_by) == (SECOND, None)
    assert [v.recorded_at for v in store.versions("default", "a")] == [FIRST, SECOND]


def test_yesterday_is_asked_as_it_was(store: Store) -> None:
    at(store, FIRST).add([{"source": "a", "text": "Acme sued Beta."}])
    clew = at(store, SECOND)
    clew.add([{"source": "a", "text": "Acme bought Gamma."}, {"source": "b", "text": "Beta won."}])
    for mode in ("hybrid", "keyword", "vector_only", "kg_only"):
        before = clew.search("Acme sued Beta", mode=mode, known_as_of=FIRST)
        assert [found.content for found in before.results] == ["Acme sued Beta."], mode
        now = clew.search("Acme sued Beta", mode=mode)
        assert "Acme sued Beta." not in [found.content for found in now.results], mode
    assert [held.text for held in clew.documents(known_as_of=FIRST)] == ["Acme sued Beta."]
    assert "sued" in clew.ask("Whom did Acme sue? Acme sued", known_as_of=FIRST).text
    (path,) = clew.path("Acme", "Beta", max_hops=1, known_as_of=FIRST)
    assert [step.relation for step in path.steps] == ["SUED"]
    assert clew.path("Acme", "Beta", max_hops=1) == ()
    with pytest.raises(NotFoundError):
        clew.path("Acme", "Gamma", known_as_of=FIRST)
    with pytest.raises(QueryError, match="known_as_of has no time zone"):
        clew.search("Acme", known_as_of=datetime(2024, 1, 1))  # noqa: DTZ001 - the point


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_newer_statement_supersedes(store: Store, newest_first: bool) -> None:  # noqa: FBT001
    old = {"source": "old", "text": "Acme led by Ada.", "published_at": "2001-01-01"}
    new = {"source": "new", "text": "Acme led by Bob.", "published_at": "2002-01-01"}
    first, second = (new, old) if newest_first else (old, new)
    at(store, FIRST).add([first])
    at(store, SECOND).add([second])
    ((name, standing),) = edges_of(store, "Acme").items()
    assert name == "Acme LED_BY Bob"
    older = edge_id(node_id("acme"), node_id("ada"), EdgeType.RELATED_TO, "LED_BY")
    (gone,) = store.edges("default", [older])
    assert (gone.retired_at, gone.superseded_by) == (SECOND, standing.id)


def test_a_superseded_statement_returns_with_the_removal_of_the_newer(store: Store) -> None:
    for number, (name, moment) in enumerate((("Cleo", FIRST), ("Ada", SECOND), ("Bob", SECOND))):
        at(store, moment).add(
            [
                {
                    "source": name,
                    "text": f"Acme led by {name}.",
                    "published_at": f"{2003 - number}-01-01",
                }
            ]
        )
    assert list(edges_of(store, "Acme")) == ["Acme LED_BY Cleo"]
    at(store, THIRD).remove("Cleo")
    assert list(edges_of(store, "Acme")) == ["Acme LED_BY Ada"], "the next newest, not both"
    at(store, THIRD).add([{"source": "Ada", "text": "Ada left Turku."}])
    assert "Acme LED_BY Bob" in edges_of(store, "Acme")


def test_adding_again_what_was_superseded_keeps_the_date(store: Store) -> None:
    at(store, FIRST).add(
        [{"source": "a", "text": "Acme led by Ada.", "published_at": "2001-01-01"}]
    )
    (old,) = edges_of(store, "Acme").values()
    at(store, SECOND).add(
        [{"source": "b", "text": "Acme led by Bob.", "published_at": "2002-01-01"}]
    )
    at(store, THIRD).add(
        [{"source": "c", "text": "It says: Acme led by Ada.", "published_at": "2000-01-01"}]
    )
    (found,) = store.edges("default", [old.id])
    assert found.retired_at == SECOND
    assert len(found.evidence) == 2


def test_a_receipt_names_every_table_and_index(store: Store) -> None:
    clew = at(store, FIRST)
    clew.add(
        [
            {"source": "a", "text": "Acme sued Beta."},
            {"source": "b", "text": "Beta won."},
        ]
    )
    at(store, SECOND).add([{"source": "a", "text": "Acme sued Gamma."}])
    receipt = clew.remove("a")
    tables = {
        "documents": 1,
        "chunks": 1,
        "chunk_vectors": 1,
        "mentions": 2,
        "claims": 1,
        "statements": 2,
        "edges": 2,
        "nodes": 2,
        "past_documents": 1,
        "past_chunks": 1,
        "past_claims": 1,
    }
    assert {name: receipt.removed[name] for name in tables} == tables
    assert set(receipt.removed) >= {"merges", "node_vectors", "communities", "past_mentions"}
    # One chunk by word and by vector; Acme and Gamma by name; their mentions and their edge.
    assert receipt.indexes == {
        "keywords": 1,
        "vectors": 1,
        "names": 2,
        "node_vectors": 2,
        "adjacency": 3,
    }
    with store.as_of("default", FIRST) as past:
        assert [document.source for document in past.documents("default")] == ["b"]
