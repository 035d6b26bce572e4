"""Going over to another embedding model, undisturbed, interrupted, killed, and among writers."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from clew.core.arrays import Matrix
from clew.core.batches import ChunkBatch, CommunityBatch, Vectors
from clew.core.documents import Stage
from clew.core.errors import ModelError, ModelMismatchError, StoreBusyError
from clew.core.ids import stable_id
from clew.core.knowledge import Community
from clew.engine.clew import Clew
from clew.knowledge.node_vectors import embed_nodes
from clew.settings.model import ChunkingSettings, ExtractionSettings, Settings
from clew.stores.embedded.file_lock import file_lock
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.stores.vector_staging import VectorStaging
from clew.testing.fakes import HashingEmbedder
from tests.engine.corpus import corpus
from tests.engine.dump import differences, dump
from tests.engine.reembed_killed import OTHER
from tests.engine.stand_ins import CountingEmbedder, open_clew

ROOT = Path(__file__).resolve().parents[2]
VECTORS = {"vectors", "node_vectors", "node_names", "facts"}


class OtherEmbedder(HashingEmbedder):
    """A model of other dimensions, which counts and may fail after some passages."""

    def __init__(self, *, fails_after: int | None = None) -> None:
        super().__init__(OTHER)
        self.passages: list[str] = []
        self.names: list[str] = []
        self.fails_after = fails_after

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        if self.fails_after is not None and len(self.passages) + len(texts) > self.fails_after:
            raise ModelError("the server is gone")
        self.passages += texts
        return super().embed_passages(texts)

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        self.names += texts
        return HashingEmbedder(OTHER).embed_passages(texts)


@pytest.fixture(params=["memory", "embedded"])
def store(request, tmp_path):
    made = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "kb.clew")
    yield made
    made.close()


@pytest.fixture
def filled(store):
    """A store with more chunks than a batch, some compacted and some not."""
    with open_clew(store, settings=FINE) as clew:
        clew.add(*LONG)
        store.compact()
        clew.add(*corpus(6))
    return store


PLAIN = Settings(extraction=ExtractionSettings(enabled=False))
FINE = Settings(chunking=ChunkingSettings(size=150, overlap=0))
LONG: list[dict[str, object]] = [
    {
        "source": f"long-{part}",
        "title": f"Log {part}",
        "text": " ".join(
            f"Acme Corp sued Beta Labs in {1800 + 20 * part + year}, and Ghent paid."
            for year in range(20)
        ),
    }
    for part in range(10)
]
"""Seven chunks each, by FINE."""


def _vectors_are_of(store, embedder):
    """Check every vector against the model, computed by a second way."""
    for document in store.documents("default"):
        for chunk in store.document_chunks("default", document.id):
            (wanted,) = embedder.embed_passages([f"{document.title}\n{chunk.text}"])
            (found,) = store.vectors("default", np.array([chunk.id]))
            np.testing.assert_allclose(found, wanted, atol=1e-6)
    nodes = store.node_ids("default").tolist()
    wanted = embed_nodes("default", nodes, graph_store=store, chunk_store=store, embedder=embedder)
    np.testing.assert_allclose(store.node_vectors("default", wanted.ids), wanted.search, atol=1e-6)
    for node, name in zip(wanted.ids.tolist(), wanted.name, strict=True):
        (hits,) = store.match_names("default", name[np.newaxis], least=0.9999)
        assert node in hits.ids
    assert store.nodes_without_vectors("default", limit=9) == []


def test_every_vector_is_the_new_models_and_all_else_is_as_before(filled):
    before = dump(filled)
    assert before["counts"]["chunks"] > 64
    with open_clew(filled) as clew:
        report = clew.reembed(OtherEmbedder())
        assert (report.before, report.after) == ("hashing-256", f"hashing-{OTHER}")
        assert report.dimensions == OTHER
        assert (report.chunks, report.nodes) == (
            before["counts"]["chunks"],
            before["counts"]["nodes"],
        )
        assert report.reused == 0
        _vectors_are_of(filled, HashingEmbedder(OTHER))
        assert clew.search("Who sued Beta Labs?", mode="vector_only").results
        assert clew.add(*corpus(9)[6:]).chunks == 3
    after = dump(filled)
    assert after["facts"]["embedder"] == f"hashing-{OTHER}"
    with open_clew(filled, embedder=HashingEmbedder(OTHER)) as clew:
        for record in corpus(9)[6:]:
            clew.remove(str(record["source"]))
        _vectors_are_of(filled, HashingEmbedder(OTHER))
    told = {table: held for table, held in dump(filled).items() if table not in VECTORS}
    assert differences(told, {table: before[table] for table in told}) == []


def test_another_model_is_refused_with_the_way_out(filled):
    with pytest.raises(ModelMismatchError, match="go over to the other with: clew reembed"):
        open_clew(filled, embedder=OtherEmbedder())
    with open_clew(filled) as clew:
        clew.reembed(OtherEmbedder())
    with pytest.raises(ModelMismatchError, match="clew reembed"):
        open_clew(filled, embedder=CountingEmbedder())


def test_the_same_model_does_nothing(filled):
    before, embedder = dump(filled), CountingEmbedder()
    with open_clew(filled, embedder=embedder) as clew:
        report = clew.reembed()
    assert (report.before, report.chunks, report.nodes) == (report.after, 0, 0)
    assert embedder.passages == []
    assert differences(before, dump(filled)) == []


def test_the_old_vectors_answer_until_the_end(filled):
    """Progress is told between batches, when part of the new vectors exist already."""
    asked = []
    with open_clew(filled) as clew:
        wanted = clew.search("Who leads Acme Corp?", mode="vector_only").results

        def look(progress):
            asked.append(progress.stage)
            assert clew.search("Who leads Acme Corp?", mode="vector_only").results == wanted
            assert filled.facts("default")["embedder"] == "hashing-256"

        clew.reembed(OtherEmbedder(), progress=look)
    assert asked.count("chunks") > 1
    assert "nodes" in asked


def test_a_model_that_fails_leaves_the_old_in_force_and_the_next_run_goes_on(filled):
    before = dump(filled)
    chunks = before["counts"]["chunks"]
    with open_clew(filled) as clew:
        with pytest.raises(ModelError, match="the server is gone"):
            clew.reembed(OtherEmbedder(fails_after=70))
        assert differences(before, dump(filled)) == []
        assert clew.search("Who sued Beta Labs?").results
        again = OtherEmbedder()
        report = clew.reembed(again)
    made_before = 0 if isinstance(filled, MemoryStore) else 64
    assert report.reused == made_before
    assert len(again.passages) == chunks - made_before
    assert report.chunks == chunks
    _vectors_are_of(filled, HashingEmbedder(OTHER))


def test_a_failure_in_the_switch_leaves_the_old_in_force(filled, monkeypatch):
    before = dump(filled)

    def fail(*arguments):
        raise ModelError("no more")

    with open_clew(filled) as clew:
        with monkeypatch.context() as patched:
            patched.setattr(filled, "set_fact", fail)
            with pytest.raises(ModelError, match="no more"):
                clew.reembed(OtherEmbedder())
        assert differences(before, dump(filled)) == []
        assert clew.search("Who sued Beta Labs?", mode="vector_only").results
        again = OtherEmbedder()
        clew.reembed(again)
    if isinstance(filled, EmbeddedStore):
        assert (again.passages, again.names) == ([], [])
    _vectors_are_of(filled, HashingEmbedder(OTHER))


def test_a_killed_run_leaves_the_old_in_force_and_is_taken_up(tmp_path):
    path = tmp_path / "kb.clew"
    store = EmbeddedStore(path)
    with open_clew(store, settings=FINE) as clew:
        clew.add(*LONG)
    before = dump(store)
    chunks = before["counts"]["chunks"]
    assert chunks == 70
    store.close()
    for texts in (66, 3):
        died = subprocess.run(
            [sys.executable, "-m", "tests.engine.reembed_killed", str(path), str(texts)],
            cwd=ROOT,
            check=False,
        )
        assert died.returncode == 9
    store = EmbeddedStore(path)
    assert differences(before, dump(store)) == []
    embedder = OtherEmbedder()
    with open_clew(store) as clew:
        report = clew.reembed(embedder)
    assert (report.reused, len(embedder.passages)) == (64, chunks - 64)
    _vectors_are_of(store, HashingEmbedder(OTHER))
    assert list(path.glob("reembed/*.db*")) == []
    store.close()


def test_what_others_write_meanwhile_is_embedded_too(tmp_path):
    """Another process adds, changes and removes documents between the walk and the switch."""
    path = tmp_path / "kb.clew"
    mine, theirs = EmbeddedStore(path), EmbeddedStore(path)
    with open_clew(mine, settings=FINE) as clew, open_clew(theirs, settings=FINE) as other:
        clew.add(*LONG)
        written: list[bool] = []

        def write(progress):
            if progress.stage == "nodes" and not written:
                written.append(True)
                other.add(dict(LONG[0], title="Another Log"), *corpus(3))
                other.remove("long-3")

        clew.reembed(OtherEmbedder(), progress=write)
        assert written
        assert mine.find_names("default", ["another log"])
        _vectors_are_of(mine, HashingEmbedder(OTHER))
        with pytest.raises(ModelMismatchError, match="clew reembed"):
            other.search("Who sued Beta Labs?")
        with pytest.raises(ModelMismatchError, match="clew reembed"):
            other.add(*corpus(9)[6:])
    mine.close()
    theirs.close()


def test_an_ingest_that_runs_by_the_old_model_is_stopped(tmp_path):
    """Vectors of equal dimensions would else be mixed without a word."""
    path = tmp_path / "kb.clew"
    mine, theirs = EmbeddedStore(path), EmbeddedStore(path)

    class Renamed(HashingEmbedder):
        fingerprint = "renamed"

    with open_clew(mine) as clew, open_clew(theirs) as other:
        clew.add(*corpus(2))
        switched: list[bool] = []

        def switch(progress):
            if progress.stage == "parse" and not switched:
                switched.append(True)
                clew.reembed(Renamed())

        with pytest.raises(ModelMismatchError, match="clew reembed"):
            other.add(*corpus(9)[2:], progress=switch)
        assert mine.facts("default")["embedder"] == "renamed"
    mine.close()
    theirs.close()


def test_two_runs_at_once_are_refused(tmp_path):
    store = EmbeddedStore(tmp_path / "kb.clew")
    with open_clew(store) as clew:
        clew.add(*corpus(2))
        lock = store.path / "reembed" / f"{stable_id('default'):016x}.lock"
        lock.parent.mkdir()
        with (
            file_lock(lock, wait_seconds=0.0),
            pytest.raises(StoreBusyError, match="another process is embedding"),
        ):
            clew.reembed(OtherEmbedder())
        clew.reembed(OtherEmbedder())
    store.close()


def test_what_is_not_embedded_yet_stays_so(filled):
    document = filled.document_ids("default")[0]
    chunk = filled.document_chunks("default", document)[0].id
    filled.write_chunks("default", ChunkBatch(stage=Stage.CHUNKED, staged=(chunk,)))
    with open_clew(filled) as clew:
        clew.reembed(OtherEmbedder())
        assert clew.status().pending == {"chunked": 1}
        assert not filled.vectors("default", np.array([chunk])).any()
        clew.add()
        assert clew.status().pending == {}
    _vectors_are_of(filled, HashingEmbedder(OTHER))


def test_summaries_are_embedded_too(filled):
    members = tuple(filled.node_ids("default")[:2].tolist())
    community = Community(5, 0, "level0_5", members, summary="Two things that belong together.")
    filled.write_communities(
        "default",
        CommunityBatch((community,), Vectors(np.array([5]), np.eye(1, 256, 3, np.float32))),
    )
    embedder = OtherEmbedder()
    with open_clew(filled) as clew:
        assert clew.reembed(embedder).communities == 1
    assert embedder.passages[-1] == community.summary
    assert filled.communities("default") == [community]
    assert filled.nodes("default", members[:1])[0].community == "level0_5"


def test_an_empty_collection_takes_the_model(store):
    with open_clew(store) as clew:
        report = clew.reembed(OtherEmbedder())
        assert (report.before, report.chunks, report.nodes) == (None, 0, 0)
        clew.add(*corpus(1))
    _vectors_are_of(store, HashingEmbedder(OTHER))


def test_the_configured_model_is_taken_without_an_argument(tmp_path, monkeypatch):
    path = tmp_path / "kb.clew"
    with Clew.open(path, embedder=CountingEmbedder(), settings=PLAIN) as clew:
        clew.add(*corpus(2))
    monkeypatch.setattr(
        "clew.engine.components._bundled_embedder", lambda settings: HashingEmbedder(OTHER)
    )
    with Clew.open(path, settings=PLAIN) as clew:
        with pytest.raises(ModelMismatchError, match="clew reembed"):
            clew.search("Who?")
        assert clew.reembed().after == f"hashing-{OTHER}"
        assert clew.search("Who leads Acme Corp?", mode="vector_only").results


def test_staged_rows_count_for_their_model_and_key_alone(tmp_path):
    path = tmp_path / "s" / "x.db"
    ids = np.array([1, 2, 3])
    matrix = np.eye(3, dtype=np.float32)
    first = VectorStaging(path, model="a")
    first.begin_pass()
    first.write_chunks(Vectors(ids, matrix), [10, 20, 30])
    first.close()
    second = VectorStaging(path, model="a")
    second.begin_pass()
    assert second.confirmed_chunks({1: 10, 2: 21, 4: 40}) == {1}
    assert second.chunk_keys([1, 2, 3]) == {1: 10}
    assert second.chunk_vectors(np.array([3, 1]), dimensions=3).tolist() == [[0, 0, 0], [1, 0, 0]]
    assert [batch.ids.tolist() for batch in second.chunks()] == [[1]]
    second.close()
    other = VectorStaging(path, model="b")
    other.begin_pass()
    assert other.confirmed_chunks({1: 10}) == set()
    other.delete()
    assert list(path.parent.iterdir()) == []
