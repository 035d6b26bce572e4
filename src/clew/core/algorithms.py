"""What graph algorithms return: ranked nodes, rings and costed paths, all usable as seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

from clew.core.results import Path


@dataclass(frozen=True, slots=True)
class RankedNode:
    """A node with the share of the walk that it holds; `id` may be given as a seed."""

    id: int
    name: str
    label: str | None
    score: float


class RingForm(StrEnum):
    """Why nodes form a ring: something can go round, or nearly everyone is linked to everyone."""

    CYCLE = "cycle"
    DENSE = "dense"


@dataclass(frozen=True, slots=True)
class Ring:
    """A group of nodes that is suspicious by its form.

    `members` of a cycle stand in its direction, those of a dense group by id; `names` stand beside
    them. `edge_ids` are the edges of the cycle, or all within the group. `density` is the share of
    pairs that are linked, `confidence` the mean of the edges'.
    """

    members: tuple[int, ...]
    names: tuple[str, ...]
    form: RingForm
    edge_ids: tuple[int, ...]
    density: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Rings(Sequence[Ring]):
    """Rings, the most suspicious first; `partial` names what a budget cut short."""

    rings: tuple[Ring, ...]
    partial: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Ring: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Ring, ...]: ...
    def __getitem__(self, index: int | slice) -> Ring | tuple[Ring, ...]:
        """Return a ring, or several."""
        return self.rings[index]

    def __len__(self) -> int:
        """Return how many rings there are."""
        return len(self.rings)

    def __iter__(self) -> Iterator[Ring]:
        """Yield the rings in order."""
        return iter(self.rings)


@dataclass(frozen=True, slots=True)
class CostedPath:
    """A path with what it costs; `probability` is the product of its edges' confidences.

    `nodes` are those that it passes, ends included, in order: they may be given as seeds.
    """

    path: Path
    cost: float
    probability: float
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CostedPaths(Sequence[CostedPath]):
    """Paths, the cheapest first; `partial` names what a budget cut short."""

    paths: tuple[CostedPath, ...]
    partial: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> CostedPath: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[CostedPath, ...]: ...
    def __getitem__(self, index: int | slice) -> CostedPath | tuple[CostedPath, ...]:
        """Return a path, or several."""
        return self.paths[index]

    def __len__(self) -> int:
        """Return how many paths there are."""
        return len(self.paths)

    def __iter__(self) -> Iterator[CostedPath]:
        """Yield the paths in order."""
        return iter(self.paths)
