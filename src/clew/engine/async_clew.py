"""The facade for asyncio: the methods of `Clew`, to be awaited."""

from __future__ import annotations

import threading
from asyncio import CancelledError, to_thread
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path as FilePath
from types import TracebackType
from typing import Self, Unpack

from clew.core.conversation import Turn
from clew.core.documents import Document, DocumentVersion, MetadataValue
from clew.core.estimate import Estimate
from clew.core.health import BackupReport, HealthReport
from clew.core.jobs import (
    CollectionStatus,
    CommunityReport,
    IngestReport,
    Progress,
    RemovalReceipt,
)
from clew.core.knowledge import Community, Node
from clew.core.learning import Outcome
from clew.core.metadata_schema import MetadataSchema, SchemaReport
from clew.core.ports import LLM, Embedder, Extractor, Store
from clew.core.query import ALL_RIGHTS, NO_FILTER, Filter, Principal, RetrievalMode
from clew.core.results import Answer, Path, Retrieval
from clew.core.transfer import (
    ExportFormat,
    ExportReport,
    ImportFormat,
    ImportReport,
    ReembedReport,
)
from clew.core.usage import Budget
from clew.core.watching import WatchEvent
from clew.engine.algorithms.async_algorithms import AsyncAlgorithms
from clew.engine.chat.async_session import AsyncChatSession
from clew.engine.chat.chats import AsyncChats
from clew.engine.clew import Clew
from clew.engine.entities.async_entities import AsyncEntities
from clew.engine.graph_views.async_graph_views import AsyncGraphViews
from clew.engine.questions import QueryParameters
from clew.engine.sources import Input, WatchOptions
from clew.engine.trace.trace import Trace
from clew.settings.model import Settings


class AsyncClew:
    """`Clew` in threads, so that the event loop goes on. Arguments and errors are the same.

    A call that is cancelled runs on in its thread; `progress` is called in that thread.
    """

    def __init__(self, clew: Clew) -> None:
        self._clew = clew
        self._entities = AsyncEntities(clew.entities)
        self._algorithms = AsyncAlgorithms(clew.algorithms)
        self._chats = AsyncChats(clew.chats)
        self._graph = AsyncGraphViews(clew.graph)

    @classmethod
    def open(
        cls,
        path: str | FilePath,
        collection: str = "default",
        *,
        settings: Settings | None = None,
        store: Store | None = None,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        llm: LLM | None = None,
        create: bool = True,
    ) -> Self:
        """As `Clew.open`; not to be awaited, since it loads no model: `async with ...open(...)`."""
        return cls(
            Clew.open(
                path,
                collection,
                settings=settings,
                store=store,
                embedder=embedder,
                extractor=extractor,
                llm=llm,
                create=create,
            )
        )

    async def add(
        self,
        *inputs: Input,
        authors: Iterable[str] = (),
        language: str | None = None,
        published_at: datetime | str | None = None,
        authority: float | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        acl: Iterable[str] = (),
        field_mapping: Mapping[str, str] | None = None,
        exclude: str | Iterable[str] = (),
        allow_private_addresses: bool | None = None,
        passwords: Mapping[str, str] | None = None,
        ocr: bool | None = None,
        budget: Budget | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """As `Clew.add`."""
        return await to_thread(
            self._clew.add,
            *inputs,
            authors=authors,
            language=language,
            published_at=published_at,
            authority=authority,
            metadata=metadata,
            acl=acl,
            field_mapping=field_mapping,
            exclude=exclude,
            allow_private_addresses=allow_private_addresses,
            passwords=passwords,
            ocr=ocr,
            budget=budget,
            progress=progress,
        )

    async def estimate(
        self,
        *inputs: Input,
        language: str | None = None,
        field_mapping: Mapping[str, str] | None = None,
        exclude: str | Iterable[str] = (),
        passwords: Mapping[str, str] | None = None,
        ocr: bool | None = None,
    ) -> Estimate:
        """As `Clew.estimate`."""
        return await to_thread(
            self._clew.estimate,
            *inputs,
            language=language,
            field_mapping=field_mapping,
            exclude=exclude,
            passwords=passwords,
            ocr=ocr,
        )

    async def watch(
        self,
        *folders: str | FilePath,
        on_event: Callable[[WatchEvent], None] | None = None,
        stop: threading.Event | None = None,
        remove: bool = True,
        debounce: float = 0.5,
        **options: Unpack[WatchOptions],
    ) -> None:
        """As `Clew.watch`; `on_event` is called in a thread. Cancelling it stops the watch."""
        ended = stop or threading.Event()
        try:
            await to_thread(
                self._clew.watch,
                *folders,
                on_event=on_event,
                stop=ended,
                remove=remove,
                debounce=debounce,
                **options,
            )
        except CancelledError:
            ended.set()
            raise

    async def ask(
        self,
        question: str,
        *,
        mode: RetrievalMode | str | None = None,
        top_k: int | None = None,
        principal: Principal = ALL_RIGHTS,
        on_text: Callable[[str], None] | None = None,
        on_evidence: Callable[[Retrieval], None] | None = None,
        **parameters: Unpack[QueryParameters],
    ) -> Answer:
        """As `Clew.ask`; `on_evidence` is called in its thread."""
        return await to_thread(
            self._clew.ask,
            question,
            mode=mode,
            top_k=top_k,
            principal=principal,
            on_text=on_text,
            on_evidence=on_evidence,
            **parameters,
        )

    async def chat(
        self,
        session_id: str | None = None,
        *,
        history: Iterable[Turn] = (),
        keep: bool = True,
        owner: str | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> AsyncChatSession:
        """As `Clew.chat`; the methods of the session are to be awaited."""
        return AsyncChatSession(
            await to_thread(
                self._clew.chat,
                session_id,
                history=history,
                keep=keep,
                owner=owner,
                principal=principal,
            )
        )

    @property
    def chats(self) -> AsyncChats:
        """As `Clew.chats`; its methods are to be awaited."""
        return self._chats

    async def search(
        self,
        question: str,
        *,
        mode: RetrievalMode | str | None = None,
        top_k: int | None = None,
        principal: Principal = ALL_RIGHTS,
        **parameters: Unpack[QueryParameters],
    ) -> Retrieval:
        """As `Clew.search`."""
        return await to_thread(
            self._clew.search, question, mode=mode, top_k=top_k, principal=principal, **parameters
        )

    async def feedback(
        self, found: Retrieval | Answer, score: float, *, outcome: int | None = None
    ) -> Outcome:
        """As `Clew.feedback`."""
        return await to_thread(self._clew.feedback, found, score, outcome=outcome)

    async def trace(
        self, found: Retrieval | Answer, *, file: str | FilePath | None = None
    ) -> Trace:
        """As `Clew.trace`."""
        return await to_thread(self._clew.trace, found, file=file)

    async def path(
        self,
        first: str | int,
        second: str | int,
        *,
        max_hops: int = 4,
        temporal_at: datetime | None = None,
        known_as_of: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[Path, ...]:
        """As `Clew.path`."""
        return await to_thread(
            self._clew.path,
            first,
            second,
            max_hops=max_hops,
            temporal_at=temporal_at,
            known_as_of=known_as_of,
            principal=principal,
        )

    async def node(self, name: str | int, *, principal: Principal = ALL_RIGHTS) -> Node:
        """As `Clew.node`."""
        return await to_thread(self._clew.node, name, principal=principal)

    async def build_communities(
        self, *, afresh: bool = False, progress: Callable[[Progress], None] | None = None
    ) -> CommunityReport:
        """As `Clew.build_communities`."""
        return await to_thread(self._clew.build_communities, afresh=afresh, progress=progress)

    async def communities(
        self, *, level: int | None = None, principal: Principal = ALL_RIGHTS
    ) -> tuple[Community, ...]:
        """As `Clew.communities`."""
        return await to_thread(self._clew.communities, level=level, principal=principal)

    @property
    def entities(self) -> AsyncEntities:
        """As `Clew.entities`; its methods are to be awaited."""
        return self._entities

    @property
    def algorithms(self) -> AsyncAlgorithms:
        """As `Clew.algorithms`; its methods are to be awaited."""
        return self._algorithms

    @property
    def graph(self) -> AsyncGraphViews:
        """`Clew.graph`, to be awaited."""
        return self._graph

    async def documents(
        self,
        *,
        ids: Iterable[int] | None = None,
        filter: Filter = NO_FILTER,
        known_as_of: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[Document, ...]:
        """As `Clew.documents`."""
        return await to_thread(
            self._clew.documents,
            ids=ids,
            filter=filter,
            known_as_of=known_as_of,
            principal=principal,
        )

    async def versions(self, target: str | int) -> tuple[DocumentVersion, ...]:
        """As `Clew.versions`."""
        return await to_thread(self._clew.versions, target)

    async def remove(self, target: str | int) -> RemovalReceipt:
        """As `Clew.remove`."""
        return await to_thread(self._clew.remove, target)

    async def set_schema(
        self, schema: MetadataSchema | Mapping[str, object] | FilePath | None
    ) -> SchemaReport:
        """As `Clew.set_schema`."""
        return await to_thread(self._clew.set_schema, schema)

    async def schema(self) -> MetadataSchema | None:
        """As `Clew.schema`."""
        return await to_thread(self._clew.schema)

    async def status(self) -> CollectionStatus:
        """As `Clew.status`."""
        return await to_thread(self._clew.status)

    async def doctor(
        self, *, full: bool = False, repair: bool = False, probe: bool = True
    ) -> HealthReport:
        """As `Clew.doctor`."""
        return await to_thread(self._clew.doctor, full=full, repair=repair, probe=probe)

    async def backup(self, target: str | FilePath, *, overwrite: bool = False) -> BackupReport:
        """As `Clew.backup`."""
        return await to_thread(self._clew.backup, target, overwrite=overwrite)

    @staticmethod
    async def restore(
        source: str | FilePath, path: str | FilePath, *, overwrite: bool = False
    ) -> BackupReport:
        """As `Clew.restore`."""
        return await to_thread(Clew.restore, source, path, overwrite=overwrite)

    async def collections(self) -> tuple[str, ...]:
        """As `Clew.collections`."""
        return await to_thread(self._clew.collections)

    async def create_collection(self, name: str) -> None:
        """As `Clew.create_collection`."""
        await to_thread(self._clew.create_collection, name)

    async def delete_collection(self, name: str) -> None:
        """As `Clew.delete_collection`."""
        await to_thread(self._clew.delete_collection, name)

    async def export(
        self,
        path: str | FilePath,
        *,
        format: ExportFormat | str = ExportFormat.JSONL,
        text: bool = True,
        vectors: bool = False,
        overwrite: bool = False,
        principal: Principal = ALL_RIGHTS,
    ) -> ExportReport:
        """As `Clew.export`."""
        return await to_thread(
            self._clew.export,
            path,
            format=format,
            text=text,
            vectors=vectors,
            overwrite=overwrite,
            principal=principal,
        )

    async def import_graph(
        self,
        path: str | FilePath,
        *,
        format: ImportFormat | str = ImportFormat.AUTO,
        progress: Callable[[Progress], None] | None = None,
    ) -> ImportReport:
        """As `Clew.import_graph`."""
        return await to_thread(self._clew.import_graph, path, format=format, progress=progress)

    async def reembed(
        self,
        embedder: Embedder | None = None,
        *,
        progress: Callable[[Progress], None] | None = None,
    ) -> ReembedReport:
        """As `Clew.reembed`."""
        return await to_thread(self._clew.reembed, embedder, progress=progress)

    async def close(self) -> None:
        """As `Clew.close`."""
        await to_thread(self._clew.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
