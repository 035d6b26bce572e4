"""The path that an answer is told along, and the sentences that state its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from clew.core.arrays import Floats
from clew.core.documents import Span
from clew.core.knowledge import Edge
from clew.core.results import Path
from clew.reason.candidates import Sentence
from clew.reason.evidence import Passage
from clew.reason.path_evidence import overlap
from clew.text.tokens import terms

_SURE_TERMS = 4
_SURE_RELEVANCE = 0.75


def leading_path(paths: Sequence[Path], question: str) -> Path | None:
    """Return the path that the answer is told along, None if no path is sure enough.

    First a path whose two ends are both named in the question; else the best path that holds at
    least four of the question's terms, three quarters of one a node.
    """
    for path in paths:
        if joins_what_is_named(path, question):
            return path
    sure = [
        path
        for path in paths
        if len(path.matching_terms) >= _SURE_TERMS and path.relevance_score >= _SURE_RELEVANCE
    ]
    return max(sure, key=lambda path: (path.score, path.relevance_score), default=None)


def joins_what_is_named(path: Path, question: str) -> bool:
    """Return whether both ends of the path are named in the question."""
    asked = frozenset(terms(question))
    ends = (terms(path.steps[0].source_name), terms(path.steps[-1].target_name))
    return all(words and asked.issuperset(words) for words in ends)


def evidence_spans(path: Path, edges: Mapping[int, Edge]) -> dict[int, list[Span]]:
    """Return by chunk the spans that state the path's steps."""
    spans: dict[int, list[Span]] = {}
    for step in path.steps:
        for evidence in edges[step.edge].evidence if step.edge in edges else ():
            spans.setdefault(evidence.chunk, []).append(evidence.span)
    return spans


def stating_rows(
    path: Path,
    sentences: Sequence[Sentence],
    passages: Sequence[Passage],
    *,
    edges: Mapping[int, Edge],
    scores: Floats,
) -> list[int]:
    """Return, step by step, the best sentence that states the step; steps without one are left."""
    chosen: list[int] = []
    for step in path.steps:
        evidence = edges[step.edge].evidence if step.edge in edges else ()
        stating = [
            row
            for row, sentence in enumerate(sentences)
            if any(
                one.chunk == passages[sentence.passage].chunk.id
                and overlap(one.span, sentence.span)
                for one in evidence
            )
        ]
        if stating:
            chosen.append(stating[int(np.argmax(scores[stating]))])
    return list(dict.fromkeys(chosen))
