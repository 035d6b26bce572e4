"""Entity resolution: which node each name of a document stands for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Floats, Hits, Matrix
from clew.core.batches import GraphBatch
from clew.core.calibration import PairKind
from clew.core.decisions import NO_DECISIONS, Decisions
from clew.core.documents import Chunk, Document
from clew.core.extraction import Extraction, FoundName
from clew.core.ids import node_id, origin_id
from clew.core.knowledge import NodeType
from clew.core.ports import Embedder, GraphStore
from clew.knowledge.decisions import (
    Names,
    Run,
    learn_names,
    log_spellings,
    resolve_aliases,
    resolve_known,
    resolve_page,
    resolve_short_names,
    short_names,
)
from clew.knowledge.graph_rows import (
    all_names,
    joined_edges,
    node_claims,
    stated_edges,
    text_mentions,
    title_mentions,
)
from clew.knowledge.identity import may_be_same
from clew.knowledge.name_index import CanonicalName, NameIndex
from clew.knowledge.titles import Page, page_of
from clew.text.names import name_key, title_names

_PERSON = "PERSON"
_NEAREST = 3
_MIN_COSINE_KEY = 4


@dataclass(frozen=True, slots=True)
class Resolved:
    """A document's knowledge with nodes for names. `created` are the nodes that are new to the
    collection; `new_keys` are names, aliases among them, that no node had before."""

    batch: GraphBatch
    created: tuple[int, ...]
    new_keys: tuple[str, ...]


class Resolver:
    """Gives every name of a document a node. One object serves one run of ingest.

    In this order: the document's own page; an abbreviation or other name that the text itself
    explains; the short form of a person named in full in the same document; the normalised name;
    and, by calibrated cosine of at least `threshold` to a canonical name, a name that nothing in
    its tokens tells apart. A name that was merged is never a candidate itself, so merges do not
    chain. Whatever is left becomes a node of its own. Equal input in equal order gives equal
    nodes. What a person decided is obeyed: a name is never given a node that `decisions` forbid,
    and a name of a merged node is given that node, which the store reads as its root.
    """

    def __init__(
        self,
        graph_store: GraphStore,
        embedder: Embedder,
        *,
        threshold: float = 0.90,
        decisions: Decisions = NO_DECISIONS,
    ) -> None:
        self._store = graph_store
        self._embedder = embedder
        self._threshold = threshold
        self._decisions = decisions
        self._runs: dict[str, Run] = {}

    def index(self, collection: str) -> NameIndex:
        """Return the canonical names that were created in this run, with their vectors."""
        return self._run(collection).index

    def forget(self, collection: str) -> None:
        """Free what the store holds by now: call it after nodes and their vectors are written.

        Titles stay known to the end of the run.
        """
        run = self._run(collection)
        run.nodes = dict(run.pages)
        run.surfaces.clear()
        run.index.clear()

    def register_titles(self, collection: str, documents: Sequence[Document]) -> None:
        """Learn the titles of documents before any of them is resolved.

        A title that names a thing is that thing's node; pages that share a bare title stay apart.
        """
        run = self._run(collection)
        pages = [page for page in map(page_of, documents) if page is not None and page.named]
        stored = self._store.find_names(collection, [page.key for page in pages])
        for page in pages:
            for name in page.names:
                run.learn(name_key(name), page.node, name)
                known = run.pages.get(name_key(name), ())
                if page.node not in known:
                    run.pages[name_key(name)] = (*known, page.node)
        unknown = {
            page.node: page
            for page in pages
            if page.node not in stored.get(page.key, ()) and page.node not in run.index
        }
        vectors = self._vectors([page.title for page in unknown.values()])
        for page, vector in zip(unknown.values(), vectors, strict=True):
            run.index.add(CanonicalName(page.node, page.title, person=False), vector)

    def resolve(
        self,
        collection: str,
        *,
        document: Document,
        chunks: Sequence[Chunk],
        extractions: Sequence[Extraction],
    ) -> Resolved:
        """Return the knowledge of a document's chunks, `extractions` in their order."""
        run = self._run(collection)
        page = page_of(document)
        listed = [
            all_names(chunk, extraction, page)
            for chunk, extraction in zip(chunks, extractions, strict=True)
        ]
        names = self._gather(collection, chunks, listed, page)
        resolve_page(names, page)
        resolve_aliases(names, run, page)
        shorts = short_names(names, page)
        resolve_known(names, run, except_for=shorts)
        self._resolve_by_cosine(collection, names, run, except_for=shorts)
        resolve_short_names(names, run, page, shorts)
        log_spellings(names, run)
        new_keys = learn_names(names, run, page)
        batch = GraphBatch(
            origin_id(document.source),
            mentions=(
                *(title_mentions(page, chunks) if page is not None else ()),
                *(
                    mention
                    for chunk, found in zip(chunks, listed, strict=True)
                    for mention in text_mentions(chunk, found, names.nodes)
                ),
            ),
            edges=joined_edges(
                edge
                for chunk, extraction in zip(chunks, extractions, strict=True)
                for edge in stated_edges(chunk, extraction.triples, names.nodes)
            ),
            claims=tuple(
                claim
                for chunk, extraction in zip(chunks, extractions, strict=True)
                for claim in node_claims(chunk, extraction.claims, names.nodes)
            ),
            merges=tuple(names.merges),
        )
        return Resolved(batch, tuple(names.created), new_keys)

    def _run(self, collection: str) -> Run:
        return self._runs.setdefault(collection, Run())

    def _gather(
        self,
        collection: str,
        chunks: Sequence[Chunk],
        listed: Sequence[Sequence[FoundName]],
        page: Page | None,
    ) -> Names:
        first: dict[str, tuple[int, FoundName]] = {}
        people: set[str] = set()
        alias_of: dict[str, str] = {}
        for chunk, found in zip(chunks, listed, strict=True):
            for name in found:
                key = name_key(name.surface)
                first.setdefault(key, (chunk.id, name))
                if name.label == _PERSON:
                    people.add(key)
                if name.alias_of is not None and name_key(name.alias_of) not in ("", key):
                    alias_of.setdefault(key, name.alias_of)
        full = {name_key(name) for name in alias_of.values()}
        known = self._store.find_names(collection, sorted({*first, *full}))
        stored = {key: self._decisions.standing(key, nodes) for key, nodes in known.items()}
        if page is not None and people & set(map(name_key, page.names)):
            people.add(page.key)
        bare = self._bare_titles(collection, known)
        return Names(
            first, frozenset(people), alias_of, stored, bare, forbidden=self._decisions.forbid
        )

    def _bare_titles(
        self, collection: str, stored: Mapping[str, tuple[int, ...]]
    ) -> frozenset[tuple[str, int]]:
        """Return (key, node) for stored nodes that a single word names as their bare title."""
        asked = {
            node: key
            for key, nodes in stored.items()
            if " " not in key
            for node in nodes
            if node != node_id(key)
        }
        return frozenset(
            (asked[node.id], self._decisions.own_node(asked[node.id], node.id))
            for node in self._store.nodes(collection, sorted(asked))
            for surface in (node.name, *node.aliases)
            if name_key(title_names(surface)[-1]) == asked[node.id] != name_key(surface)
        )

    def _resolve_by_cosine(
        self, collection: str, names: Names, run: Run, *, except_for: Collection[str]
    ) -> None:
        """Match what is left to canonical names, in order of appearance; else make it a node."""
        left = [key for key in names.first if key not in names.nodes and key not in except_for]
        surfaces = [names.first[key][1].surface for key in left]
        vectors = self._vectors(surfaces)
        known = run.index.scores(vectors)
        stored = self._store.match_names(collection, vectors, least=self._raw_threshold)
        among = vectors @ vectors.T
        made: list[int] = []
        for row, key in enumerate(left):
            name = CanonicalName(node_id(key), surfaces[row], person=key in names.people)
            candidates = [
                *_above(known[row], self._raw_threshold, run.index),
                *self._stored_candidates(collection, name, stored[row]),
                *(
                    (float(among[row, other]), _canonical(names, left[other], surfaces[other]))
                    for other in made
                    if among[row, other] >= self._raw_threshold
                ),
            ]
            allowed = [
                (score, candidate)
                for score, candidate in candidates
                if not names.forbidden(key, candidate.node)
            ]
            best = _best(name, allowed, names.first[key][1].kind)
            if best is not None:
                score, node = best
                calibrated = self._calibrated(score)
                names.decide(key, node, round(calibrated, 4), "cosine")
                continue
            names.create(key)
            made.append(row)
        for row in made:
            key = left[row]
            run.index.add(_canonical(names, key, surfaces[row]), vectors[row])

    @property
    def _raw_threshold(self) -> float:
        return self._embedder.calibration.raw(self._threshold, PairKind.NAME_NAME)

    def _calibrated(self, cosine: float) -> float:
        cosines = np.array([cosine], np.float32)
        return float(self._embedder.calibration.apply(cosines, PairKind.NAME_NAME)[0])

    def _stored_candidates(
        self, collection: str, name: CanonicalName, hits: Hits
    ) -> list[tuple[float, CanonicalName]]:
        near = {
            node: score
            for node, score in zip(
                hits.ids[:_NEAREST].tolist(), hits.scores[:_NEAREST].tolist(), strict=True
            )
            if node != name.node
        }
        if not near:
            return []
        return [
            (
                near[node.id],
                CanonicalName(
                    node.id,
                    canonical_surface(node.id, node.name, node.aliases),
                    person=node.label == _PERSON,
                ),
            )
            for node in self._store.nodes(collection, list(near))
        ]

    def _vectors(self, surfaces: Sequence[str]) -> Matrix:
        if not surfaces:
            return np.empty((0, self._embedder.dimensions), np.float32)
        return self._embedder.embed_questions(surfaces)


def canonical_surface(node: int, name: str, aliases: Sequence[str]) -> str:
    """Return the surface whose key gave the node its id, the node's name where none did."""
    surfaces = (name, *aliases)
    return next((each for each in surfaces if node_id(name_key(each)) == node), name)


def _canonical(names: Names, key: str, surface: str) -> CanonicalName:
    return CanonicalName(node_id(key), surface, person=key in names.people)


def _above(scores: Floats, threshold: float, index: NameIndex) -> list[tuple[float, CanonicalName]]:
    return [
        (float(scores[row]), index.name(int(row))) for row in np.flatnonzero(scores >= threshold)
    ]


def _best(
    name: CanonicalName, candidates: Sequence[tuple[float, CanonicalName]], kind: NodeType
) -> tuple[float, int] | None:
    """Return the surest candidate that may be the same, ties by node."""
    if len(name_key(name.surface)) < _MIN_COSINE_KEY and kind is not NodeType.CONCEPT:
        return None
    able = [
        (score, candidate.node)
        for score, candidate in candidates
        if may_be_same(name.surface, candidate.surface, person=name.person or candidate.person)
    ]
    return min(able, key=lambda pair: (-pair[0], pair[1])) if able else None
