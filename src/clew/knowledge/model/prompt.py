"""The prompts of extraction: a chunk's sentences, numbered, as data in a fence."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template

from clew.core.documents import Span
from clew.core.extraction import Extraction
from clew.knowledge.model.schema import DEFAULT_LABELS, KnowledgeSchema
from clew.text.fencing import fence_name, harmless_line
from clew.text.sentences import sentence_spans

PROMPT_VERSION = 1
"""Raised with every change of a prompt: answers that are kept name it."""
_LANGUAGES = ("en", "pt")
_ONE_OF = {"en": ", one of: ", "pt": ", uma destas: "}
_OTHER_LANGUAGE = "Write relations in the language of the sentences, whatever it is.\n\n"
_UNTITLED = "-"


@dataclass(frozen=True, slots=True)
class NumberedSentences:
    """The sentences of a chunk: number 1 stands at `spans[0]`."""

    text: str
    spans: tuple[Span, ...]

    def lines(self) -> list[str]:
        """Return each sentence on a line, with its number, harmless."""
        return [
            f"[{number}] {harmless_line(self.text[span.start : span.end])}"
            for number, span in enumerate(self.spans, start=1)
        ]


def numbered(text: str) -> NumberedSentences:
    """Return the sentences of a chunk."""
    return NumberedSentences(text, tuple(sentence_spans(text)))


def extraction_prompt(
    sentences: NumberedSentences,
    *,
    title: str | None,
    language: str | None,
    schema: KnowledgeSchema,
) -> tuple[str, str]:
    """Return the prompt that asks for all that the sentences state, and its name with version."""
    return _filled("extract", sentences, title, language, schema, found="")


def reflection_prompt(
    sentences: NumberedSentences,
    found: Extraction,
    *,
    title: str | None,
    language: str | None,
    schema: KnowledgeSchema,
) -> tuple[str, str]:
    """Return the prompt that asks for what `found` lacks, and its name with version."""
    listed = {
        "entities": list(dict.fromkeys(harmless_line(name.surface) for name in found.names)),
        "triples": [
            " | ".join(map(harmless_line, (triple.subject, triple.relation, triple.object)))
            for triple in found.triples
        ],
    }
    written = json.dumps(listed, ensure_ascii=False).translate(str.maketrans("[]", "()"))
    return _filled("reflect", sentences, title, language, schema, found=written)


def _filled(
    kind: str,
    sentences: NumberedSentences,
    title: str | None,
    language: str | None,
    schema: KnowledgeSchema,
    *,
    found: str,
) -> tuple[str, str]:
    spoken = language if language in _LANGUAGES else "en"
    name = f"{kind}_{spoken}_{PROMPT_VERSION}"
    lines = sentences.lines()
    relations = _ONE_OF[spoken] + ", ".join(schema.relations) if schema.relations else ""
    text = _template(name).substitute(
        fence=fence_name("SENTENCES", [*lines, found]),
        sentences="\n".join(lines),
        found=found,
        title=harmless_line(title or "") or _UNTITLED,
        labels=", ".join(schema.labels or DEFAULT_LABELS),
        relations=relations,
    )
    foreign = language not in (None, *_LANGUAGES)
    return (_OTHER_LANGUAGE if foreign else "") + text.rstrip(), name


@cache
def _template(name: str) -> Template:
    place = resources.files("clew.knowledge.prompts") / f"{name}.txt"
    return Template(place.read_text(encoding="utf-8"))
