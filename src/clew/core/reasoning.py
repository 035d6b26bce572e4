"""Types of stepwise reasoning over the graph (guide, part 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from clew.core.results import Path


class ReasoningParadigm(StrEnum):
    """Chain, tree and graph of thought."""

    COT = "chain_of_thought"
    TOT = "tree_of_thought"
    GOT = "graph_of_thought"


@dataclass(frozen=True, slots=True)
class Thought:
    """One step: what was asked, what was found, and the evidence chunks."""

    question: str
    finding: str
    chunks: tuple[int, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class ReasoningTrace:
    """The steps of a reasoner, in order, and the paths that carry its conclusion."""

    paradigm: ReasoningParadigm
    thoughts: tuple[Thought, ...]
    paths: tuple[Path, ...]
