"""Which nodes a list shows, and in which order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from clew.core.knowledge import Node, NodeType


class NodeOrder(StrEnum):
    """How nodes are ordered: most mentioned first, or by name; ties by name, then id."""

    MENTIONS = "mentions"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class NodeSelection:
    """Nodes of these kinds and labels (empty: of any), one of whose names holds `search` and one
    begins with `prefix`, whatever their case."""

    search: str = ""
    prefix: str = ""
    kinds: frozenset[NodeType] = frozenset()
    labels: frozenset[str] = frozenset()
    order: NodeOrder = NodeOrder.MENTIONS

    def wants(self, node: Node) -> bool:
        """Return whether a node is wanted."""
        if self.kinds and node.kind not in self.kinds:
            return False
        if self.labels and node.label not in self.labels:
            return False
        if not self.search and not self.prefix:
            return True
        names = [name.casefold() for name in (node.name, *node.aliases)]
        search, prefix = self.search.casefold(), self.prefix.casefold()
        return any(search in name for name in names) and any(
            name.startswith(prefix) for name in names
        )


@dataclass(frozen=True, slots=True)
class ListedNode:
    """A node and the number of chunks that mention it."""

    node: Node
    mentions: int


@dataclass(frozen=True, slots=True)
class NodeList:
    """A page of a list and how many nodes the whole list has."""

    total: int
    nodes: tuple[ListedNode, ...]


def listed(
    nodes: Iterable[ListedNode], wanted: NodeSelection, *, limit: int, offset: int
) -> NodeList:
    """Return the page of a list of all visible nodes."""
    found = [item for item in nodes if wanted.wants(item.node)]
    by_name = wanted.order is NodeOrder.NAME
    found.sort(
        key=lambda item: (
            0 if by_name else -item.mentions,
            item.node.name.casefold(),
            item.node.name,
            item.node.id,
        )
    )
    return NodeList(len(found), tuple(found[offset : offset + limit]))
