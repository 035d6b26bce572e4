"""Linguistic annotation of a text, free of any NLP library's types."""

from __future__ import annotations

from dataclasses import dataclass

from clew.core.documents import Span


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its lemma, universal part of speech, dependency label and head (an index into
    the text's tokens; its own index at a root). `tag` is the fine-grained part of speech."""

    text: str
    start: int
    end: int
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int


@dataclass(frozen=True, slots=True)
class NamedSpan:
    """A named entity: half-open token range and the label (PERSON, ORG, GPE, DATE ...)."""

    first: int
    last: int
    label: str


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """A text's tokens, sentences (half-open token ranges), entities and noun phrases."""

    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[Span, ...]
    entities: tuple[NamedSpan, ...]
    noun_phrases: tuple[Span, ...]
