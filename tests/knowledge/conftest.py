"""A real spaCy pipeline for the whole folder, loaded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from clew.core.extraction import Extraction
from clew.knowledge.extractor import RuleExtractor
from clew.models.spacy_annotator import SpacyAnnotator


@pytest.fixture(scope="session")
def extractor() -> Iterator[RuleExtractor]:
    annotator = SpacyAnnotator(processes=1)
    yield RuleExtractor(annotator)
    annotator.close()


@pytest.fixture(scope="session")
def extract(extractor: RuleExtractor) -> Callable[..., Extraction]:
    def one(text: str, *, title: str | None = None, language: str | None = "en") -> Extraction:
        (extraction,) = extractor.extract([text], language=language, titles=[title])
        return extraction

    return one
