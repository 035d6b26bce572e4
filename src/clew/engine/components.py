"""The objects behind a facade, wired from settings; each is made when it is first needed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from clew.core.chat_port import ChatLog, Condenser
from clew.core.errors import NotFoundError, StoreError
from clew.core.extraction import Extraction
from clew.core.model_calls import Responses
from clew.core.ports import LLM, Answerer, Embedder, Extractor, Retriever, Store
from clew.core.query import RetrievalMode
from clew.engine.chat.keeping import log_of
from clew.engine.embedders import other_embedder
from clew.engine.language_models import OwnLLM, configured_llm, model_verifier
from clew.engine.loading import load
from clew.engine.model_check import require_same_model
from clew.engine.retriever import make_retriever
from clew.settings.model import EmbeddingProvider, Settings
from clew.stores.memory import MemoryStore

_QUOTING = "clew.reason.extractive:ExtractiveAnswerer"
_WRITING = "clew.reason.generative:GenerativeAnswerer"
_OVERVIEW = "clew.reason.overview:OverviewAnswerer"


def open_store(path: Path, *, create: bool) -> Store:
    """Return the embedded store at `path`.

    Raises:
        NotFoundError: there is none, and `create` is False.
        StoreError: it cannot be opened.
    """
    if not create and not path.exists():
        raise NotFoundError(
            f"there is no store at {path}; make one with: clew add PATH --store {path}"
        )
    if path.exists() and not path.is_dir():
        raise StoreError(f"{path} is a file, and a store is a folder; choose another path")
    store: Store = load("clew.stores.embedded.store:EmbeddedStore")(path)
    return store


def open_responses(store: Store) -> Responses:
    """Return what keeps answers of models: a file in the store's folder, memory without one."""
    folder = store.path if isinstance(store, Located) else None
    kept: Responses = load("clew.stores.responses:open_beside")(folder)
    return kept


@runtime_checkable
class Located(Protocol):
    """A store in a folder."""

    @property
    def path(self) -> Path:
        """Return the folder."""
        ...


class Components:
    """Store, models, retriever and answerer of one collection.

    What the caller gives is used and left open; what is made here is closed by `close`. Models are
    loaded by the first call that needs them.
    """

    def __init__(
        self,
        store: Store,
        collection: str,
        *,
        settings: Settings,
        embedder: Embedder | None,
        extractor: Extractor | None,
        owns_store: bool,
        load_embedder: Callable[[], Embedder] | None = None,
        llm: LLM | None = None,
        load_extractor: Callable[[], Extractor] | None = None,
        responses: Responses | None = None,
        chat_log: Callable[[], ChatLog] | None = None,
    ) -> None:
        self.store = store
        self.collection = collection
        self.settings = settings
        self._given_embedder = embedder
        self._given_extractor = extractor
        self._given_llm = llm
        self._owns_store = owns_store
        self._load_embedder = load_embedder or partial(_configured_embedder, settings)
        self._load_extractor = load_extractor
        self._lock = threading.RLock()
        self._embedder: Embedder | None = None
        self._extractor: Extractor | None = None
        self._retriever: Retriever | None = None
        self._answerers: dict[str, Answerer] = {}
        self._llm: OwnLLM | None = None
        self._annotator: _Closable | None = None
        self._given_responses = responses
        self._responses: Responses | None = None
        self._given_chat_log = chat_log
        self._chat_log: ChatLog | None = None
        if embedder is not None:
            require_same_model(store, collection, embedder)

    def embedder(self) -> Embedder:
        """Return the embedder, which must be the one that made the collection's vectors.

        Raises:
            ModelMismatchError: another one made them.
        """
        with self._lock:
            if self._embedder is None:
                self._embedder = self.configured_embedder()
            require_same_model(self.store, self.collection, self._embedder)
            return self._embedder

    def configured_embedder(self) -> Embedder:
        """Return the embedder that was given or is configured, whatever made the vectors.

        It is held by `embedder` alone, once the vectors are its own.
        """
        with self._lock:
            known = self._given_embedder or self._embedder
            return known if known is not None else self._load_embedder()

    def use_embedder(self, embedder: Embedder) -> None:
        """Go over to an embedder, after the collection's vectors have become its own."""
        with self._lock:
            if self._given_embedder is not None:
                self._given_embedder = embedder
            self._embedder = embedder
            self._retriever = None
            self._answerers.clear()

    def extractor(self) -> Extractor:
        """Return the extractor."""
        with self._lock:
            if self._extractor is None:
                load_it = self._load_extractor or self._configured_extractor
                self._extractor = self._given_extractor or load_it()
            return self._extractor

    def llm(self) -> LLM | None:
        """Return the language model, None where none is given or configured."""
        with self._lock:
            if self._given_llm is not None:
                return self._given_llm
            if self._llm is None:
                self._llm = configured_llm(self.settings.llm, cores=usable_cores())
            return self._llm

    def responses(self) -> Responses:
        """Return what keeps answers of models, beside the store or in memory."""
        with self._lock:
            if self._given_responses is not None:
                return self._given_responses
            if self._responses is None:
                self._responses = open_responses(self.store)
            return self._responses

    def retriever(self) -> Retriever:
        """Return what finds evidence in every mode."""
        embedder = self.embedder()
        with self._lock:
            if self._retriever is None:
                self._retriever = make_retriever(self.store, embedder, self.settings, llm=self.llm)
            return self._retriever

    def answerer(self, mode: RetrievalMode = RetrievalMode.HYBRID) -> Answerer:
        """Return what writes the answer from evidence that a mode found."""
        if mode is RetrievalMode.GLOBAL:
            return self._quoting(_OVERVIEW)
        llm = self.llm()
        if llm is None:
            return self._quoting(_QUOTING)
        embedder = self.embedder()
        with self._lock:
            if _WRITING not in self._answerers:
                self._answerers[_WRITING] = load(_WRITING)(
                    extractive=self._quoting(_QUOTING),
                    llm=llm,
                    embedder=embedder,
                    verify=self.settings.answer.verify,
                    verifier=model_verifier(llm, self.settings.answer),
                )
            return self._answerers[_WRITING]

    def condenser(self) -> Condenser:
        """Return what makes full questions of follow-ups."""
        llm = self.llm()
        if llm is None:
            rules: Condenser = load("clew.reason.condensing:RuleCondenser")()
            return rules
        model: Condenser = load("clew.reason.condensing:ModelCondenser")(llm)
        return model

    def chat_log(self) -> ChatLog:
        """Return where conversations are kept."""
        with self._lock:
            if self._chat_log is None:
                given = self._given_chat_log
                self._chat_log = given() if given is not None else log_of(self.store)
            return self._chat_log

    def _quoting(self, place: str) -> Answerer:
        embedder = self.embedder()
        with self._lock:
            if place not in self._answerers:
                answer = self.settings.answer
                self._answerers[place] = load(place)(
                    chunks=self.store,
                    graph=self.store,
                    embedder=embedder,
                    max_sentences=answer.max_sentences,
                    support_threshold=answer.support_threshold,
                )
            return self._answerers[place]

    @contextmanager
    def as_known(self, moment: datetime | None) -> Iterator[Components]:
        """Give the components over the collection as it was known then, None: as it is now.

        Models are those of the present. A store that serves one thread is held meanwhile.
        """
        with self.one_at_a_time():
            if moment is None:
                yield self
                return
            with self.store.as_of(self.collection, moment) as past:
                yield Components(
                    past,
                    self.collection,
                    settings=self.settings,
                    embedder=self._given_embedder,
                    extractor=self._given_extractor,
                    owns_store=False,
                    load_embedder=self.embedder,
                    llm=self.llm(),
                )

    def one_at_a_time(self) -> AbstractContextManager[object]:
        """Return the lock that a call must hold: none where the store serves many threads."""
        return self._lock if isinstance(self.store, MemoryStore) else nullcontext()

    def close(self) -> None:
        """Close what was made here; closing twice is allowed."""
        with self._lock:
            if self._annotator is not None:
                self._annotator.close()
                self._annotator = None
            if self._llm is not None:
                self._llm.close()
                self._llm = None
            if self._responses is not None:
                self._responses.close()
                self._responses = None
            if self._owns_store:
                self.store.close()

    def _configured_extractor(self) -> Extractor:
        if not self.settings.extraction.enabled:
            return NoExtraction()
        processes = self.settings.extraction.processes or usable_cores()
        annotator = load("clew.models.spacy_annotator:SpacyAnnotator")(processes=processes)
        self._annotator = annotator
        extractor: Extractor = load("clew.knowledge.extractor:RuleExtractor")(annotator)
        return extractor


class NoExtraction:
    """Implements `Extractor` where extraction is switched off: titles are the only names."""

    fingerprint = "none"

    def extract(
        self,
        texts: Sequence[str],
        *,
        language: str | None,  # noqa: ARG002 - the port's signature
        titles: Sequence[str | None] = (),  # noqa: ARG002
    ) -> Iterator[Extraction]:
        """Yield nothing found for each text."""
        return (Extraction() for _ in texts)


class _Closable(Protocol):
    def close(self) -> None: ...


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _configured_embedder(settings: Settings) -> Embedder:
    if settings.embedding.provider is EmbeddingProvider.BUNDLED:
        return _bundled_embedder(settings)
    return other_embedder(settings.embedding)


def _bundled_embedder(settings: Settings) -> Embedder:
    embedding = settings.embedding
    embedder: Embedder = load("clew.models.bundled:bundled_embedder")(
        embedding.cache_folder, variant=embedding.variant, threads=embedding.threads
    )
    return embedder
