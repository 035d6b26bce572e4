"""The extractor that needs no language model: dependency rules over an annotator's output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.core.extraction import Extraction
from clew.core.ports import Annotator
from clew.knowledge.rules.brackets import without_asides
from clew.knowledge.rules.capitalised import extract_capitalised
from clew.knowledge.rules.extraction import Setting, extract_passage

RULES_VERSION = 1
"""Raised whenever the rules change what they extract."""


class RuleExtractor:
    """`Extractor` by rules; texts in a language that the annotator does not understand fall back
    to capitalised phrases and repeated terms, and their extractions say so in `note`."""

    def __init__(self, annotator: Annotator) -> None:
        self._annotator = annotator

    @property
    def fingerprint(self) -> str:
        """Return the version of the rules and the annotator's fingerprint."""
        return f"rules-{RULES_VERSION}+{self._annotator.fingerprint}"

    def extract(
        self,
        texts: Sequence[str],
        *,
        language: str | None,
        titles: Sequence[str | None] = (),
    ) -> Iterator[Extraction]:
        """Yield one extraction a text, in order.

        `language` is an ISO 639-1 code; None is taken for the annotator's own. `titles` names the
        subject of each text's page, for pronouns; it is empty or as long as `texts`.
        """
        if language is not None and language not in self._annotator.languages:
            return (extract_capitalised(text, language) for text in texts)
        subjects = titles or [None] * len(texts)
        settings = [Setting(text, title) for text, title in zip(texts, subjects, strict=True)]
        return self._annotator.transform(
            [without_asides(text) for text in texts], settings, extract_passage
        )
