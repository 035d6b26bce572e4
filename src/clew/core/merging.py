"""Nodes that a person declared one: which node each of them is read as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from clew.core.errors import StoreError
from clew.core.ids import format_id
from clew.core.knowledge import Claim, Edge, Mention, Merge


@dataclass(frozen=True, slots=True)
class MergedNodes:
    """`roots` maps each merged node to the node that it is read as; roots are not merged.

    Raises:
        StoreError: a root is itself merged.
    """

    roots: Mapping[int, int]

    def __post_init__(self) -> None:
        for node, root in self.roots.items():
            if root in self.roots:
                raise StoreError(
                    f"node {format_id(node)} cannot be merged into {format_id(root)}, which is "
                    "merged itself; name the node that all of them are read as"
                )

    def __bool__(self) -> bool:
        return bool(self.roots)

    def root(self, node: int) -> int:
        """Return the node that `node` is read as."""
        return self.roots.get(node, node)

    def group(self, root: int) -> frozenset[int]:
        """Return a root and the nodes that are read as it."""
        return frozenset((root, *(node for node, into in self.roots.items() if into == root)))

    def members(self, roots: Iterable[int]) -> set[int]:
        """Return the nodes that are read as one of `roots`, these included."""
        wanted = set(roots)
        return wanted | {node for node, root in self.roots.items() if root in wanted}

    def involved(self) -> set[int]:
        """Return merged nodes and their roots."""
        return {*self.roots, *self.roots.values()}

    def ends(self, source: int, target: int) -> tuple[int, int]:
        """Return the ends that an edge is read with.

        An edge between two nodes that are one keeps its ends, and is hidden, since one of them is
        not live.
        """
        read = self.root(source), self.root(target)
        return (source, target) if read[0] == read[1] and source != target else read

    def edge(self, edge: Edge) -> Edge:
        """Return an edge as it is read."""
        source, target = self.ends(edge.source, edge.target)
        if (source, target) == (edge.source, edge.target):
            return edge
        return replace(edge, source=source, target=target)

    def mention(self, mention: Mention) -> Mention:
        """Return a mention as it is read."""
        root = self.root(mention.node)
        return mention if root == mention.node else replace(mention, node=root)

    def claim(self, claim: Claim) -> Claim:
        """Return a claim as it is read."""
        subjects = tuple(dict.fromkeys(map(self.root, claim.subjects)))
        return claim if subjects == claim.subjects else replace(claim, subjects=subjects)

    def merge(self, merge: Merge) -> Merge:
        """Return an entry of the merge log as it is read."""
        root = self.root(merge.node)
        return merge if root == merge.node else replace(merge, node=root)

    def changed_groups(self, other: MergedNodes) -> set[int]:
        """Return the nodes whose group is another one in `other`."""
        return {
            node
            for node in self.involved() | other.involved()
            if self.group(self.root(node)) != other.group(other.root(node))
            or self.root(node) != other.root(node)
        }


NOTHING_MERGED = MergedNodes({})
