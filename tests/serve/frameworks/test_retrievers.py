"""The retrievers for LangChain and LlamaIndex, each in the real framework over a real collection."""

import asyncio
import json

import pytest
from langchain_core.runnables import RunnableLambda
from llama_index.core.schema import MetadataMode, QueryBundle

from clew import Clew
from clew.core.errors import QueryError
from clew.core.query import Principal
from clew.serve.frameworks.langchain import ClewRetriever as LangChainRetriever
from clew.serve.frameworks.llama_index import ClewRetriever as LlamaIndexRetriever

FERRY = "The ferry Alba sails from Port Selwyn to Santa Ines every morning."
BRIDGE = "The bridge at Port Selwyn was designed by Ines Corrado."
SECRET = "The ferry Alba carries the bank's silver on Fridays."
QUESTION = "Where does the ferry Alba sail?"
STAFF = frozenset({"staff"})


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    with Clew.open(tmp_path_factory.mktemp("frameworks") / "kb.clew") as base:
        base.add(
            {"title": "Alba", "text": FERRY, "source": "alba.txt", "metadata": {"fleet": "north"}},
            {"title": "The bridge", "text": BRIDGE, "source": "bridge.txt"},
            {"title": "Silver", "text": SECRET, "source": "silver.txt", "acl": ["staff"]},
        )
        yield base


def test_langchain_gives_the_passages_of_a_search_in_their_order(base):
    found = LangChainRetriever(base=base, mode="keyword").invoke(QUESTION)
    searched = base.search(QUESTION, mode="keyword").results
    assert [document.page_content for document in found] == [one.content for one in searched]
    first = found[0]
    assert first.page_content == FERRY
    assert first.metadata["source"] == "alba.txt"
    assert first.metadata["title"] == "Alba"
    assert first.metadata["document"] == {"fleet": "north"}
    assert first.metadata["rank"] == 1
    assert first.metadata["mode"] == "keyword"
    assert first.id == first.metadata["chunk_id"]
    json.dumps(first.metadata)


def test_langchain_composes_and_runs_asynchronously(base):
    chain = LangChainRetriever(base=base, top_k=1) | RunnableLambda(
        lambda documents: documents[0].metadata["title"]
    )
    assert asyncio.run(chain.ainvoke(QUESTION)) == "Alba"


def test_llama_index_gives_scored_nodes_with_their_document(base):
    found = LlamaIndexRetriever(base, mode="keyword").retrieve(QUESTION)
    searched = base.search(QUESTION, mode="keyword").results
    assert [one.score for one in found] == [one.score for one in searched]
    first = found[0].node
    document = base.documents()[0]
    assert document.source == "alba.txt"
    assert first.ref_doc_id == f"{document.id:016x}"
    assert first.get_content(MetadataMode.LLM) == f"title: Alba\n\n{FERRY}"


def test_llama_index_runs_asynchronously(base):
    found = asyncio.run(LlamaIndexRetriever(base, top_k=1).aretrieve(QueryBundle(QUESTION)))
    assert [one.node.get_content() for one in found] == [FERRY]


@pytest.mark.parametrize("groups", [frozenset(), STAFF])
def test_both_keep_to_what_the_principal_may_see(base, groups):
    principal = Principal(groups)
    chain = LangChainRetriever(base=base, mode="keyword", principal=principal)
    index = LlamaIndexRetriever(base, mode="keyword", principal=principal)
    for texts in (
        {one.page_content for one in chain.invoke(QUESTION)},
        {one.node.get_content() for one in index.retrieve(QUESTION)},
    ):
        assert (SECRET in texts) == (groups == STAFF)
        assert FERRY in texts


def test_both_pass_further_parameters_and_name_unknown_ones(base):
    kept = {"where": {"fleet": "north"}}
    chain = LangChainRetriever(base=base, parameters=kept)
    index = LlamaIndexRetriever(base, parameters=kept)
    assert [one.page_content for one in chain.invoke(QUESTION)] == [FERRY]
    assert [one.node.get_content() for one in index.retrieve(QUESTION)] == [FERRY]
    with pytest.raises(QueryError, match="unknown query parameter 'colour'"):
        LangChainRetriever(base=base, parameters={"colour": "red"}).invoke(QUESTION)
    with pytest.raises(QueryError, match="unknown query parameter 'colour'"):
        LlamaIndexRetriever(base, parameters={"colour": "red"}).retrieve(QUESTION)
