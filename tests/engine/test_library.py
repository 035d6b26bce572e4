"""A library: every collection of a store behind a facade, with one embedder and one extractor."""

import pytest

from clew.core.errors import NotFoundError, QueryError
from clew.core.results import Retrieval
from clew.engine import components
from clew.engine.components import open_store
from clew.engine.library import Library
from clew.settings.model import Settings
from clew.testing.fakes import HashingEmbedder
from tests.engine.stand_ins import PatternExtractor


@pytest.fixture
def made(monkeypatch):
    """What models were loaded."""
    made = []

    def embedder(_settings):
        made.append("embedder")
        return HashingEmbedder()

    def extractor(_components):
        made.append("extractor")
        return PatternExtractor()

    monkeypatch.setattr(components, "_bundled_embedder", embedder)
    monkeypatch.setattr(components.Components, "_configured_extractor", extractor)
    return made


@pytest.fixture
def library(tmp_path, made):
    library = Library.open(tmp_path / "kb.clew", settings=Settings())
    yield library
    library.close()


def test_collections_are_made_found_and_dropped(library):
    assert library.names() == ()
    with pytest.raises(NotFoundError, match="'a'"):
        library.collection("a")
    library.create("b")
    first = library.create("a")
    assert library.names() == ("a", "b")
    assert library.collection("a") is first
    with pytest.raises(QueryError, match="already"):
        library.create("a")
    first.add({"source": "s", "text": "Ada Moreau leads Acme Corp."})
    library.drop("a")
    assert library.names() == ("b",)
    with pytest.raises(NotFoundError):
        library.drop("a")
    again = library.create("a")
    assert again is not first
    assert again.documents() == ()
    assert library.names() == ("a", "b")


def test_models_are_loaded_once_and_when_they_are_needed(library, made):
    assert library.names() == ()
    for name in ("a", "b"):
        clew = library.create(name)
        clew.documents()
        assert made == ([] if name == "a" else ["embedder", "extractor"])
        clew.add({"source": "s", "text": f"Ada Moreau leads {name.upper()}cme Corp."})
    for name in ("a", "b"):
        answer = library.collection(name).ask("Who does Ada Moreau lead?")
        assert f"{name.upper()}cme" in answer.text
    assert made == ["embedder", "extractor"]


def test_a_collection_of_another_process_is_found(library, tmp_path):
    other = open_store(tmp_path / "kb.clew", create=False)
    other.set_fact("theirs", "created_at", "now")
    other.close()
    assert library.collection("theirs").documents() == ()


def test_the_evidence_is_told_before_the_answer(library):
    clew = library.create("a")
    clew.add({"source": "s", "text": "Ada Moreau leads Acme Corp."})
    told: list[Retrieval] = []
    answer = clew.ask("Who leads Acme Corp?", on_evidence=told.append)
    assert told == [answer.retrieval]


def test_a_facade_makes_and_deletes_collections_beside_its_own(library):
    clew = library.create("a")
    clew.create_collection("b")
    assert clew.collections() == ("a", "b")
    with pytest.raises(QueryError, match="already"):
        clew.create_collection("b")
    with pytest.raises(QueryError, match="empty"):
        clew.create_collection(" ")
    clew.delete_collection("b")
    assert clew.collections() == ("a",)
    with pytest.raises(NotFoundError, match="no collection 'b'"):
        clew.delete_collection("b")
