"""Kills ingests at chosen points, resumes them, and says whether the state is the undisturbed one.

    python -m tests.engine.kill_runs FOLDER COUNT SEED

Each run is a forked process that sends itself SIGKILL before or after the k-th call that it makes
to its store, so inside transactions too. Writes one JSON line a run.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from clew.ingest.language import detect_language
from clew.settings.model import Settings
from clew.stores.embedded.store import EmbeddedStore
from tests.engine.corpus import corpus
from tests.engine.dump import differences, dump
from tests.engine.stand_ins import open_clew

SETTINGS = Settings.model_validate({"chunking": {"size": 160, "overlap": 20}})
WINDOW = 5


class DoomedStore:
    """A store that kills its process at the n-th call to it; counts the calls without end."""

    def __init__(self, store: EmbeddedStore, deadline: int | None) -> None:
        self._store = store
        self._deadline = deadline
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._store, name)
        if not callable(value):
            return value

        def call(*arguments: Any, **named: Any) -> Any:
            self._tick()
            result = value(*arguments, **named)
            self._tick()
            return result

        return call

    def _tick(self) -> None:
        self.calls += 1
        if self.calls == self._deadline:
            os.kill(os.getpid(), signal.SIGKILL)


def ingest(folder: Path, documents: list[dict[str, object]], deadline: int | None) -> int:
    """Add documents; return how many points there were to be killed at."""
    store = EmbeddedStore(folder)
    doomed = DoomedStore(store, deadline)
    open_clew(doomed, settings=SETTINGS, window=WINDOW).add(documents)
    store.close()
    return doomed.calls


def state(folder: Path) -> dict[str, Any]:
    """Return all that the store holds."""
    store = EmbeddedStore(folder)
    held = dump(store)
    store.close()
    return held


def in_child(work: Callable[[], object], answer: Path) -> Any:
    """Run `work` in a fork; return its result, None where it was killed."""
    answer.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            answer.write_bytes(pickle.dumps(work()))
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None
    if os.WEXITSTATUS(status) != 0:
        raise SystemExit("a run failed; see its traceback above")
    return pickle.loads(answer.read_bytes())


def changed(documents: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the documents with some sentences, a title and a source replaced."""
    result = [dict(document) for document in documents]
    result[1]["text"] = f"Acme Corp bought Quartz Mine. {result[1]['text']}"
    result[4]["title"] = "Quartz Mine"
    result[6]["text"] = str(result[6]["text"]).split(". ", 2)[2]
    result[9]["source"] = "doc-new"
    return result


def scenario(
    folder: Path, *, before: list[dict[str, object]], documents: list[dict[str, object]]
) -> Callable[[int, list[float]], dict[str, Any]]:
    """Prepare the undisturbed run; return what kills and resumes another and compares the two."""
    folder.mkdir()
    answer, base, undisturbed = (folder / name for name in ("answer", "base", "undisturbed"))
    if before:
        in_child(lambda: ingest(base, before, None), answer)
        shutil.copytree(base, undisturbed)
    points = in_child(lambda: ingest(undisturbed, documents, None), answer)
    expected = in_child(lambda: state(undisturbed), answer)

    def run(number: int, shares: list[float]) -> dict[str, Any]:
        place = folder / str(number)
        if before:
            shutil.copytree(base, place)
        deadlines = [1 + int(share * points) for share in shares]
        killed = [
            in_child(partial(ingest, place, documents, at), answer) is None for at in deadlines
        ]
        in_child(lambda: ingest(place, documents, None), answer)
        found = differences(expected, in_child(lambda: state(place), answer))
        shutil.rmtree(place)
        return {
            "points": points,
            "at": deadlines,
            "killed": killed,
            "merges": sorted({merge.reason for merge in expected["merges"]}),
            "differences": found,
        }

    return run


def main(folder: Path, count: int, seed: int) -> None:
    detect_language("The forks find the model loaded, which takes a second.")
    documents = corpus()
    scenarios = (
        scenario(folder / "new", before=[], documents=documents),
        scenario(folder / "changed", before=documents, documents=changed(documents)),
    )
    chance = random.Random(seed)
    for number in range(count):
        shares = [chance.random() for _ in range(1 + (number % 5 == 0))]
        sys.stdout.write(json.dumps(scenarios[number % 2](number, shares)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
