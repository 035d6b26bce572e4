"""From a foreign graph to our rows: passages, mentions, edges with evidence, claims, communities.

What a foreign description says was written by a model from all passages of an entity. It is kept as
a claim of the first of them, but only where they all belong to one document: otherwise it would
outlive the removal of one of its sources.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from clew.core.documents import Chunk, Span, Stage
from clew.core.ids import edge_id, node_id, stable_id
from clew.core.knowledge import (
    Claim,
    Community,
    Edge,
    EdgeType,
    Mention,
    Merge,
    NodeType,
    Standing,
    Statement,
)
from clew.core.transfer import ImportFormat
from clew.exchange.filing import Passage, filed
from clew.exchange.foreign import (
    ForeignCommunity,
    ForeignEntity,
    ForeignGraph,
    ForeignRelation,
)
from clew.exchange.places import name_span, relation_between, statement_span
from clew.exchange.reading import ImportedDocument, LeftOut
from clew.text.names import name_key

FindNames = Callable[[Sequence[str]], Mapping[str, tuple[int, ...]]]

DESCRIBED = "described"
"""Status of claims that a model wrote about an entity or a relation."""

_NOWHERE = Span(0, 0)
_FOUND, _TOLD = 1.0, 0.5
_NEUTRAL = 0.5
_KINDS = {
    "event": NodeType.EVENT,
    "concept": NodeType.CONCEPT,
    "category": NodeType.CONCEPT,
    "metric": NodeType.METRIC,
}
_NO_TYPES = frozenset({"", "unknown", "none", "other"})


def confidence_of(weight: float | None) -> float:
    """Return weight / (weight + 1), .5 where there is none.

    Both programs add up what each extraction gave (1, or a strength of 1 to 10), so weights have no
    upper bound: one mention of strength 1 gives .5, one of 9 gives .9, and nothing is certain.
    """
    if weight is None or weight <= 0:
        return _NEUTRAL
    return weight / (weight + 1.0)


class ForeignReader:
    """Implements `Reader` on a foreign graph, which it holds whole.

    `find_names` tells which nodes of the collection a name stands for already.
    """

    def __init__(
        self,
        graph: ForeignGraph,
        *,
        format: ImportFormat,
        find_names: FindNames,
        left_out: LeftOut,
    ) -> None:
        self.format = format
        self.facts: Mapping[str, str] = {}
        self.left_out = left_out
        self._graph = graph
        self._documents, self._passages = filed(graph, left_out)
        self._entities = self._known_entities(find_names)

    def documents(self) -> Iterator[ImportedDocument]:
        """Yield documents with the mentions and claims of their passages."""
        mentions = self._mentions()
        claims = self._claims()
        for document, chunks in self._documents:
            yield ImportedDocument(
                document,
                chunks,
                {chunk.id: Stage.LINKED for chunk in chunks},
                tuple(found for chunk in chunks for found in mentions.get(chunk.id, ())),
                tuple(found for chunk in chunks for found in claims.get(chunk.id, ())),
            )

    def edges(self) -> Iterator[tuple[Edge, tuple[Statement, ...]]]:
        """Yield each edge with all that it rests on; relations that come to one edge are joined."""
        joined: dict[int, tuple[Edge, list[Statement]]] = {}
        for relation in self._graph.relations:
            found = self._edge(relation)
            if found is not None:
                edge, statements = found
                joined.setdefault(edge.id, (edge, []))[1].extend(statements)
        return ((edge, tuple(statements)) for edge, statements in joined.values())

    def merges(self) -> Iterator[Merge]:
        """Yield nothing: the programs keep no log of merges."""
        return iter(())

    def communities(self) -> Sequence[Community]:
        """Return communities whose members are known."""
        by_key = {community.key: community for community in self._graph.communities}
        found: list[Community] = []
        for community in self._graph.communities:
            nodes = {
                self._entities[name_key(name)][0]
                for name in community.members
                if name_key(name) in self._entities
            }
            if not nodes:
                self.left_out.count("communities: no member is a known entity")
                continue
            parent = by_key.get(community.parent or "")
            found.append(
                Community(
                    id=_community_id(self.format, community),
                    level=community.level,
                    path=_path(community, by_key),
                    members=tuple(sorted(nodes)),
                    parent=None if parent is None else _community_id(self.format, parent),
                    summary=community.summary,
                )
            )
        return found

    def _known_entities(self, find_names: FindNames) -> dict[str, tuple[int, list[Passage]]]:
        """Return node and passages of each entity that occurs in a passage, by key of its name."""
        passages: dict[str, list[Passage]] = {}
        for entity in self._graph.entities:
            key = name_key(entity.name)
            if not key:
                self.left_out.count("entities: the name has no letter or digit")
                continue
            held = self._held(entity.units)
            if not held:
                self.left_out.count("entities: they occur in no passage of the export")
                continue
            passages.setdefault(key, []).extend(held)
        known = find_names(sorted(passages))
        return {
            key: (_node(key, known.get(key, ())), list(dict.fromkeys(held)))
            for key, held in passages.items()
        }

    def _held(self, units: Sequence[str]) -> list[Passage]:
        return [self._passages[unit] for unit in dict.fromkeys(units) if unit in self._passages]

    def _mentions(self) -> dict[int, list[Mention]]:
        by_chunk: dict[int, list[Mention]] = defaultdict(list)
        for entity in self._graph.entities:
            key = name_key(entity.name)
            if key in self._entities:
                node = self._entities[key][0]
                for passage in self._held(entity.units):
                    by_chunk[passage.chunk.id].append(_mention(entity, passage.chunk, node))
        return by_chunk

    def _claims(self) -> dict[int, list[Claim]]:
        by_chunk: dict[int, list[Claim]] = defaultdict(list)
        for entity in self._graph.entities:
            for claim in self._descriptions(
                entity.descriptions, entity.units, (entity.name,), "entities"
            ):
                by_chunk[claim.chunk].append(claim)
        for relation in self._graph.relations:
            for claim in self._descriptions(
                relation.descriptions,
                relation.units,
                (relation.source, relation.target),
                "relations",
            ):
                by_chunk[claim.chunk].append(claim)
        for number, told in enumerate(self._graph.claims):
            (passage,) = self._held((told.unit,)) or (None,)
            if passage is None:
                self.left_out.count("claims: they belong to no passage of the export")
                continue
            span = name_span(passage.chunk.text, told.quote)
            by_chunk[passage.chunk.id].append(
                Claim(
                    stable_id("claim", passage.chunk.id, "imported", told.text, number),
                    passage.chunk.id,
                    told.text,
                    span or Span(0, len(passage.chunk.text)),
                    self._nodes(told.subjects),
                    told.period,
                    told.status,
                )
            )
        return by_chunk

    def _descriptions(
        self, descriptions: Sequence[str], units: Sequence[str], names: Sequence[str], table: str
    ) -> Iterator[Claim]:
        passages = self._held(units)
        subjects = self._nodes(names)
        if not descriptions or not subjects:
            return
        if not passages:
            self.left_out.count(
                f"descriptions of {table}: no passage is named that states them", len(descriptions)
            )
            return
        if len({passage.source for passage in passages}) > 1:
            self.left_out.count(
                f"descriptions of {table}: they rest on several documents, and would outlive one",
                len(descriptions),
            )
            return
        chunk = passages[0].chunk
        for text in dict.fromkeys(descriptions):
            yield Claim(
                stable_id("claim", chunk.id, DESCRIBED, text, *subjects),
                chunk.id,
                text,
                Span(0, len(chunk.text)),
                subjects,
                status=DESCRIBED,
                confidence=_TOLD,
            )

    def _nodes(self, names: Sequence[str]) -> tuple[int, ...]:
        keys = (name_key(name) for name in names)
        return tuple(dict.fromkeys(self._entities[key][0] for key in keys if key in self._entities))

    def _edge(self, relation: ForeignRelation) -> tuple[Edge, list[Statement]] | None:
        ends = [self._entities.get(name_key(end)) for end in (relation.source, relation.target)]
        first, second = ends
        if first is None or second is None:
            self.left_out.count("relations: an end is no entity that occurs in a passage")
            return None
        if first[0] == second[0]:
            self.left_out.count("relations: both ends are one thing")
            return None
        name, forward = relation_between(
            relation.descriptions, relation.keywords, relation.source, relation.target
        )
        source, target = (first[0], second[0]) if forward else (second[0], first[0])
        confidence = confidence_of(relation.weight)
        identifier = edge_id(source, target, EdgeType.RELATED_TO, name)
        passages = self._held(relation.units)
        standing = Standing.REPORTED if passages else Standing.INFERRED
        edge = Edge(
            identifier, source, target, EdgeType.RELATED_TO, name, confidence, standing=standing
        )
        statements = [
            Statement(
                identifier,
                passage.origin,
                passage.chunk.id,
                statement_span(passage.chunk.text, relation.source, relation.target),
                confidence,
                standing,
            )
            for passage in passages
        ]
        # Without a passage of its own it goes with the first passage that mentions its source.
        word = Statement(identifier, first[1][0].origin, None, _NOWHERE, confidence, standing)
        return edge, statements or [word]


def _mention(entity: ForeignEntity, chunk: Chunk, node: int) -> Mention:
    span = name_span(chunk.text, entity.name)
    surface = entity.name if span is None else chunk.text[span.start : span.end]
    surface = " ".join(surface.split())
    told = entity.type.strip()
    return Mention(
        chunk=chunk.id,
        node=node,
        surface=surface,
        key=name_key(surface),
        span=span or _NOWHERE,
        kind=_KINDS.get(told.casefold(), NodeType.ENTITY),
        label=None if told.casefold() in _NO_TYPES else told.upper(),
        confidence=_TOLD if span is None else _FOUND,
    )


def _node(key: str, known: tuple[int, ...]) -> int:
    """Return the node that a name stands for; the name's own one wins, so that a second import of
    the same folder comes to the same nodes."""
    own = node_id(key)
    return own if own in known or not known else known[0]


def _community_id(format: ImportFormat, community: ForeignCommunity) -> int:
    return stable_id("community", format, community.level, community.key)


def _path(community: ForeignCommunity, by_key: Mapping[str, ForeignCommunity]) -> str:
    """Return the way from the outermost community, such as level0_3.level1_7."""
    parts = [f"level{community.level}_{community.key}"]
    seen = {community.key}
    above = by_key.get(community.parent or "")
    while above is not None and above.key not in seen:
        seen.add(above.key)
        parts.append(f"level{above.level}_{above.key}")
        above = by_key.get(above.parent or "")
    return ".".join(reversed(parts))
