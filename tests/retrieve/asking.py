"""The question that tests of all modes ask, and the modes that work."""

from __future__ import annotations

import pytest

from clew.core.query import Query, RetrievalMode
from clew.core.results import Retrieval
from clew.testing.store_samples import MAIN

WORKING = [
    RetrievalMode.VECTOR_ONLY,
    RetrievalMode.KEYWORD,
    RetrievalMode.KG_ONLY,
    RetrievalMode.HYBRID,
    RetrievalMode.DUAL,
]
GRAPH = [RetrievalMode.KG_ONLY, RetrievalMode.HYBRID, RetrievalMode.DUAL]
QUESTION = "Who founded the company that built the ship Blue Whale in London?"
ASK = Query(QUESTION, collection=MAIN, top_k=5)

every_mode = pytest.mark.parametrize("mode", WORKING)
graph_modes = pytest.mark.parametrize("mode", GRAPH)


def ids(found: Retrieval) -> list[int]:
    return [result.id for result in found.results]
