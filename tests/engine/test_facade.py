"""The methods of `Clew` beside `add`, with cheap models."""

import threading
from datetime import UTC, datetime

import pytest

from clew.core.errors import NotFoundError, QueryError, StoreError, UnsupportedModeError
from clew.core.ids import format_id
from clew.core.knowledge import EdgeType
from clew.core.query import Filter, Principal
from clew.core.results import Answer, Result, Retrieval
from clew.engine import components, loading, retriever
from clew.engine.clew import Clew
from clew.settings.model import CacheSettings, Settings
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.testing.fakes import HashingEmbedder
from tests.engine.stand_ins import CountingEmbedder, PatternExtractor, open_clew

DOCUMENTS = (
    {
        "source": "takeover",
        "title": "Takeover",
        "text": "Acme Corp acquired Beta Labs. Ada Moreau leads Acme Corp.",
    },
    {
        "source": "supply",
        "title": "Beta Labs",
        "text": "Beta Labs supplies Gamma Partners.",
        "acl": ["board"],
    },
    {"source": "lonely", "title": "Quartz Mine", "text": "Quartz Mine closed."},
)
BOARD = Principal(frozenset({"board"}))
STAFF = Principal(frozenset({"staff"}))


@pytest.fixture(params=["memory", "embedded"])
def clew(request, tmp_path):
    store = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "kb.clew")
    with open_clew(store) as opened:
        opened.add(*DOCUMENTS)
        yield opened
    store.close()


def test_a_path_is_told_in_words_with_the_passages_behind_it(clew):
    best = clew.path("ACME", "Gamma Partners")[0]
    assert best.description == "Acme Corp → ACQUIRED → Beta Labs → SUPPLIES → Gamma Partners"
    texts = {
        chunk.id: chunk.text
        for held in clew.documents()
        for chunk in clew._components.store.document_chunks("default", held.id)
    }
    assert [texts[step.chunk] for step in best.steps] == [
        "Acme Corp acquired Beta Labs. Ada Moreau leads Acme Corp.",
        "Beta Labs supplies Gamma Partners.",
    ]
    assert best.relevance_score == pytest.approx(0.64)


def test_a_passage_on_a_path_is_called_by_its_document(clew):
    descriptions = [path.description for path in clew.path("Ada Moreau", "Beta Labs")]
    assert "Ada Moreau ← mentions ← [Takeover, passage 1] → mentions → Beta Labs" in descriptions
    through = next(path for path in clew.path("Ada Moreau", "Beta Labs") if len(path.steps) == 2)
    assert {step.kind for step in through.steps} <= {EdgeType.MENTIONS, EdgeType.RELATED_TO}


def test_a_path_respects_who_asks(clew):
    assert clew.path("Acme Corp", "Gamma Partners", principal=BOARD)
    with pytest.raises(NotFoundError, match="Gamma Partners"):
        clew.path("Acme Corp", "Gamma Partners", principal=STAFF)


def test_there_is_no_path_to_what_nothing_joins(clew):
    assert clew.path("Acme Corp", "Quartz Mine") == ()


def test_paths_need_two_things_and_a_sensible_length(clew):
    with pytest.raises(QueryError, match="same thing"):
        clew.path("Acme Corp", "ACME corp.")
    with pytest.raises(QueryError, match=r"max_hops is 9; it must lie in 1\.\.8"):
        clew.path("Acme Corp", "Beta Labs", max_hops=9)


def test_things_are_found_by_name_and_by_both_forms_of_their_id(clew):
    node = clew.node("the Acme Corp.")
    assert node.name == "Acme Corp"
    assert clew.node(node.id) == node
    assert clew.node(format_id(node.id)) == node


def test_an_unknown_name_is_answered_with_near_ones(clew):
    with pytest.raises(NotFoundError, match=r"'Acme Trust'; near: 'Acme Corp'"):
        clew.node("Acme Trust")
    with pytest.raises(NotFoundError, match="no node 0000000000000005"):
        clew.node(5)
    with pytest.raises(NotFoundError, match=r"named '\?'$"):
        clew.node("?")


def test_near_names_do_not_betray_what_may_not_be_seen(clew):
    with pytest.raises(NotFoundError) as caught:
        clew.node("Gamma Trust", principal=STAFF)
    assert "Gamma Partners" not in str(caught.value)


def test_documents_are_listed_by_source_for_who_may_see_them(clew):
    assert [held.source for held in clew.documents()] == ["lonely", "supply", "takeover"]
    assert [held.source for held in clew.documents(principal=STAFF)] == ["lonely", "takeover"]
    wanted = Filter(sources=frozenset({"supply"}))
    assert [held.source for held in clew.documents(filter=wanted)] == ["supply"]
    assert clew.documents(ids=[]) == ()


def test_the_status_counts_and_names_the_model(clew):
    status = clew.status()
    assert (status.documents, status.chunks, status.pending) == (3, 3, {})
    assert status.model == "hashing-256"
    assert status.nodes >= 5
    assert status.degree_hub >= 1


def test_an_unwritten_collection_is_empty():
    status = open_clew(MemoryStore()).status()
    assert (status.documents, status.nodes, status.degree_hub, status.model) == (0, 0, 0, None)


def test_collections_are_apart(tmp_path):
    with (
        Clew.open(tmp_path / "kb.clew", "one", embedder=HashingEmbedder()) as one,
        Clew.open(tmp_path / "kb.clew", "two", embedder=HashingEmbedder(32)) as two,
    ):
        one._components._given_extractor = PatternExtractor()
        two._components._given_extractor = PatternExtractor()
        one.add(DOCUMENTS[0])
        two.add(DOCUMENTS[2])
        assert one.collections() == ("one", "two")
        assert [held.source for held in one.documents()] == ["takeover"]
        with pytest.raises(NotFoundError):
            two.node("Acme Corp")


@pytest.mark.parametrize("by", ["source", "id", "public id"])
def test_removing_a_document_removes_what_rested_on_it_alone(clew, by):
    (held,) = [held for held in clew.documents() if held.source == "supply"]
    target = {"source": held.source, "id": held.id, "public id": format_id(held.id)}[by]
    receipt = clew.remove(target)
    assert (receipt.document, receipt.source) == (held.id, "supply")
    assert receipt.removed["documents"] == 1
    assert receipt.removed["chunks"] == 1
    # Gamma Partners was named there alone; Beta Labs lives on by the other document.
    assert receipt.removed["nodes"] == 1
    assert clew.node("Beta Labs").name == "Beta Labs"
    with pytest.raises(NotFoundError):
        clew.node("Gamma Partners")
    assert clew._components.store.nodes_without_vectors("default", limit=9) == []


def test_removing_what_is_not_there_names_near_sources(clew):
    with pytest.raises(NotFoundError, match=r"'suply'; near: 'supply'"):
        clew.remove("suply")
    with pytest.raises(NotFoundError, match="0000000000000007"):
        clew.remove(7)


def test_a_file_is_removed_by_its_path_even_when_it_is_gone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "a.txt"
    file.write_text("Acme Corp sued Beta Labs.", encoding="utf-8")
    clew = open_clew(MemoryStore())
    clew.add("a.txt")
    file.unlink()
    assert clew.remove("a.txt").removed["documents"] == 1
    assert clew.documents() == ()


def test_added_again_a_removed_document_is_there_again(clew):
    before = clew.status()
    clew.remove("supply")
    clew.add(*DOCUMENTS)
    assert clew.status().nodes == before.nodes
    assert clew.path("Acme Corp", "Gamma Partners")


class Echo:
    """A retriever that finds the question itself, and an answerer that repeats it."""

    def __init__(self, **parts: object) -> None:
        self.parts = parts

    def retrieve(self, query):
        return Retrieval(query, (Result(1, 2, query.text, 1.0),))

    def answer(self, retrieval, *, on_text=None):
        text = retrieval.results[0].content
        return Answer(text, text, True, (), 1.0, (), retrieval, {})


@pytest.fixture
def echoing(monkeypatch):
    real = loading.load

    def load(place):
        return Echo if place.startswith(("clew.retrieve.", "clew.reason.")) else real(place)

    for module in (components, retriever):
        monkeypatch.setattr(module, "load", load)
    clew = open_clew(MemoryStore(), settings=Settings(cache=CacheSettings(enabled=False)))
    clew.add(*DOCUMENTS)
    return clew


def test_a_question_reaches_the_retriever_as_a_query_and_the_answerer_as_evidence(echoing):
    answer = echoing.ask("Who?", mode="keyword", top_k=3, principal=BOARD, max_hops=1)
    query = answer.retrieval.query
    assert (answer.text, query.mode, query.top_k, query.max_hops) == ("Who?", "keyword", 3, 1)
    assert query.principal == BOARD
    assert query.collection == "default"
    retriever = echoing._components.retriever()
    assert set(retriever.parts) >= {"chunks", "graph", "embedder"}


def test_modes_to_come_are_refused_before_any_model_is_loaded():
    with pytest.raises(UnsupportedModeError, match="hybrid"):
        open_clew(MemoryStore()).ask("Who?", mode="auto")


def test_opening_without_creating_needs_a_store(tmp_path):
    with pytest.raises(NotFoundError, match="no store at"):
        Clew.open(tmp_path / "none.clew", create=False)
    file = tmp_path / "file.clew"
    file.write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="is a file"):
        Clew.open(file)
    with pytest.raises(QueryError, match="name is empty"):
        Clew.open(tmp_path / "kb.clew", " ")


def test_a_store_that_was_given_stays_open_and_one_that_was_opened_is_closed(tmp_path):
    store = EmbeddedStore(tmp_path / "kb.clew")
    Clew.open("ignored", store=store, settings=Settings()).close()
    assert store.collections() == []
    clew = Clew.open(tmp_path / "kb.clew", settings=Settings())
    clew.close()
    clew.close()
    with pytest.raises(StoreError, match="closed"):
        clew.status()
    store.close()


def test_many_threads_read_while_one_adds(clew):
    errors: list[BaseException] = []
    done = threading.Event()

    def read():
        try:
            while not done.is_set():
                clew.path("Acme Corp", "Gamma Partners")
                clew.status()
                clew.documents()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(3):
        clew.add({"source": f"more-{number}", "text": f"Acme Corp sued Zeta Mills {number}."})
    done.set()
    for reader in readers:
        reader.join()
    assert errors == []
    assert clew.status().documents == 6


def test_times_filter_paths(clew):
    early = datetime(1950, 1, 1, tzinfo=UTC)
    assert clew.path("Acme Corp", "Gamma Partners", temporal_at=early)


def test_the_embedder_is_not_asked_by_reads_that_need_no_model():
    embedder = CountingEmbedder()
    clew = open_clew(MemoryStore(), embedder=embedder)
    clew.add(*DOCUMENTS)
    embedder.passages.clear()
    embedder.questions.clear()
    clew.path("Acme Corp", "Gamma Partners")
    clew.status()
    clew.node("Beta Labs")
    assert (embedder.passages, embedder.questions) == ([], [])
