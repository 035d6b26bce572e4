"""A Clew collection as a retriever of LangChain (extra `langchain`)."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from clew.core.query import ALL_RIGHTS, Principal
from clew.engine.clew import Clew
from clew.serve.frameworks.passages import passages


class ClewRetriever(BaseRetriever):
    """Finds the passages of `base` that bear on a question.

    A document's `page_content` is the passage and its id that of the chunk; its metadata are those
    of `serve.frameworks.passages.Passage`. `mode`, `top_k` and `principal` are those of
    `Clew.search`, `parameters` its further keywords, such as {"temporal_at": ...}.

    Raises:
        QueryError: the question or a parameter is invalid.
        StoreError: the store cannot be read.
    """

    base: Clew
    mode: str | None = None
    top_k: int | None = None
    principal: Principal = ALL_RIGHTS
    parameters: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 (the framework passes it)
    ) -> list[Document]:
        found = passages(
            self.base,
            query,
            mode=self.mode,
            top_k=self.top_k,
            principal=self.principal,
            parameters=self.parameters,
        )
        return [
            Document(id=passage.chunk_id, page_content=passage.text, metadata=passage.metadata)
            for passage in found
        ]
