"""A dependency tree with the look-ups that rules need, all computed once in linear time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clew.core.annotation import AnnotatedText, NamedSpan, Token
from clew.core.documents import Span


@dataclass(frozen=True, slots=True)
class Tree:
    """Token indexes throughout: `children[i]` in text order; the subtree of `i` lies within
    `left[i] <= j < right[i]`; `sentence[i]` indexes the annotation's sentences; `entities[i]` is
    the named span that covers token `i`."""

    annotated: AnnotatedText
    children: tuple[tuple[int, ...], ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    depth: tuple[int, ...]
    sentence: tuple[int, ...]
    entities: dict[int, NamedSpan]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Return the tokens of the text."""
        return self.annotated.tokens

    def child(self, token: int, *labels: str) -> int | None:
        """Return the first child with one of the dependency labels."""
        return next(self.select(token, *labels), None)

    def select(self, token: int, *labels: str) -> Iterator[int]:
        """Yield the children with one of the dependency labels, in text order."""
        tokens = self.annotated.tokens
        return (child for child in self.children[token] if tokens[child].dep in labels)

    def surface(self, first: int, last: int) -> str:
        """Return the text of the half-open token range."""
        tokens = self.annotated.tokens
        return self.annotated.text[tokens[first].start : tokens[last - 1].end]

    def span(self, first: int, last: int) -> Span:
        """Return the characters of the half-open token range."""
        tokens = self.annotated.tokens
        return Span(tokens[first].start, tokens[last - 1].end)


def build_tree(annotated: AnnotatedText) -> Tree:
    """Return the tree of an annotation."""
    tokens = annotated.tokens
    children: list[list[int]] = [[] for _ in tokens]
    for index, token in enumerate(tokens):
        if token.head != index:
            children[token.head].append(index)
    depth = _depths(tokens)
    left = list(range(len(tokens)))
    right = list(range(1, len(tokens) + 1))
    for index in sorted(range(len(tokens)), key=depth.__getitem__, reverse=True):
        head = tokens[index].head
        left[head] = min(left[head], left[index])
        right[head] = max(right[head], right[index])
    sentence = [0] * len(tokens)
    for number, span in enumerate(annotated.sentences):
        sentence[span.start : span.end] = [number] * (span.end - span.start)
    return Tree(
        annotated,
        tuple(map(tuple, children)),
        tuple(left),
        tuple(right),
        tuple(depth),
        tuple(sentence),
        {index: named for named in annotated.entities for index in range(named.first, named.last)},
    )


def _depths(tokens: tuple[Token, ...]) -> list[int]:
    depths = [-1] * len(tokens)
    for start in range(len(tokens)):
        walked: list[int] = []
        index = start
        while depths[index] < 0 and tokens[index].head != index:
            walked.append(index)
            depths[index] = 0
            index = tokens[index].head
        depths[index] = max(depths[index], 0)
        for steps, passed in enumerate(reversed(walked), start=1):
            depths[passed] = depths[index] + steps
    return depths
