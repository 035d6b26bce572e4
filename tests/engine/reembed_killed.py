"""Begins to embed a store anew and dies: `python -m tests.engine.reembed_killed STORE TEXTS`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from clew.core.arrays import Matrix
from clew.stores.embedded.store import EmbeddedStore
from clew.testing.fakes import HashingEmbedder
from tests.engine.stand_ins import open_clew

OTHER = 64


class DyingEmbedder(HashingEmbedder):
    """Ends the process, as a kill does, before it has embedded more than `texts` passages."""

    def __init__(self, texts: int) -> None:
        super().__init__(OTHER)
        self.left = texts

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        self.left -= len(texts)
        if self.left < 0:
            os._exit(9)
        return super().embed_passages(texts)


if __name__ == "__main__":
    with open_clew(EmbeddedStore(sys.argv[1])) as clew:
        clew.reembed(DyingEmbedder(int(sys.argv[2])))
