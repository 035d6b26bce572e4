"""The router of mode `adaptive`: the guide's decision rules and the hybrid guide's tree as one.

Guide, part 2 and 9: a question that one passage answers goes to vector search, one about links
across entities, time or causes to the graph, one that needs both to both. Hybrid guide, "When to
use each RAG type": a tight latency budget goes to flat search; deep relationships to `graph_first`
with more hops; other ones to `balanced`. Where the guides say graph, `hybrid` runs: it finds more
than `kg_only` on every measured set (`docs/benchmarks.md`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from clew.core.query import FusionMode, Query, RetrievalMode
from clew.core.routing import QuestionShape, Routing
from clew.retrieve.question_cues import Reading, read

MULTI_FROM = 0.5
"""Probability from which a question is called one that joins several things."""

SINGLE_BELOW = 0.25
"""Probability below which one passage is trusted to answer; in between both stores are asked."""

DEEP_HOPS = 3
_RULE_CONFIDENCE = 0.9
"""Of a shape that explicit words give; there are no labels to measure it on."""

_UNREAD_CONFIDENCE = 0.5

_LINKS = re.compile(
    r"\bhow\b.{0,80}\b(?:connect|relate|link)\w*|\b(?:connection|relationship|path|link)s? "
    r"(?:between|from)\b|^trace\b|\bled (?:from|to)\b|\binfluence[sd]?\b"
)
_CAUSES = re.compile(
    r"\bwhy\b|\bbecause\b|\bcaus(?:e|es|ed|ing)\b|\bresult(?:s|ed)? (?:in|from)\b|\bdue to\b|"
    r"\bdriven by\b|\beffects? of\b|\bimpact of\b"
)
_OVERVIEW = re.compile(
    r"\b(?:main|key|major|overall|common|central) (?:themes?|topics?|trends?|points?|ideas?)\b|"
    r"\b(?:summari[sz]e|summary of|overview of)\b.{0,40}\b(?:documents?|corpus|collection|data ?set|"
    r"everything|all)\b|\bacross (?:all|the) (?:documents?|corpus|collection)\b|\bwhat are the themes\b"
)
_WHOLE = re.compile(r"\b(?:analy[sz]e|investigate|comprehensive|full picture)\b")

_ENGLISH = re.compile(
    r"\b(?:the|of|is|was|were|are|did|does|what|who|whom|whose|which|when|where|why|how|and|by|with)\b"
)

_PREFERRED = {
    QuestionShape.SINGLE: (RetrievalMode.VECTOR_ONLY, RetrievalMode.KEYWORD),
    QuestionShape.MULTI: (
        RetrievalMode.HYBRID,
        RetrievalMode.KG_ONLY,
        RetrievalMode.VECTOR_ONLY,
        RetrievalMode.KEYWORD,
    ),
    QuestionShape.OVERVIEW: (
        RetrievalMode.GLOBAL,
        RetrievalMode.COMMUNITY,
        RetrievalMode.HYBRID,
        RetrievalMode.VECTOR_ONLY,
        RetrievalMode.KEYWORD,
    ),
}
"""Modes that suit a shape, the best first; a latency budget moves on to the next."""


def route(
    query: Query,
    *,
    available: Collection[RetrievalMode],
    expected_ms: Callable[[RetrievalMode], float],
) -> Routing:
    """Return the mode for a question, with its reason and confidence.

    `available` are the modes that can run, `keyword` among them; `expected_ms` says what each
    costs. The first mode that suits and is expected to keep to the budget is taken.
    """
    wanted = _ideal(query.text)
    modes = [mode for mode in wanted.modes if mode in available]
    budget = query.latency_budget_ms
    fitting = [mode for mode in modes if budget is None or expected_ms(mode) <= budget]
    mode = fitting[0] if fitting else min(modes, key=expected_ms)
    reason = wanted.reason
    if mode is not wanted.modes[0]:
        reason += f"; {_turned_away(wanted.modes, mode, modes, budget)}"
    through_graph = mode is RetrievalMode.HYBRID
    return Routing(
        mode=mode,
        reason=reason,
        confidence=wanted.confidence,
        shape=wanted.shape,
        expected_ms=expected_ms(mode),
        fusion_mode=wanted.fusion_mode if through_graph else None,
        max_hops=wanted.max_hops if through_graph else None,
        latency_budget_ms=budget,
        within_budget=bool(fitting),
    )


def routed(query: Query, routing: Routing) -> Query:
    """Return the query in the mode that was chosen.

    The router's advice replaces only what stands at `Query`'s defaults.
    """
    usual = Query(query.text)
    fusion_mode, hops = query.fusion_mode, query.max_hops
    if query.fusion_alpha is None and fusion_mode is usual.fusion_mode:
        fusion_mode = routing.fusion_mode or fusion_mode
    if hops == usual.max_hops:
        hops = routing.max_hops or hops
    return replace(query, mode=routing.mode, fusion_mode=fusion_mode, max_hops=hops)


class _Wish:
    """What would run without a budget."""

    def __init__(
        self,
        shape: QuestionShape,
        confidence: float,
        reason: str,
        *,
        modes: Sequence[RetrievalMode] = (),
        fusion_mode: FusionMode | None = None,
        max_hops: int | None = None,
    ) -> None:
        self.shape = shape
        self.confidence = confidence
        self.reason = reason
        self.modes = tuple(modes) or _PREFERRED[shape]
        self.fusion_mode = fusion_mode
        self.max_hops = max_hops


def _ideal(question: str) -> _Wish:
    text = question.lower()
    if _OVERVIEW.search(text):
        return _Wish(
            QuestionShape.OVERVIEW, _RULE_CONFIDENCE, "the question asks for a view of the whole"
        )
    if link := _LINKS.search(text):
        return _Wish(
            QuestionShape.MULTI,
            _RULE_CONFIDENCE,
            f"the question asks how things are linked: '{link.group()}'",
            fusion_mode=FusionMode.GRAPH_FIRST,
            max_hops=DEEP_HOPS,
        )
    if cause := _CAUSES.search(text):
        return _Wish(
            QuestionShape.MULTI,
            _RULE_CONFIDENCE,
            f"the question asks for a cause or an effect: '{cause.group().strip()}'",
        )
    if whole := _WHOLE.search(text):
        return _Wish(
            QuestionShape.MULTI,
            _RULE_CONFIDENCE,
            f"the question needs texts and relations: '{whole.group()}'",
        )
    if not _ENGLISH.search(text):
        return _Wish(
            QuestionShape.MULTI,
            _UNREAD_CONFIDENCE,
            "the wording has no English function word, so its cues cannot be read",
        )
    return _by_wording(read(question))


def _by_wording(reading: Reading) -> _Wish:
    cues = ", ".join(reading.cues[:3])
    if reading.multi >= MULTI_FROM:
        return _Wish(
            QuestionShape.MULTI,
            reading.multi,
            f"the wording joins several things: {cues or 'its length'}",
        )
    if reading.multi >= SINGLE_BELOW:
        return _Wish(
            QuestionShape.SINGLE,
            1.0 - reading.multi,
            f"one passage may answer, but the wording leaves it open: {cues or 'its length'}",
            modes=_PREFERRED[QuestionShape.MULTI],
            fusion_mode=FusionMode.VECTOR_FIRST,
        )
    return _Wish(
        QuestionShape.SINGLE, 1.0 - reading.multi, "one passage answers; nothing is to be joined"
    )


def _turned_away(
    wished: Sequence[RetrievalMode],
    mode: RetrievalMode,
    able: Sequence[RetrievalMode],
    budget: int | None,
) -> str:
    """Return why the best mode did not run."""
    first = wished[0].value
    if wished[0] not in able and (not able or mode is able[0]):
        return f"'{first}' is not available here"
    return f"'{mode.value}' because of the latency budget of {budget} ms"
