"""The best path in words, one step a line, each with the passage that states it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from clew.core.knowledge import EdgeType
from clew.core.results import Path, PathStep
from clew.reason.display import display_text


def good_paths(paths: Sequence[Path], *, least_relevance: float, limit: int) -> tuple[Path, ...]:
    """Return the most relevant paths, at most `limit`, that reach `least_relevance` (0..1).

    A path of IS_A edges alone is a definition: it joins nothing that a question asks about.
    """
    good = [
        path
        for path in paths
        if path.relevance_score >= least_relevance
        and any(step.kind is not EdgeType.IS_A for step in path.steps)
    ]
    return tuple(sorted(good, key=lambda path: -path.relevance_score)[:limit])


def best_path(paths: Sequence[Path], stated: Mapping[int, int]) -> Path | None:
    """Return the path of which the quoted sentences state most steps, resting on them.

    `stated` gives by edge the chunk whose quoted sentence states it; such a step rests on that
    chunk then. Ties go to the earlier path; None if no path is stated by half at least: then it is
    not what carries the answer.
    """
    counts = [sum(step.edge in stated for step in path.steps) for path in paths]
    told = [
        count if 2 * count >= len(path.steps) else 0
        for count, path in zip(counts, paths, strict=True)
    ]
    best = max(told, default=0)
    if best == 0:
        return None
    path = paths[told.index(best)]
    steps = (replace(step, chunk=stated.get(step.edge, step.chunk)) for step in path.steps)
    return replace(path, steps=tuple(steps))


def path_lines(
    path: Path, markers: Mapping[int, int], *, negated: Collection[int] = ()
) -> tuple[str, ...]:
    """Return each step as `Acme —FOUNDED_BY→ Jane Roe [2]`, against the edge as `←FOUNDED_BY—`.

    Edges in `negated` say that something is not so, and are written with a "not", if their
    relation has none.
    """
    return tuple(_line(step, markers, negated=step.edge in negated) for step in path.steps)


def _line(step: PathStep, markers: Mapping[int, int], *, negated: bool) -> str:
    relation = display_text(step.relation or str(step.kind))
    if negated and not relation.casefold().startswith("not"):
        relation = f"not {relation}"
    arrow = f"—{relation}→" if step.forward else f"←{relation}—"
    words = f"{display_text(step.source_name)} {arrow} {display_text(step.target_name)}"
    marker = markers.get(step.chunk) if step.chunk is not None else None
    return words if marker is None else f"{words} [{marker}]"
