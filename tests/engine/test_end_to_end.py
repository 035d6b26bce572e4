"""The real thing on a few documents: bundled embedder, spaCy rules, embedded store."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.core.errors import NotFoundError
from clew.core.jobs import FileOutcome
from clew.core.query import Principal
from clew.engine.clew import Clew
from clew.settings.model import Settings
from tests.engine.dump import differences, dump

MODES = ("vector_only", "keyword", "kg_only", "hybrid")
SECRET = "Quillfeather"
DOCUMENTS = (
    {
        "source": "marlow",
        "title": "Marlow Foundry",
        "text": "Marlow Foundry is a steelworks in Dunmere. It was founded by Edith Marlow in 1921. "
        "In 1958 Marlow Foundry acquired Selby Castings.",
    },
    {
        "source": "selby",
        "title": "Selby Castings",
        "text": "Selby Castings makes bronze bells. Its chief engineer, Tomas Reyes, was born in "
        "Valdora. Selby Castings cast the bell of Dunmere Cathedral.",
    },
    {
        "source": "valdora",
        "title": "Valdora",
        "text": "Valdora is a port on the Ilmen coast. The Valdora shipyard closed in 1974.",
    },
    {
        "source": "secret",
        "title": "Project Quillfeather",
        "text": "Project Quillfeather was led by Edith Marlow. Quillfeather built a diving bell "
        "near Valdora in 1930.",
        "acl": ["board"],
    },
)


@pytest.fixture(scope="module")
def clew(tmp_path_factory):
    folder = tmp_path_factory.mktemp("end-to-end") / "kb.clew"
    with Clew.open(folder, settings=Settings()) as opened:
        opened.add(*DOCUMENTS)
        yield opened


def test_a_question_is_answered_with_its_source(clew):
    answer = clew.ask("Where was the chief engineer of Selby Castings born?")
    assert answer.answered
    assert "Valdora" in answer.text
    assert "[1]" in answer.text
    assert "selby" in {source.source for source in answer.sources}
    assert 0 < answer.confidence <= 1


def test_the_path_between_two_things_runs_over_what_documents_state(clew):
    descriptions = [path.description for path in clew.path("Edith Marlow", "Selby Castings")]
    assert any("Marlow Foundry" in description for description in descriptions)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_finds_the_passage_and_hides_it_from_others(clew, mode):
    found = clew.search("What did Project Quillfeather build?", mode=mode)
    (secret,) = [held.id for held in clew.documents() if held.source == "secret"]
    assert found.results[0].document == secret
    hidden = clew.search(
        "What did Project Quillfeather build?", mode=mode, principal=Principal(frozenset({"staff"}))
    )
    assert secret not in {result.document for result in hidden.results}
    assert SECRET not in repr(hidden.results) + repr(hidden.paths) + repr(hidden.provenance)


def test_adding_again_changes_nothing(clew):
    store = clew._components.store
    before = dump(store)
    report = clew.add(*DOCUMENTS)
    assert {file.outcome for file in report.files} == {FileOutcome.UNCHANGED}
    assert differences(before, dump(store)) == []


def test_nothing_answers_from_a_document_that_was_removed(tmp_path):
    folder = tmp_path / "kb.clew"
    with Clew.open(folder, settings=Settings()) as clew:
        clew.add(*DOCUMENTS)
        clew._components.store.compact()
        assert SECRET.lower().encode() in _bytes(folder).lower()
        receipt = clew.remove("secret")
        assert receipt.removed["documents"] == 1
        assert receipt.removed["nodes"] >= 1

        for mode in MODES:
            for question in ("What did Project Quillfeather build?", "Who was Edith Marlow?"):
                retrieval = clew.search(question, mode=mode)
                assert receipt.document not in {result.document for result in retrieval.results}
                assert SECRET not in repr(retrieval.results) + repr(retrieval.paths)
                assert SECRET not in repr(retrieval.provenance)
                answer = clew.ask(question, mode=mode)
                # An abstention may repeat what the question itself names.
                told = answer.text.replace("does not mention: Project Quillfeather.", "")
                assert SECRET not in told
                assert SECRET not in repr(answer.sources)
        with pytest.raises(NotFoundError):
            clew.path("Project Quillfeather", "Valdora")
        assert clew.node("Edith Marlow").name == "Edith Marlow"
        assert clew.status().documents == 3
        assert clew._components.store.nodes_without_vectors("default", limit=9) == []
        clew._components.store.compact()
    derived = _bytes(folder / "index")
    assert SECRET.lower().encode() not in derived.lower()


@pytest.mark.slow
def test_a_killed_run_of_the_real_models_resumes_to_the_same_state(tmp_path):
    program = (
        "import os, signal, sys\n"
        "from clew.engine.clew import Clew\n"
        "from clew.settings.model import Settings\n"
        "from tests.engine.test_end_to_end import DOCUMENTS\n"
        "def tick(progress):\n"
        "    if progress.stage == sys.argv[2]:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "with Clew.open(sys.argv[1], settings=Settings()) as clew:\n"
        "    clew.add(*DOCUMENTS, progress=tick)\n"
    )
    repository = Path(__file__).resolve().parents[2]
    with Clew.open(tmp_path / "undisturbed.clew", settings=Settings()) as clew:
        clew.add(*DOCUMENTS)
        expected = _without_time(dump(clew._components.store))
    for stage in ("embed", "extract", "nodes"):
        folder = tmp_path / f"{stage}.clew"
        killed = subprocess.run(
            [sys.executable, "-c", program, str(folder), stage], cwd=repository, check=False
        )
        assert killed.returncode == -9
        with Clew.open(folder, settings=Settings()) as clew:
            report = clew.add(*DOCUMENTS)
            assert {file.outcome for file in report.files} == {FileOutcome.RESUMED}
            assert differences(expected, _without_time(dump(clew._components.store))) == []


def _without_time(held):

    documents = [replace(document, recorded_at=None) for document in held["documents"]]
    edges = [replace(edge, recorded_at=None) for edge in held["edges"]]
    return {**held, "documents": documents, "edges": edges}


def _bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def test_the_vectors_are_those_of_the_bundled_model(clew):
    store = clew._components.store
    chunk = store.document_chunks("default", store.documents("default")[0].id)[0]
    (vector,) = store.vectors("default", np.array([chunk.id], np.int64))
    assert vector.shape == (384,)
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-3)
