"""The graph store's answer to a question: its context, and passages by a walk over structure alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Hits, empty_hits
from clew.core.results import Path
from clew.retrieve.graph_stages import GraphContext, build_context
from clew.retrieve.named_nodes import find_named_nodes
from clew.retrieve.parts import Parts
from clew.retrieve.question import Question
from clew.retrieve.restart import restart_at
from clew.retrieve.stopwatch import Stopwatch
from clew.retrieve.walk import WalkResult, walk


@dataclass(frozen=True, slots=True)
class GraphSearch:
    """Seeds, expansion and paths, and the passages that the walk from them leads to."""

    context: GraphContext
    walked: WalkResult

    @property
    def partial(self) -> tuple[str, ...]:
        """Return what a budget cut short."""
        return (*self.context.partial, *self.walked.partial)


def search_graph(question: Question, *, parts: Parts, watch: Stopwatch) -> GraphSearch:
    """Return what the graph knows of a question; passages' texts and vectors play no part."""
    named = find_named_nodes(question.query, graph=parts.graph)
    context = build_context(question, named, empty_hits(), parts=parts, watch=watch)
    walked = walk(
        question,
        restart_at(empty_hits(), named, context.seeds.fused, context.paths),
        None,
        chunks=parts.chunks,
        graph=parts.graph,
        settings=parts.walk,
    )
    watch.lap("walk")
    return GraphSearch(context, walked)


def project_to_chunks(walked: Hits, paths: Sequence[Path]) -> tuple[Hits, dict[int, Path]]:
    """Return the evidence chunks of what the graph found, best first, and the best path of each.

    Nodes are projected by the walk, which ends in the chunks that mention them. The chunks that
    state a path's edges count as if the walk had reached them last, so that none is lost.
    """
    path_of: dict[int, Path] = {}
    for path in paths:
        for step in path.steps:
            if step.chunk is not None:
                path_of.setdefault(step.chunk, path)
    stating = np.fromiter(path_of, np.int64, len(path_of))
    fresh = stating[~np.isin(stating, walked.ids)]
    floor = float(walked.scores[-1]) if len(walked.ids) else 1.0
    falling = floor / np.arange(2, len(fresh) + 2)
    return (
        Hits(
            np.concatenate([walked.ids, fresh]),
            np.concatenate([walked.scores, falling.astype(np.float32)]),
        ),
        path_of,
    )
