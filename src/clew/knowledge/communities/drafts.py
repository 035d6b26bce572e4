"""What may be told of each community to the groups of an acl: members, title and sentences.

Built from the leaves up: the deepest communities are summarised from passages, the others from
the sentences chosen for their parts (paper, section 3.2, bottom-up summarisation).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Ids
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import Principal
from clew.knowledge.communities.candidates import read_sentences
from clew.knowledge.communities.collection_graph import CollectionGraph
from clew.knowledge.communities.groups import Group
from clew.knowledge.communities.sentences import Chosen, choose_sentences

_CHUNKS_READ = 200
_TITLE_NAMES = 3
_TITLE_POOL = 12


@dataclass(frozen=True, slots=True)
class Draft:
    """The chosen sentences in reading order, and the members' names as they were read."""

    chosen: tuple[Chosen, ...]
    names: Mapping[int, Counter[str]]


@dataclass(frozen=True, slots=True)
class Audience:
    """Who reads: an acl, the numbers of the acls whose documents all of its groups may see, and
    the nodes that they may see."""

    acl: frozenset[str]
    readable: frozenset[int]
    nodes: NDArray[np.bool_]


@dataclass(slots=True)
class Drafts:
    """Writes drafts, each once."""

    collection: str
    content: CollectionGraph
    groups: list[Group]
    graph_store: GraphStore
    chunk_store: ChunkStore
    _written: dict[tuple[int, frozenset[int]], Draft] = field(
        default_factory=dict[tuple[int, frozenset[int]], Draft]
    )
    _audiences: dict[int, Audience] = field(default_factory=dict[int, Audience])

    def audience(self, acl: int) -> Audience:
        """Return who reads what is written for the acl of that number."""
        if acl not in self._audiences:
            groups = self.content.acls[acl]
            readable = frozenset(
                number
                for number, other in enumerate(self.content.acls)
                if not other or (groups and groups <= other)
            )
            nodes = np.ones(len(self.content.nodes), np.bool_)
            if len(readable) < len(self.content.acls):
                for group in [frozenset({one}) for one in sorted(groups)] or [groups]:
                    seen = self.graph_store.nodes(
                        self.collection, self.content.nodes.tolist(), principal=Principal(group)
                    )
                    nodes &= np.isin(self.content.nodes, [node.id for node in seen])
            self._audiences[acl] = Audience(groups, readable, nodes)
        return self._audiences[acl]

    def chunks(self, group: Group, audience: Audience) -> Ids:
        """Return the rows of the chunks of a group that its audience may see."""
        return group.chunks[np.isin(self.content.acl[group.chunks], sorted(audience.readable))]

    def weights(self, group: Group, audience: Audience) -> dict[int, float]:
        """Return by node, heaviest first, what each visible member weighs, the heaviest 1.

        A chunk adds log2(1 + members that it names) to each of them: what stands with many others
        of its community, in many passages, is central.
        """
        content = self.content
        chunk, node = content.naming.chunk[group.naming], content.naming.node[group.naming]
        kept = audience.nodes[node] & np.isin(content.acl[chunk], sorted(audience.readable))
        _, place, company = np.unique(chunk[kept], return_inverse=True, return_counts=True)
        rows, owner = np.unique(node[kept], return_inverse=True)
        total = np.bincount(owner, np.log2(1.0 + company[place]), minlength=len(rows))
        order = np.lexsort((content.nodes[rows], -total))
        most = float(total.max(initial=0.0)) or 1.0
        return {int(content.nodes[rows[row]]): float(total[row]) / most for row in order.tolist()}

    def draft(self, place: int, audience: Audience) -> Draft:
        """Return the draft of a group for an audience."""
        group = self.groups[place]
        held = frozenset(np.unique(self.content.acl[group.chunks]).tolist())
        key = (place, held & audience.readable)
        if key not in self._written:
            weights = self.weights(group, audience)
            self._written[key] = (
                self._joined(group, audience, weights)
                if group.children
                else self._read(group, audience, weights)
            )
        return self._written[key]

    def _joined(self, group: Group, audience: Audience, weights: Mapping[int, float]) -> Draft:
        parts = [self.draft(child, audience) for child in group.children]
        names: dict[int, Counter[str]] = {}
        for part in parts:
            names |= part.names
        if len(parts) == 1:
            return Draft(parts[0].chosen, names)
        pool = [one.candidate for part in parts for one in part.chosen]
        return Draft(tuple(choose_sentences(pool, weights)), names)

    def _read(self, group: Group, audience: Audience, weights: Mapping[int, float]) -> Draft:
        rows = self._richest(group, audience, weights)
        told = read_sentences(
            self.collection,
            self.content.chunks[rows].tolist(),
            members=frozenset(weights),
            edges=self.content.relations.edge[group.relations].tolist(),
            languages=[self.content.languages[row] for row in self.content.language[rows]],
            graph_store=self.graph_store,
            chunk_store=self.chunk_store,
        )
        return Draft(tuple(choose_sentences(told.sentences, weights)), told.names)

    def _richest(self, group: Group, audience: Audience, weights: Mapping[int, float]) -> Ids:
        """Return the chunks that name most weight of members, in the order of sources."""
        rows = self.chunks(group, audience)
        if len(rows) <= _CHUNKS_READ:
            return rows
        naming = self.content.naming
        chunk, node = naming.chunk[group.naming], naming.node[group.naming]
        weight = [weights.get(int(one), 0.0) for one in self.content.nodes[node]]
        held, place = np.unique(chunk, return_inverse=True)
        total = np.bincount(place, weight, minlength=len(held))[np.searchsorted(held, rows)]
        return np.sort(rows[np.argsort(-total, kind="stable")[:_CHUNKS_READ]])


def title_of(members: Iterable[int], names: Mapping[int, Counter[str]]) -> str:
    """Return the names of the first three members, each as it is written most.

    Among the first twelve that have a name, proper names come before common nouns.
    """
    surfaces = [
        " ".join(min(names[member].items(), key=lambda item: (-item[1], item[0]))[0].split())
        for member in members
        if names.get(member)
    ][:_TITLE_POOL]
    return ", ".join(sorted(surfaces, key=str.islower)[:_TITLE_NAMES])


def sentence_texts(chosen: Iterable[Chosen]) -> str:
    """Return the summary: the sentences with a blank between them."""
    return " ".join(one.candidate.text for one in chosen)
