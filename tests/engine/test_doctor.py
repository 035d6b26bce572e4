"""The doctor's look at models, packages and disk; that at the store has a test of its own."""

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from clew.core.errors import StoreError
from clew.core.health import Severity
from clew.engine import doctor
from clew.engine.clew import Clew
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import open_clew


def found(clew: Clew) -> list[tuple[Severity, str, str]]:
    return [(one.severity, one.place, one.problem) for one in clew.doctor().findings]


def test_a_sound_store(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "kb")
    clew = open_clew(store)
    clew.add([{"source": "a", "text": "Acme sued Beta."}])
    report = clew.doctor(full=True)
    assert (report.findings, report.sound, report.mended) == ((), True, ())
    assert report.facts["embedder"] == "hashing-256"
    assert clew.doctor(repair=True).mended
    store.close()


def test_another_model_is_an_error() -> None:
    clew = open_clew(MemoryStore())
    clew.add([{"source": "a", "text": "Acme sued Beta."}])
    clew._components.store.set_fact("default", "embedder", "other-1")
    ((severity, place, problem),) = found(clew)
    assert (severity, place) == (Severity.ERROR, "model")
    assert "'other-1'" in problem
    assert "hashing-256" in problem
    assert not clew.doctor().sound


def test_a_missing_pipeline_and_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PIPELINE", "no_such_pipeline")
    monkeypatch.setattr(
        doctor,
        "_requirements",
        lambda: ["numpy>=2", "no-such-package>=1", "other; sys_platform == 'x'"],
    )
    problems = [problem for _, _, problem in found(open_clew(MemoryStore()))]
    assert problems == [
        "the spaCy pipeline no_such_pipeline is not installed: `clew add` will fail",
        "no-such-package>=1 is required and not installed",
    ]


def test_extras_count_when_all_of_them_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor,
        "_requirements",
        lambda: [
            "numpy>=2; extra == 'one'",
            "numpy; extra == 'two'",
            "no-such-package; extra == 'two'",
        ],
    )
    assert doctor.installed_extras() == ["one"]


def test_little_space_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100, 90, 10))
    store = EmbeddedStore(tmp_path / "kb")
    ((severity, place, _),) = found(open_clew(store))
    assert (severity, place) == (Severity.WARNING, "disk")
    assert open_clew(store).doctor().sound
    store.close()


def test_a_store_without_files_has_no_backup_here(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="use the tools of its server"):
        open_clew(MemoryStore()).backup(tmp_path / "b")
