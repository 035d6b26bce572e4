"""The facade: add documents, ask, search, follow paths, remove."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path as FilePath
from types import TracebackType
from typing import Self, Unpack

from clew.core.conversation import Turn
from clew.core.documents import Document, DocumentVersion, MetadataValue
from clew.core.errors import QueryError
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
from clew.core.query import ALL_RIGHTS, NO_FILTER, Filter, Principal, Query, RetrievalMode
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
from clew.engine.algorithms.algorithms import Algorithms
from clew.engine.asking import nodes_named, paths_between, query_of, retrieve
from clew.engine.backups import back_up, restore
from clew.engine.chat.chats import Chats
from clew.engine.chat.keeping import forget_source
from clew.engine.chat.session import ChatSession
from clew.engine.collections import create_collection, delete_collection
from clew.engine.community_building import build_communities, need_building
from clew.engine.components import Components, open_store
from clew.engine.contradictions.finding import with_contradictions
from clew.engine.doctor import examine
from clew.engine.entities.entities import Entities
from clew.engine.estimate import estimate
from clew.engine.feedback import keep_feedback
from clew.engine.graph_views.graph_views import GraphViews
from clew.engine.indexing.run import WINDOW
from clew.engine.indexing.supersession import relation_stems
from clew.engine.ingest import ingest, utc_now
from clew.engine.metadata_schema import schema_of, set_schema, stored_schema
from clew.engine.model_calls.spending import NO_BUDGET
from clew.engine.questions import QueryParameters
from clew.engine.removal import find_document, remove_document
from clew.engine.sources import (
    Input,
    WatchOptions,
    defaults_of,
    fetcher_of,
    field_mapping_of,
    file_reader,
    items_of,
    patterns_of,
)
from clew.engine.status import collection_status
from clew.engine.trace.trace import Trace
from clew.engine.trace.writing import trace_of
from clew.engine.transfer.exporting import export
from clew.engine.transfer.opening import import_graph
from clew.engine.transfer.reembedding import change_embedder
from clew.engine.watching import watch_folders
from clew.ingest.fields import CallerFields
from clew.ingest.sources import SourceFailure, SourceItem
from clew.settings.load import load_settings
from clew.settings.model import Settings


class Clew:
    """One collection of a store, with its models. Safe to use from several threads.

    Make it with `Clew.open` and close it, or use it in a `with` block. `AsyncClew` has the same
    methods, to be awaited.
    """

    def __init__(
        self,
        components: Components,
        *,
        clock: Callable[[], datetime] = utc_now,
        window: int = WINDOW,
    ) -> None:
        self._components = components
        self._clock = clock
        self._window = window
        self._writing = threading.Lock()
        self._entities = Entities(components, writing=self._writing, clock=clock, window=window)
        self._algorithms = Algorithms(components)
        self._chats = Chats(components)
        self._graph = GraphViews(components)

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
        """Return the collection of the store in the folder `path` (NAME.clew).

        Settings come from `clew.toml` and the environment unless they are given. A `store` that is
        given is used in place of the folder, and stays open at `close`, as does an `llm`. Models
        are loaded by the first call that needs them.

        Raises:
            NotFoundError: `create` is False and there is no store at `path`.
            ModelMismatchError: another model than `embedder` made the collection's vectors.
            SettingsError: a setting is unknown or invalid.
            StoreError: the store cannot be opened.
        """
        if not collection.strip():
            raise QueryError("the collection's name is empty; leave it out for 'default'")
        chosen = load_settings() if settings is None else settings
        opened = open_store(FilePath(path), create=create) if store is None else store
        return cls(
            Components(
                opened,
                collection,
                settings=chosen,
                embedder=embedder,
                extractor=extractor,
                llm=llm,
                owns_store=store is None,
            )
        )

    def add(
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
        """Index files, folders, globs, web pages, texts or records; unchanged ones cost nothing.

        What an earlier run left unfinished is finished too; without inputs, that alone is done.
        The keywords are said of every source; what a record says of itself goes before them, and
        they go before what a file says. `field_mapping` names the fields of records, such as
        {"text": "body"}; `exclude` are patterns as in `.gitignore`; web addresses that are not
        public are refused unless they are allowed here or in the settings; `passwords` gives the
        secret of a file by its path, name or a glob, and it is kept nowhere. With `ocr` (None: as
        the settings say) scanned pages and pictures are read by text recognition. Files are parsed
        in a worker process within the limits of the settings. A source that cannot be read is named
        in the report and does not stop the others. A run that is interrupted, or killed, leaves
        what it committed, and the next one goes on from there. With a language model that extracts
        (`extraction.extractor`), `budget` is what this call may cost: the run ends before it would
        cost more, and the report says so.

        Raises:
            IngestError: a path does not exist, or a record or keyword is malformed.
            ModelError: the language model that is to extract cannot be asked.
            ModelMismatchError: the collection's vectors were made by another model.
            StoreError: the store cannot be written.
        """
        settings = self._components.settings
        reader = file_reader(passwords, settings.ingest, ocr=ocr)
        items = items_of(
            inputs,
            mapping=field_mapping_of(field_mapping),
            exclude=patterns_of(exclude),
            fetch=fetcher_of(settings.web, allow_private_addresses=allow_private_addresses),
            reader=reader,
            follow_links=settings.ingest.follow_links,
        )
        defaults = defaults_of(
            authors=authors,
            language=language,
            published_at=published_at,
            authority=authority,
            metadata=metadata,
            acl=acl,
        )
        with reader:
            return self._index(items, defaults, progress, budget or NO_BUDGET)

    def estimate(
        self,
        *inputs: Input,
        language: str | None = None,
        field_mapping: Mapping[str, str] | None = None,
        exclude: str | Iterable[str] = (),
        passwords: Mapping[str, str] | None = None,
        ocr: bool | None = None,
    ) -> Estimate:
        """Return what the language model would be asked by an `add` of these inputs.

        Sources are read and cut; nothing is sent to the model and nothing is written.

        Raises:
            IngestError: a path does not exist, or a record or keyword is malformed.
            SettingsError: no language model is configured.
        """
        settings = self._components.settings
        reader = file_reader(passwords, settings.ingest, ocr=ocr)
        items = items_of(
            inputs,
            mapping=field_mapping_of(field_mapping),
            exclude=patterns_of(exclude),
            fetch=fetcher_of(settings.web, allow_private_addresses=None),
            reader=reader,
            follow_links=settings.ingest.follow_links,
        )
        defaults = defaults_of(
            authors=(), language=language, published_at=None, authority=None, metadata=None, acl=()
        )
        with reader, self._components.one_at_a_time():
            return estimate(self._components, items, defaults=defaults)

    def watch(
        self,
        *folders: str | FilePath,
        on_event: Callable[[WatchEvent], None] | None = None,
        stop: threading.Event | None = None,
        remove: bool = True,
        debounce: float = 0.5,
        **options: Unpack[WatchOptions],
    ) -> None:
        """Add what the folders hold, then follow what is created, changed and deleted in them.

        Returns when `stop` is set. `on_event` is called in this thread for each thing that
        happens; a file that fails is one of them. With `remove`, the document of a deleted file
        leaves the index. Changes count once nothing has changed for `debounce` seconds.

        Raises:
            IngestError: a folder does not exist or goes away, or a keyword is malformed.
            StoreError: the store cannot be written.
        """
        watch_folders(
            self._components,
            folders,
            index=lambda items, defaults: self._index(items, defaults, None),
            remove=self.remove if remove else None,
            on_event=on_event or (lambda _: None),
            stop=stop or threading.Event(),
            debounce=debounce,
            clock=self._clock,
            options=options,
        )

    def ask(
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
        """Return a cited answer and the path that leads to it, or say that there is none.

        `on_text` is given the text while it is written: with a language model its draft, which is
        neither cited nor verified yet. With one, a ModelError is raised where it cannot be asked.
        `on_evidence` is given the evidence as soon as all of it is found, before the answer is
        written.

        Raises:
            UnsupportedModeError: the mode does not work yet.
            QueryError: the question or a parameter is invalid.
            StoreError: the store cannot be read; no answer is made of a part of the evidence.
        """
        query = self._query(question, mode, top_k, principal, parameters)
        with self._components.as_known(query.known_as_of) as components:
            evidence = retrieve(components, query)
            if on_evidence is not None:
                on_evidence(evidence)
            answer = components.answerer(query.mode).answer(evidence, on_text=on_text)
            return with_contradictions(components, answer)

    def chat(
        self,
        session_id: str | None = None,
        *,
        history: Iterable[Turn] = (),
        keep: bool = True,
        owner: str | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> ChatSession:
        """Begin a conversation, or take up the one of an id; its questions may lean on each other.

        `history` are turns that somebody else keeps, for a conversation that begins with them.
        With `keep` every turn is saved, and `chats` lists them. With `owner` a conversation of
        another one is not found.

        Raises:
            NotFoundError: there is no conversation of that id and owner.
            QueryError: `session_id` and `history` are both given.
        """
        return self._chats.open(
            session_id,
            ask=self.ask,
            history=history,
            keep=keep,
            owner=owner,
            principal=principal,
            clock=self._clock,
        )

    @property
    def chats(self) -> Chats:
        """What lists, shows and removes the conversations that are kept."""
        return self._chats

    def search(
        self,
        question: str,
        *,
        mode: RetrievalMode | str | None = None,
        top_k: int | None = None,
        principal: Principal = ALL_RIGHTS,
        **parameters: Unpack[QueryParameters],
    ) -> Retrieval:
        """Return the passages that bear on a question, best first, with paths and provenance.

        Raises:
            UnsupportedModeError: the mode does not work yet.
            QueryError: the question or a parameter is invalid.
            StoreError: the store cannot be read.
        """
        query = self._query(question, mode, top_k, principal, parameters)
        with self._components.as_known(query.known_as_of) as components:
            return retrieve(components, query)

    def feedback(
        self, found: Retrieval | Answer, score: float, *, outcome: int | None = None
    ) -> Outcome:
        """Keep how good an answer or a retrieval was: 0 useless, 1 right.

        `outcome` is the id of an earlier one that this takes the place of.

        Raises:
            QueryError: the score does not lie in 0..1.
            StoreError: the store cannot be written.
        """
        with self._components.one_at_a_time():
            store, collection = self._components.store, self._components.collection
            return keep_feedback(store, collection, found, score, outcome=outcome, at=self._clock())

    def trace(self, found: Retrieval | Answer, *, file: str | FilePath | None = None) -> Trace:
        """Return how a retrieval or answer came about; write it to FILE.json, .graphml or .html.

        Raises:
            QueryError: the file's name ends otherwise, or it cannot be written.
        """
        retrieval = found.retrieval if isinstance(found, Answer) else found
        with self._components.as_known(retrieval.query.known_as_of) as components:
            return trace_of(components.store, found, file)

    def path(
        self,
        first: str | int,
        second: str | int,
        *,
        max_hops: int = 4,
        temporal_at: datetime | None = None,
        known_as_of: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[Path, ...]:
        """Return the shortest paths between two things, given by name or id; surest first.

        A passage that mentions two things joins them by two hops. At equal length, paths over
        stated relations come first.

        Raises:
            NotFoundError: a name is unknown; the message gives names that come near.
            QueryError: both are one thing, or `max_hops` is out of range.
        """
        with self._components.as_known(known_as_of) as components:
            return paths_between(
                components, first, second, max_hops=max_hops, at=temporal_at, principal=principal
            )

    def node(self, name: str | int, *, principal: Principal = ALL_RIGHTS) -> Node:
        """Return the thing that a name or an id stands for, the most mentioned one.

        Raises:
            NotFoundError: there is none; the message gives names that come near.
        """
        with self._components.one_at_a_time():
            found = nodes_named(self._components, name, principal=principal)[:1]
            store, collection = self._components.store, self._components.collection
            return store.nodes(collection, found, principal=principal)[0]

    def build_communities(
        self, *, afresh: bool = False, progress: Callable[[Progress], None] | None = None
    ) -> CommunityReport:
        """Find the communities of the graph and summarise them; what did not change is kept.

        The modes `community` and `global` do it when they must. `afresh` forgets the former ones.

        Raises:
            StoreError: the store cannot be written.
        """
        with self._writing, self._components.one_at_a_time():
            return build_communities(self._components, afresh=afresh, progress=progress)

    def communities(
        self, *, level: int | None = None, principal: Principal = ALL_RIGHTS
    ) -> tuple[Community, ...]:
        """Return the communities as they were built last, by level and path."""
        with self._components.one_at_a_time():
            store, collection = self._components.store, self._components.collection
            return tuple(store.communities(collection, level=level, principal=principal))

    @property
    def entities(self) -> Entities:
        """What lists, shows, merges and unmerges the things that the documents speak of."""
        return self._entities

    @property
    def algorithms(self) -> Algorithms:
        """Graph algorithms: ranks, cheapest paths, rings, attack paths, recommendations."""
        return self._algorithms

    @property
    def graph(self) -> GraphViews:
        """What shows neighbours, edges and timelines."""
        return self._graph

    def documents(
        self,
        *,
        ids: Iterable[int] | None = None,
        filter: Filter = NO_FILTER,
        known_as_of: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[Document, ...]:
        """Return the documents of the collection by source, those of `ids` if they are given."""
        with self._components.as_known(known_as_of) as components:
            return tuple(
                components.store.documents(
                    components.collection,
                    ids=None if ids is None else list(ids),
                    filter=filter,
                    principal=principal,
                )
            )

    def versions(self, target: str | int) -> tuple[DocumentVersion, ...]:
        """Return the versions of a document that the store keeps, oldest first.

        Raises:
            NotFoundError: there is no such document; the message gives sources that come near.
        """
        with self._components.one_at_a_time():
            store, collection = self._components.store, self._components.collection
            return tuple(
                store.versions(collection, find_document(store, collection, target).source)
            )

    def remove(self, target: str | int) -> RemovalReceipt:
        """Remove a document, named by its source, path or id, and all that rested on it alone.

        Raises:
            NotFoundError: there is no such document; the message gives sources that come near.
            StoreError: the store cannot be written; nothing was removed.
        """
        with self._writing, self._components.one_at_a_time():
            store, collection = self._components.store, self._components.collection
            document = find_document(store, collection, target)
            receipt = remove_document(
                store,
                collection,
                document,
                embedder=self._components.embedder,
                responses=self._components.responses(),
                single_valued=relation_stems(self._components.settings.knowledge.single_valued),
                at=self._clock(),
            )
            forget_source(self._components.chat_log(), collection, document.source)
            return receipt

    def set_schema(
        self, schema: MetadataSchema | Mapping[str, object] | FilePath | None
    ) -> SchemaReport:
        """Set which metadata the documents must have, from now on; None: whatever they have.

        A schema is a value, a mapping or the path of a TOML or JSON file. The report names the
        documents that are there and break it; these stay as they are until they are added again.

        Raises:
            SchemaError: the schema is malformed; nothing has changed.
            StoreError: the store cannot be written.
        """
        chosen = schema_of(schema)
        with self._writing, self._components.one_at_a_time():
            return set_schema(self._components.store, self._components.collection, chosen)

    def schema(self) -> MetadataSchema | None:
        """Return which metadata the documents must have, None where nothing is set."""
        with self._components.one_at_a_time():
            return stored_schema(self._components.store, self._components.collection)

    def status(self) -> CollectionStatus:
        """Return counts, unfinished work, model and health of the collection."""
        with self._components.one_at_a_time():
            return collection_status(
                self._components.store,
                self._components.collection,
                responses=self._components.responses(),
            )

    def doctor(
        self, *, full: bool = False, repair: bool = False, probe: bool = True
    ) -> HealthReport:
        """Return what is wrong with the store, its models and disk, and how to mend each.

        `full` compares every row with what it follows from, else a sample; `repair` first computes
        again whatever follows from the truth; `probe` asks the language model, where one is
        configured, two short questions, and the report's facts tell what it can do.

        Raises:
            StoreError: the store cannot be read, or mended.
        """
        with self._components.one_at_a_time():
            return examine(self._components, full=full, repair=repair, probe=probe)

    def backup(self, target: str | FilePath, *, overwrite: bool = False) -> BackupReport:
        """Copy the whole store to one file, verified, while others use it.

        Raises:
            StoreError: `target` exists and is not to be overwritten, or cannot be written.
        """
        return back_up(self._components.store, FilePath(target), overwrite=overwrite)

    @staticmethod
    def restore(
        source: str | FilePath, path: str | FilePath, *, overwrite: bool = False
    ) -> BackupReport:
        """Make the store `path` from a backup: verified, migrated, with its indexes built.

        Raises:
            NotFoundError: there is no backup at `source`.
            StoreError: `path` exists and is not to be overwritten, or the backup is damaged.
        """
        return restore(FilePath(source), FilePath(path), overwrite=overwrite)

    def collections(self) -> tuple[str, ...]:
        """Return the collections of the store, by name."""
        with self._components.one_at_a_time():
            return tuple(self._components.store.collections())

    def create_collection(self, name: str) -> None:
        """Make an empty collection beside this one; `Clew.open(path, name)` opens it.

        Raises:
            QueryError: the name is empty, or there is one of that name.
        """
        create_collection(self._components, name, at=self._clock())

    def delete_collection(self, name: str) -> None:
        """Remove a collection of the store for good, with all that is in it.

        Raises:
            NotFoundError: there is none of that name.
        """
        with self._writing:
            delete_collection(self._components, name)

    def export(
        self,
        path: str | FilePath,
        *,
        format: ExportFormat | str = ExportFormat.JSONL,
        text: bool = True,
        vectors: bool = False,
        overwrite: bool = False,
        principal: Principal = ALL_RIGHTS,
    ) -> ExportReport:
        """Write the collection, as `principal` sees it, to a folder (`jsonl`, `parquet`) or a file
        (`graphml`: the graph that holds now), whole or not at all.

        Raises:
            QueryError: the format is unknown.
            MissingExtraError: Parquet needs the extra `parquet`.
            StoreError: `path` is there already and `overwrite` is False, or cannot be written.
        """
        with self._components.one_at_a_time():
            return export(
                self._components,
                path,
                format=format,
                text=text,
                vectors=vectors,
                overwrite=overwrite,
                principal=principal,
            )

    def import_graph(
        self,
        path: str | FilePath,
        *,
        format: ImportFormat | str = ImportFormat.AUTO,
        progress: Callable[[Progress], None] | None = None,
    ) -> ImportReport:
        """Bring in an export of Clew, or the output folder of microsoft/graphrag or LightRAG.

        A run that was interrupted is taken up by the same call again.

        Raises:
            IngestError: nothing that can be read lies there.
            ModelMismatchError: the collection's vectors were made by another model.
            StoreError: the store cannot be written.
        """
        with self._writing, self._components.one_at_a_time():
            return import_graph(self._components, path, format=format, progress=progress)

    def reembed(
        self,
        embedder: Embedder | None = None,
        *,
        progress: Callable[[Progress], None] | None = None,
    ) -> ReembedReport:
        """Go over to another embedding model: the one that is configured, or `embedder`.

        The old vectors answer until all new ones are there. A run that was interrupted is taken up
        by the same call again.

        Raises:
            ModelError: the model fails; the old vectors stay in force.
            StoreError: the store cannot be read or written.
        """
        with self._writing, self._components.one_at_a_time():
            return change_embedder(self._components, embedder, progress=progress)

    def close(self) -> None:
        """Close the store and end worker processes; closing twice is allowed."""
        self._components.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _index(
        self,
        items: Iterable[SourceItem | SourceFailure],
        defaults: CallerFields,
        progress: Callable[[Progress], None] | None,
        budget: Budget = NO_BUDGET,
    ) -> IngestReport:
        with self._writing, self._components.one_at_a_time():
            return ingest(
                self._components,
                items,
                defaults=defaults,
                progress=progress,
                clock=self._clock,
                window=self._window,
                budget=budget,
            )

    def _query(
        self,
        question: str,
        mode: RetrievalMode | str | None,
        top_k: int | None,
        principal: Principal,
        parameters: QueryParameters,
    ) -> Query:
        """Return the query, after what it needs beside the store has been built."""
        query = query_of(
            self._components,
            question,
            mode=mode,
            top_k=top_k,
            principal=principal,
            parameters=parameters,
        )
        with self._components.one_at_a_time():
            needed = need_building(self._components, query)
        if needed:
            self.build_communities()
        return query
