"""The command line with cheap models: `python -m tests.cli.cheap_models ARGUMENTS`.

With CLEW_TEST_STALL set to a file, the first extraction writes that file and stands still.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from clew.core.extraction import Extraction
from clew.engine import components
from clew.serve.cli.main import run
from clew.testing.fakes import HashingEmbedder
from tests.engine.stand_ins import PatternExtractor


class StallingExtractor(PatternExtractor):
    """Says that it has begun, and does not come to an end."""

    def extract(
        self,
        texts: Sequence[str],
        *,
        language: str | None,
        titles: Sequence[str | None] = (),
    ) -> Iterator[Extraction]:
        stall = os.environ.get("CLEW_TEST_STALL")
        if stall:
            Path(stall).write_text("begun", encoding="utf-8")
            time.sleep(60)
        return super().extract(texts, language=language, titles=titles)


def use_cheap_models() -> None:
    """Put cheap models in the place of the bundled ones."""
    vars(components)["_bundled_embedder"] = lambda _settings: HashingEmbedder()
    type.__setattr__(
        components.Components, "_configured_extractor", lambda _components: StallingExtractor()
    )


if __name__ == "__main__":
    use_cheap_models()
    run()
