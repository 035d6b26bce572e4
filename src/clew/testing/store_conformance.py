"""The conformance suite of stores: tests that every implementation of `Store` must pass.

In a test module of your own, import everything that `__all__` names and define the fixture
`make_store`, whose value returns a new, empty store at each call:

    from clew.testing.store_conformance import *

    @pytest.fixture
    def make_store(tmp_path):
        numbers = itertools.count()
        return lambda: MyStore(tmp_path / str(next(numbers)))

Write `pytest.register_assert_rewrite("clew.testing")` in your `conftest.py` to see the values in
failures. `clew.testing.store_machine` goes further: it compares a store with the reference under
random operations.
"""

from clew.testing.store_access_conformance import TestPrincipals, shelf
from clew.testing.store_bulk_conformance import TestListing, TestReplacedVectors, TestStatements
from clew.testing.store_chunk_conformance import (
    TestChunks,
    TestDocuments,
    TestStages,
    TestTransactions,
)
from clew.testing.store_community_conformance import TestCommunities, TestRevision
from clew.testing.store_erasure_conformance import TestErase
from clew.testing.store_expand_conformance import TestDegrees, TestEdges, TestExpand
from clew.testing.store_graph_conformance import (
    TestClaimsMergesCommunities,
    TestNames,
    TestNodes,
    TestNodeVectors,
)
from clew.testing.store_history_conformance import TestAsOf, TestVersions
from clew.testing.store_listing_conformance import TestNodeLists
from clew.testing.store_log_conformance import (
    TestCatalogue,
    TestHostileInput,
    TestLargeInput,
    TestLog,
)
from clew.testing.store_merging_conformance import TestMergedNodes, TestUnmergedNodes
from clew.testing.store_retirement_conformance import (
    TestRetire,
    TestSupersession,
    test_dates_come_back_in_utc,
)
from clew.testing.store_scope_conformance import TestScopes, scoped_shelf
from clew.testing.store_search_conformance import (
    TestPhrases,
    TestTermPresence,
    TestTextSearch,
    TestVectorSearch,
)
from clew.testing.store_whole_graph_conformance import TestKnowledgeEdges
from clew.testing.store_wording_conformance import TestWording

__all__ = [
    "TestAsOf",
    "TestCatalogue",
    "TestChunks",
    "TestClaimsMergesCommunities",
    "TestCommunities",
    "TestDegrees",
    "TestDocuments",
    "TestEdges",
    "TestErase",
    "TestExpand",
    "TestHostileInput",
    "TestKnowledgeEdges",
    "TestLargeInput",
    "TestListing",
    "TestLog",
    "TestMergedNodes",
    "TestNames",
    "TestNodeLists",
    "TestNodeVectors",
    "TestNodes",
    "TestPhrases",
    "TestPrincipals",
    "TestReplacedVectors",
    "TestRetire",
    "TestRevision",
    "TestScopes",
    "TestStages",
    "TestStatements",
    "TestSupersession",
    "TestTermPresence",
    "TestTextSearch",
    "TestTransactions",
    "TestUnmergedNodes",
    "TestVectorSearch",
    "TestVersions",
    "TestWording",
    "scoped_shelf",
    "shelf",
    "test_dates_come_back_in_utc",
]
