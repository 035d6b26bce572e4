"""Which sentences lead to one another by a thing that both speak of and the question does not name."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from clew.core.arrays import Floats
from clew.core.documents import Span
from clew.core.knowledge import Mention, MentionRole
from clew.reason.candidates import Sentence
from clew.reason.evidence import Passage, opening_nodes
from clew.text.tokens import terms

_TO_ITS_PAGE = 1.0
_TO_ITS_SUBJECT = 0.8
_SHARED = 0.4


def bridge_strengths(
    sentences: Sequence[Sentence], passages: Sequence[Passage], *, question: str
) -> Floats:
    """Return how strongly each two sentences of different documents are joined, symmetric, 0..1.

    1 where one names the thing whose page the other stands on, 0.8 where both name one thing and
    either opens with it, 0.4 where both name it elsewhere, else 0. Things that the question names itself join nothing: every candidate speaks of them.
    """
    asked = frozenset(terms(question))
    named = [_named(passages[one.passage], one.span, asked) for one in sentences]
    opening = [
        _opening(passages[one.passage], one.span, those)
        for one, those in zip(sentences, named, strict=True)
    ]
    pages = [_page(passages[one.passage], asked) for one in sentences]
    strengths = np.zeros((len(sentences), len(sentences)), np.float32)
    for row, first in enumerate(sentences):
        for column in range(row + 1, len(sentences)):
            second = sentences[column]
            if _document(first, passages) == _document(second, passages):
                continue
            if named[row] & pages[column] or pages[row] & named[column]:
                strengths[row, column] = strengths[column, row] = _TO_ITS_PAGE
            elif opening[row] & named[column] or named[row] & opening[column]:
                strengths[row, column] = strengths[column, row] = _TO_ITS_SUBJECT
            elif named[row] & named[column]:
                strengths[row, column] = strengths[column, row] = _SHARED
    return strengths


def _named(passage: Passage, span: Span, asked: Set[str]) -> frozenset[int]:
    """Return the nodes that the words of `span` name."""
    return frozenset(
        mention.node
        for mention in passage.mentions
        if mention.role is not MentionRole.TITLE
        and mention.span.start < span.end
        and mention.span.end > span.start
        and _is_new(mention, asked)
    )


def _opening(passage: Passage, span: Span, named: Set[int]) -> frozenset[int]:
    """Return the nodes of `named` that the sentence opens with."""
    return opening_nodes(passage, span) & named


def _page(passage: Passage, asked: Set[str]) -> frozenset[int]:
    """Return the nodes whose own page the passage belongs to."""
    return frozenset(
        mention.node
        for mention in passage.mentions
        if mention.role is MentionRole.TITLE and _is_new(mention, asked)
    )


def _is_new(mention: Mention, asked: Set[str]) -> bool:
    return not asked >= set(terms(mention.surface))


def _document(sentence: Sentence, passages: Sequence[Passage]) -> int:
    return passages[sentence.passage].document.id
