"""Two processes add to one store at once, and one reads while another writes."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from clew.core.documents import Stage
from clew.core.knowledge import MentionRole
from clew.knowledge.linking import Linker
from clew.stores.embedded.store import EmbeddedStore
from tests.engine.corpus import corpus
from tests.engine.stand_ins import open_clew

_REPOSITORY = Path(__file__).resolve().parents[2]
_PROGRAM = """
import sys
from clew.stores.embedded.store import EmbeddedStore
from tests.engine.corpus import corpus
from tests.engine.stand_ins import open_clew
store = EmbeddedStore(sys.argv[1])
clew = open_clew(store, window=4)
for start in range(0, 8, 2):
    clew.add(corpus(8, seed=1)[start : start + 2])
store.close()
"""


def test_nothing_is_lost_when_two_processes_write(tmp_path):
    folder = tmp_path / "kb.clew"
    EmbeddedStore(folder).close()
    other = subprocess.Popen([sys.executable, "-c", _PROGRAM, str(folder)], cwd=_REPOSITORY)
    store = EmbeddedStore(folder)
    clew = open_clew(store, window=4)
    mine = [{**record, "source": f"mine-{record['source']}"} for record in corpus(8, seed=2)]
    seen = 0
    for start in range(0, len(mine), 2):
        clew.add(mine[start : start + 2])
        seen = max(seen, clew.status().documents)
    assert other.wait(timeout=120) == 0
    # The other process's documents were seen as soon as they were there.
    assert clew.status().documents == 16
    assert seen > 0

    assert clew.status().pending == {}
    documents = store.documents("default")
    assert {held.source for held in documents} == {
        *(str(record["source"]) for record in mine),
        *(str(record["source"]) for record in corpus(8, seed=1)),
    }
    for held in documents:
        assert set(store.stages("default", held.id).values()) == {Stage.LINKED}
    assert store.nodes_without_vectors("default", limit=9) == []
    chunks = [chunk for held in documents for chunk in store.document_chunks("default", held.id)]
    vectors = store.vectors("default", np.array([chunk.id for chunk in chunks], np.int64))
    assert vectors.any(axis=1).all()

    linked = {
        (mention.chunk, mention.node)
        for mention in store.mentions("default", [chunk.id for chunk in chunks])
    }
    wanted = {
        (mention.chunk, mention.node)
        for batch in Linker(store, store).link_chunks("default", chunks)
        for mention in batch.mentions
        if mention.role is MentionRole.LINK
    }
    assert wanted <= linked
    store.close()


def test_a_second_process_reads_each_commit_while_the_first_writes(tmp_path):
    folder = tmp_path / "kb.clew"
    writer, reader = EmbeddedStore(folder), EmbeddedStore(folder)
    seen: list[tuple[int, int]] = []

    def watch(tick):
        counts = reader.counts("default")
        seen.append((counts["documents"], counts["chunks"]))

    open_clew(writer, window=2).add(corpus(6), progress=watch)
    assert [documents for documents, _ in seen[:6]] == [1, 2, 3, 4, 5, 6]
    assert dict(reader.counts("default")) == dict(writer.counts("default"))
    writer.close()
    reader.close()
