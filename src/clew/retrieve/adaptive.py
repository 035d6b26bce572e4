"""Mode `adaptive`: the router chooses a mode, that mode runs, and the answer says which and why."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from time import perf_counter

from clew.core.ports import GraphStore
from clew.core.query import Query, RetrievalMode
from clew.core.results import Retrieval
from clew.core.routing import QuestionShape
from clew.retrieve.mode_costs import ModeCosts
from clew.retrieve.routing import route, routed

_OF_COMMUNITIES = frozenset({RetrievalMode.COMMUNITY, RetrievalMode.GLOBAL})


class AdaptiveMode:
    """Routes, runs and learns what each mode costs here."""

    def __init__(
        self,
        *,
        graph: GraphStore,
        modes: Collection[RetrievalMode],
        costs: ModeCosts | None = None,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._graph = graph
        self._modes = frozenset(modes)
        self._costs = costs or ModeCosts()
        self._clock = clock

    def retrieve(self, query: Query, run: Callable[[Query], Retrieval]) -> Retrieval:
        """Return the evidence that the chosen mode finds, with the routing.

        The retrieval's query is the one that ran, in the mode that was chosen.
        """
        routing = route(query, available=self._modes, expected_ms=self._costs.expected)
        if routing.shape is QuestionShape.OVERVIEW and not self._has_communities(query):
            routing = route(
                query,
                available=self._modes - _OF_COMMUNITIES,
                expected_ms=self._costs.expected,
            )
        start = self._clock()
        found = run(routed(query, routing))
        self._costs.observe(routing.mode, (self._clock() - start) * 1000.0)
        return replace(found, routing=routing)

    def _has_communities(self, query: Query) -> bool:
        """Return whether communities were built: a mode that needs them finds nothing without.

        There are none of a former state of the collection.
        """
        return bool(
            self._modes & _OF_COMMUNITIES
            and query.known_as_of is None
            and self._graph.communities(query.collection, level=0, principal=query.principal)
        )
