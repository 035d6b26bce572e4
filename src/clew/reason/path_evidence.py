"""Which sentences state the steps of scored paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from clew.core.arrays import Floats
from clew.core.documents import Span
from clew.core.knowledge import Edge
from clew.core.results import Path, PathStep
from clew.reason.candidates import Sentence
from clew.reason.evidence import Passage
from clew.text.sentences import sentence_spans


def edge_strengths(
    sentences: Sequence[Sentence],
    passages: Sequence[Passage],
    *,
    paths: Sequence[Path],
    edges: Mapping[int, Edge],
) -> Floats:
    """Return by sentence the highest relevance (0..1) of a path with a step that it states."""
    stated: defaultdict[int, list[tuple[Span, float]]] = defaultdict(list)
    for path in paths:
        for step in path.steps:
            for evidence in edges[step.edge].evidence if step.edge in edges else ():
                stated[evidence.chunk].append((evidence.span, path.relevance_score))
    return np.array(
        [
            max(
                (
                    relevance
                    for span, relevance in stated[passages[one.passage].chunk.id]
                    if overlap(span, one.span)
                ),
                default=0.0,
            )
            for one in sentences
        ],
        np.float32,
    )


def stated_edges(
    quoted: Sequence[Sentence], passages: Sequence[Passage], edges: Mapping[int, Edge]
) -> dict[int, int]:
    """Return, by edge that a quoted sentence states, the chunk of the first such sentence."""
    stated: dict[int, int] = {}
    for sentence in quoted:
        chunk = passages[sentence.passage].chunk.id
        for edge in edges.values():
            if any(
                one.chunk == chunk and overlap(one.span, sentence.span) for one in edge.evidence
            ):
                stated.setdefault(edge.id, chunk)
    return stated


def path_places(
    sentences: Sequence[Sentence], passages: Sequence[Passage], path: Path | None
) -> Floats:
    """Return by sentence the first step of `path` that rests on its passage, infinite if none."""
    places: dict[int, float] = {}
    for place, step in enumerate(path.steps if path else ()):
        if step.chunk is not None:
            places.setdefault(step.chunk, float(place))
    return np.array(
        [places.get(passages[one.passage].chunk.id, np.inf) for one in sentences], np.float32
    )


def step_span(step: PathStep, passage: Passage, edges: Mapping[int, Edge]) -> Span:
    """Return the sentence of `passage` that states `step`: where its evidence lies, else where an
    end of it is named, else the first."""
    evidence = edges[step.edge].evidence if step.edge in edges else ()
    marks = [one.span for one in evidence if one.chunk == passage.chunk.id]
    ends = {step.source, step.target}
    marks += [one.span for one in passage.mentions if one.node in ends and one.span.end > 0]
    spans = sentence_spans(passage.chunk.text)
    for mark in marks:
        for span in spans:
            if overlap(mark, span):
                return span
    return spans[0] if spans else Span(0, len(passage.chunk.text))


def overlap(first: Span, second: Span) -> bool:
    """Return whether two spans share a character."""
    return first.start < second.end and second.start < first.end
