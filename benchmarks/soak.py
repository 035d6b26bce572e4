"""Kills processes at random moments, resumes what they did, and compares with an undisturbed run.

    python -m benchmarks.soak --kills 1000 [--seed 0] [--json FILE]

Every kill is SIGKILL to a process that adds documents (new ones, and changed versions of known
ones), compacts, migrates a store of format 1, writes a backup, or restores one, at a moment drawn
uniformly from the time that the whole task takes. After it the store must be sound, and once the
task is run to its end the store must hold exactly what it holds where nobody was killed.

Models are stand-ins: what is tested is the store and the resuming, not the quality of answers.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.ingest.language import detect_language
from clew.settings.model import Settings
from clew.stores.embedded import compaction
from clew.stores.embedded.backup import restore_backup
from clew.stores.embedded.store import EmbeddedStore
from tests.engine.corpus import corpus
from tests.engine.dump import differences, dump
from tests.engine.kill_runs import changed
from tests.engine.stand_ins import open_clew
from tests.stores.store_fixture import fixture_path

SETTINGS = Settings.model_validate({"chunking": {"size": 160, "overlap": 20}})
WINDOW = 5
DOCUMENTS = corpus()
_LATE = 1.05
"""Kills come up to a little after the end, so that the last moments are met too."""


@dataclass(frozen=True)
class Task:
    """Something to be killed at: `prepare` makes the folder, `work` is killed and then run whole,
    `inspect` raises if the folder is not sound after a kill, `state` is what must be equal."""

    name: str
    prepare: Callable[[Path], None]
    work: Callable[[Path], None]
    inspect: Callable[[Path], None]
    state: Callable[[Path], Any]


def _added(documents: list[dict[str, object]]) -> Callable[[Path], None]:
    def add(folder: Path) -> None:
        # Compaction is due all the time, so that kills meet its thread too.
        compaction._LEAST_CHANGES = 50
        store = EmbeddedStore(folder / "kb")
        open_clew(store, settings=SETTINGS, window=WINDOW).add(documents)
        store.close()

    return add


def _nothing(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def _filled(folder: Path) -> None:
    folder.mkdir(parents=True)
    store = EmbeddedStore(folder / "kb")
    open_clew(store, settings=SETTINGS, window=WINDOW).add(DOCUMENTS)
    store.close()


def _old_format(folder: Path) -> None:
    (folder / "kb").mkdir(parents=True)
    with closing(sqlite3.connect(folder / "kb" / "clew.db")) as connection:
        connection.executescript(fixture_path(1).read_text(encoding="utf-8"))


def _with_backup(folder: Path) -> None:
    _filled(folder)
    _back_up(folder)


def _compact(folder: Path) -> None:
    store = EmbeddedStore(folder / "kb")
    # A write each time, so that there is something to fold in.
    store.set_fact("default", "soak", "yes")
    store.mend()
    store.compact()
    store.close()


def _open(folder: Path) -> None:
    EmbeddedStore(folder / "kb").close()


def _back_up(folder: Path) -> None:
    store = EmbeddedStore(folder / "kb")
    store.backup(folder / "backup", overwrite=True)
    store.close()


def _restore(folder: Path) -> None:
    restore_backup(folder / "backup", folder / "copy", overwrite=True, open_store=EmbeddedStore)


def _sound(folder: Path, name: str = "kb") -> None:
    if not (folder / name).exists():
        return
    store = EmbeddedStore(folder / name)
    try:
        wrong = [found for found in store.check() if not found.startswith("index of")]
    finally:
        store.close()
    if wrong:
        raise SystemExit(f"{folder}: {wrong}")


def _backup_whole_or_absent(folder: Path) -> None:
    _sound(folder)
    if not (folder / "backup").exists():
        return
    with closing(sqlite3.connect(folder / "backup")) as connection:
        found = connection.execute("PRAGMA integrity_check").fetchone()[0]
        documents = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
    if found != "ok" or documents != len(DOCUMENTS):
        raise SystemExit(f"{folder}: half a backup: {found}, {documents} documents")


def _restored_whole_or_absent(folder: Path) -> None:
    _sound(folder, "copy")
    _sound(folder)


def _held(folder: Path, name: str = "kb") -> dict[str, Any]:
    store = EmbeddedStore(folder / name)
    try:
        return dump(store)
    finally:
        store.close()


def _held_in_backup(folder: Path) -> dict[str, Any]:
    target = folder / "from-backup"
    restore_backup(folder / "backup", target, overwrite=True, open_store=EmbeddedStore)
    return _held(folder, target.name)


TASKS = (
    Task("add new", _nothing, _added(DOCUMENTS), _sound, _held),
    Task("add changed", _filled, _added(changed(DOCUMENTS)), _sound, _held),
    Task("compact", _filled, _compact, _sound, _held),
    Task("migrate", _old_format, _open, _sound, _held),
    Task("backup", _filled, _back_up, _backup_whole_or_absent, _held_in_backup),
    Task(
        "restore",
        _with_backup,
        _restore,
        _restored_whole_or_absent,
        lambda folder: _held(folder, "copy"),
    ),
)


class Killer:
    """Runs one task over and over; what an undisturbed run leads to is computed once."""

    def __init__(self, task: Task, folder: Path, chance: random.Random) -> None:
        self._task = task
        self._folder = folder
        self._chance = chance
        self._base = folder / "base"
        _whole(lambda: task.prepare(self._base))
        undisturbed = folder / "undisturbed"
        shutil.copytree(self._base, undisturbed)
        self._seconds = _whole(lambda: task.work(undisturbed))
        answer = folder / "expected"
        _whole(lambda: answer.write_bytes(pickle.dumps(task.state(undisturbed))))
        self._expected = pickle.loads(answer.read_bytes())  # noqa: S301 - own

    def kill(self, number: int) -> tuple[bool, list[str]]:
        """Kill one run and end it; return whether the kill met it, and how the result differs."""
        task, place = self._task, self._folder / str(number)
        shutil.copytree(self._base, place)
        met = _killed(lambda: task.work(place), self._chance.uniform(0, _LATE * self._seconds))
        _whole(lambda: task.inspect(place))
        _whole(lambda: task.work(place))
        answer = place / "answer"
        _whole(lambda: answer.write_bytes(pickle.dumps(task.state(place))))
        held = pickle.loads(answer.read_bytes())  # noqa: S301 - own
        found = differences(self._expected, held)
        shutil.rmtree(place)
        return met, found


def _whole(work: Callable[[], object]) -> float:
    """Run `work` in a fork to its end; return the seconds that it took.

    Raises:
        SystemExit: it failed.
    """
    start = time.perf_counter()
    child = _fork(work)
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise SystemExit("a run failed; see above")
    return time.perf_counter() - start


def _killed(work: Callable[[], object], after: float) -> bool:
    """Run `work` in a fork and kill it after some seconds; return whether it was still running."""
    child = _fork(work)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status) != 0:
        raise SystemExit("a run failed before it was killed; see above")
    return os.WIFSIGNALED(status)


def _fork(work: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    return child


def soak(kills: int, seed: int, folder: Path) -> dict[str, Any]:
    """Kill so many runs, the tasks in turn; return what came of it, after Ctrl-C of those done."""
    detect_language("The forks find the model loaded, which takes a second.")
    chance = random.Random(seed)  # noqa: S311 - when to kill is no secret
    killers = []
    for task in TASKS:
        place = folder / task.name.replace(" ", "-")
        place.mkdir()
        killers.append((task.name, Killer(task, place, chance)))
    met: Counter[str] = Counter()
    late: Counter[str] = Counter()
    wrong: list[str] = []
    number = 0
    start = time.perf_counter()
    interrupted = False
    while met.total() < kills and not interrupted:
        name, killer = killers[number % len(killers)]
        try:
            was_met, found = killer.kill(number)
        except KeyboardInterrupt:
            interrupted = True
            continue
        (met if was_met else late)[name] += 1
        wrong += [f"{name}, run {number}: {difference}" for difference in found]
        number += 1
        if number % 50 == 0:
            sys.stderr.write(f"{met.total()} kills, {len(wrong)} differences\n")
    return {
        "kills": met.total(),
        "by_task": dict(met),
        "too_late": dict(late),
        "seed": seed,
        "seconds": round(time.perf_counter() - start, 1),
        "differences": wrong,
    }


def main() -> None:
    """Run the soak; exits with 1 if a store differs from that of an undisturbed run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="where to write the report")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = soak(arguments.kills, arguments.seed, Path(folder))
    text = json.dumps(report, indent=2, ensure_ascii=False)
    if arguments.json:
        arguments.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    raise SystemExit(1 if report["differences"] else 0)


if __name__ == "__main__":
    main()
