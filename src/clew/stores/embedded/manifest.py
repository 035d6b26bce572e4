"""The manifest of a snapshot: which files belong to it and what they must look like.

A derived file may be lost or cut short like any other. Sizes and the checksum of both ends of each
file are compared when a snapshot is opened, which costs microseconds a file; `damage` with
`every_byte` compares all of it. Nothing here is flushed to the disk by force: what a power cut
takes is found by the same comparison and built again from the truth.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

SNAPSHOT_FORMAT = 2
MANIFEST = "manifest.json"
_END_BYTES = 2048
_READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class FileSeal:
    """Size and CRC-32 of a file's two ends and of all of it."""

    bytes: int
    ends: int
    whole: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a snapshot covers: every change up to `seq`; `rows` counts its chunks and nodes."""

    generation: int
    seq: int
    rows: int
    files: dict[str, FileSeal]
    format: int = SNAPSHOT_FORMAT

    @property
    def total_bytes(self) -> int:
        """Size of all files."""
        return sum(seal.bytes for seal in self.files.values())


def seal_directory(directory: Path, *, generation: int, seq: int, rows: int) -> Manifest:
    """Write the manifest of all files below `directory`, and return it."""
    files = {
        path.relative_to(directory).as_posix(): _seal(path)
        for path in sorted(directory.rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    }
    manifest = Manifest(generation, seq, rows, files)
    (directory / MANIFEST).write_text(json.dumps(asdict(manifest)), encoding="utf-8")
    return manifest


def read_manifest(directory: Path) -> Manifest | None:
    """Return the manifest of a snapshot; None where it is missing, damaged or of another format."""
    try:
        content = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        files = {name: FileSeal(**seal) for name, seal in content["files"].items()}
        found = Manifest(
            content["generation"], content["seq"], content["rows"], files, content["format"]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if found.format == SNAPSHOT_FORMAT else None


def damage(directory: Path, manifest: Manifest, *, every_byte: bool) -> list[str]:
    """Return the names of files that are missing or are not what was written."""
    return [
        name
        for name, seal in manifest.files.items()
        if not _intact(directory / name, seal, every_byte=every_byte)
    ]


def _intact(path: Path, seal: FileSeal, *, every_byte: bool) -> bool:
    try:
        if path.stat().st_size != seal.bytes or _ends(path, seal.bytes) != seal.ends:
            return False
        return not every_byte or _whole(path) == seal.whole
    except OSError:
        return False


def _seal(path: Path) -> FileSeal:
    size = path.stat().st_size
    return FileSeal(size, _ends(path, size), _whole(path))


def _ends(path: Path, size: int) -> int:
    with path.open("rb") as file:
        checksum = zlib.crc32(file.read(_END_BYTES))
        file.seek(max(0, size - _END_BYTES))
        return zlib.crc32(file.read(_END_BYTES), checksum)


def _whole(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            checksum = zlib.crc32(block, checksum)
    return checksum
