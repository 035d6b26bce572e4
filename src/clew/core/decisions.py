"""What people decided about names: which are one thing, and which are not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from clew.core.ids import node_id
from clew.core.merging import MergedNodes


@dataclass(frozen=True, slots=True)
class Same:
    """`node` is read as `into`. The names are those that both had then; `keys` are the normalised
    names that stood for `node` alone, so that what documents call by them later is its own too."""

    node: int
    into: int
    name: str
    into_name: str
    keys: tuple[str, ...]
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class Different:
    """The normalised name `key` does not stand for `node`, nor `other_key` for `other_node`, which
    is the node of `key`."""

    key: str
    node: int
    other_key: str
    other_node: int
    name: str
    other_name: str
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class Decisions:
    """All that was decided in a collection, oldest first; `merged` follows from it: which node is
    read as which in the end. A node is merged at most once."""

    same: tuple[Same, ...] = ()
    different: tuple[Different, ...] = ()
    merged: MergedNodes = field(init=False, repr=False, compare=False)
    _own: Mapping[tuple[str, int], int] = field(init=False, repr=False, compare=False)
    _forbidden: frozenset[tuple[str, int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        roots = _flattened({each.node: each.into for each in self.same})
        own: dict[tuple[str, int], int] = {}
        for each in self.same:
            for key in each.keys:
                own.setdefault((key, roots[each.node]), each.node)
        pairs = ((each.key, each.node) for each in self.different)
        others = ((each.other_key, each.other_node) for each in self.different)
        object.__setattr__(self, "merged", MergedNodes(roots))
        object.__setattr__(self, "_own", own)
        object.__setattr__(self, "_forbidden", frozenset((*pairs, *others)))

    def own_node(self, key: str, node: int) -> int:
        """Return the node that a name stands for by itself, where a merged one is read as `node`.

        Rows are written for it, so that they go along if the merge is undone.
        """
        named = node_id(key)
        if named != node and self.merged.root(named) == node:
            return named
        return self._own.get((key, node), node)

    def forbid(self, key: str, node: int) -> bool:
        """Return whether a person said that a name does not stand for a node."""
        return (key, node) in self._forbidden

    def standing(self, key: str, nodes: Iterable[int]) -> tuple[int, ...]:
        """Return, of the nodes that a name is read as, those it may stand for, by themselves."""
        return tuple(
            dict.fromkeys(self.own_node(key, node) for node in nodes if not self.forbid(key, node))
        )


def _flattened(into: Mapping[int, int]) -> dict[int, int]:
    roots: dict[int, int] = {}
    for node in into:
        root = into[node]
        while root in into:
            root = into[root]
        roots[node] = root
    return roots


NO_DECISIONS = Decisions()
