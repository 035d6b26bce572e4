"""Random rows for the comparison of stores, from pools small enough to meet again and again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from hypothesis import strategies as st

from clew.core.documents import Chunk
from clew.core.knowledge import (
    NO_PERIOD,
    Edge,
    EdgeType,
    Mention,
    MentionRole,
    NodeType,
    Period,
    Standing,
)
from clew.testing.store_samples import NEW_YEAR, edge, filed, mention

MentionDraft: TypeAlias = "tuple[str, str, int, NodeType, str | None, float, MentionRole, int]"
"""Surface, node, start, kind, label, confidence, role, and the place of its chunk."""

EdgeDraft: TypeAlias = (
    "tuple[str, str, EdgeType, float, Standing, Period, datetime | None, list[int]]"
)
"""Ends, kind, confidence, standing, period, time of record, and the places of its chunks."""

COLLECTIONS = ("first", "second")
SOURCES = ("a.md", "b/ç'; --")
NAMES = ("Ada", "Bob", "Cy", "Dee", "Eve")
SURFACES = ("Ada", "ADA", "Bob", "the Bob", "Cy Inc.", "\U0001f469\u200d\U0001f680 Dee", "Eve\x00")
WORDS = ("ocean", "Tide", "the", "who", "river's", "São", "New", "York", "x\x00y", "1984", "\u05d0")
_YEAR = timedelta(days=365)
_PERIODS = (
    NO_PERIOD,
    Period(occurred_at=NEW_YEAR),
    Period(valid_from=NEW_YEAR - _YEAR, valid_to=NEW_YEAR + _YEAR),
    Period(valid_from=NEW_YEAR + _YEAR),
)

collection_names = st.sampled_from((*COLLECTIONS[:1] * 4, *COLLECTIONS))
source_names = st.sampled_from(SOURCES)
texts_of_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
chunk_places = st.integers(0, 7)
_confidences = st.sampled_from((0.25, 0.5, 0.7, 1.0))
bare_documents = st.builds(
    filed,
    source_names,
    title=texts_of_words | st.just(""),
    language=st.sampled_from((None, "en", "pt")),
    published_at=st.sampled_from((None, NEW_YEAR, NEW_YEAR + _YEAR)),
    metadata=st.fixed_dictionaries(
        {}, optional={"n": st.sampled_from((1, 2.5, "x", None, True)), "tags": st.just(["x"])}
    ),
    acl=st.sampled_from(((), ("staff",), ("staff", "guest"))),
)
mention_drafts = st.tuples(
    st.sampled_from(SURFACES),
    st.sampled_from(NAMES),
    st.sampled_from((0, 0, 5)),
    st.sampled_from((NodeType.ENTITY, NodeType.CONCEPT)),
    st.sampled_from((None, "Person", "City")),
    _confidences,
    st.sampled_from(MentionRole),
    chunk_places,
)
edge_drafts = st.tuples(
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.sampled_from((EdgeType.CAUSES, EdgeType.RELATED_TO)),
    _confidences,
    st.sampled_from(Standing),
    st.sampled_from(_PERIODS),
    st.sampled_from((None, NEW_YEAR, NEW_YEAR + _YEAR)),
    st.lists(chunk_places, max_size=2),
)


def drafted_mention(row: MentionDraft, chunk: Chunk) -> Mention:
    """Return the mention that a draft makes in a chunk."""
    surface, node, start, kind, label, confidence, role, _ = row
    return mention(
        chunk,
        surface,
        node=node,
        start=start,
        kind=kind,
        label=label,
        confidence=confidence,
        role=role,
    )


def drafted_edge(
    row: EdgeDraft,
    chunks: Sequence[Chunk],
) -> Edge:
    """Return the edge that a draft makes with evidence in chunks."""
    source, target, kind, confidence, standing, period, recorded_at, _ = row
    return edge(
        source,
        target,
        *chunks,
        kind=kind,
        confidence=confidence,
        standing=standing,
        period=period,
        recorded_at=recorded_at,
    )
