"""A Clew collection as a retriever of LlamaIndex (extra `llama-index`)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import (
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)

from clew.core.query import ALL_RIGHTS, Principal, RetrievalMode
from clew.engine.clew import Clew
from clew.serve.frameworks.passages import Passage, passages


class ClewRetriever(BaseRetriever):
    """Finds the passages of `base` that bear on a question.

    A node's text is the passage, its id that of the chunk, its source that of the document; its
    metadata are those of `serve.frameworks.passages.Passage`. `mode`, `top_k` and `principal` are
    those of `Clew.search`, `parameters` its further keywords, such as {"temporal_at": ...}. Of
    the metadata, language models and embedders are shown the title alone.

    Raises:
        QueryError: the question or a parameter is invalid.
        StoreError: the store cannot be read.
    """

    def __init__(
        self,
        base: Clew,
        *,
        mode: RetrievalMode | str | None = None,
        top_k: int | None = None,
        principal: Principal = ALL_RIGHTS,
        parameters: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__()
        self._base = base
        self._mode = mode
        self._top_k = top_k
        self._principal = principal
        self._parameters = dict(parameters or {})

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = passages(
            self._base,
            query_bundle.query_str,
            mode=self._mode,
            top_k=self._top_k,
            principal=self._principal,
            parameters=self._parameters,
        )
        return [NodeWithScore(node=_node(passage), score=passage.score) for passage in found]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(passage: Passage) -> TextNode:
    hidden = sorted(set(passage.metadata) - {"title"})
    return TextNode(
        id_=passage.chunk_id,
        text=passage.text,
        metadata=passage.metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=passage.document_id)},
    )
