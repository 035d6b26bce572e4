"""The facade: add documents, ask, search, follow paths, remove."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path as FilePath
from types import TracebackType
from typing import Self, Unpack

from clew.core.documents import Document, MetadataValue
from clew.core.errors import QueryError
from clew.core.jobs import CollectionStatus, IngestReport, Progress, RemovalReceipt
from clew.core.knowledge import Node
from clew.core.metadata_schema import MetadataSchema, SchemaReport
from clew.core.ports import Embedder, Extractor, Store
from clew.core.query import ALL_RIGHTS, NO_FILTER, Filter, Principal, RetrievalMode
from clew.core.results import Answer, Path, Retrieval
from clew.core.watching import WatchEvent
from clew.engine.components import Components, open_store
from clew.engine.indexing.run import WINDOW
from clew.engine.ingest import ingest, utc_now
from clew.engine.metadata_schema import schema_of, set_schema, stored_schema
from clew.engine.naming import find_nodes
from clew.engine.path_finding import find_paths
from clew.engine.questions import QueryParameters, build_query
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
from clew.engine.watching import watch_folders
from clew.ingest.fields import CallerFields
from clew.ingest.sources import SourceFailure, SourceItem
from clew.settings.load import load_settings
from clew.settings.model import Settings

MAX_PATH_HOPS = 8


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
        create: bool = True,
    ) -> Self:
        """Return the collection of the store in the folder `path` (NAME.clew).

        Settings come from `clew.toml` and the environment unless they are given. A `store` that is
        given is used in place of the folder, and stays open at `close`. Models are loaded by the
        first call that needs them.

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
        what it committed, and the next one goes on from there.

        Raises:
            IngestError: a path does not exist, or a record or keyword is malformed.
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
            return self._index(items, defaults, progress)

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
        **parameters: Unpack[QueryParameters],
    ) -> Answer:
        """Return a cited answer and the path that leads to it, or say that there is none.

        Raises:
            UnsupportedModeError: the mode does not work yet.
            QueryError: the question or a parameter is invalid.
            StoreError: the store cannot be read; no answer is made of a part of the evidence.
        """
        retrieval = self.search(question, mode=mode, top_k=top_k, principal=principal, **parameters)
        with self._components.one_at_a_time():
            return self._components.answerer().answer(retrieval)

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
        query = build_query(
            question,
            collection=self._components.collection,
            settings=self._components.settings.retrieval,
            mode=mode,
            top_k=top_k,
            principal=principal,
            parameters=parameters,
        )
        with self._components.one_at_a_time():
            return self._components.retriever().retrieve(query)

    def path(
        self,
        first: str | int,
        second: str | int,
        *,
        max_hops: int = 4,
        temporal_at: datetime | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[Path, ...]:
        """Return the shortest paths between two things, given by name or id; surest first.

        A passage that mentions two things joins them by two hops. At equal length, paths over
        stated relations come first.

        Raises:
            NotFoundError: a name is unknown; the message gives names that come near.
            QueryError: both are one thing, or `max_hops` is out of range.
        """
        if not 1 <= max_hops <= MAX_PATH_HOPS:
            raise QueryError(f"max_hops is {max_hops}; it must lie in 1..{MAX_PATH_HOPS}")
        with self._components.one_at_a_time():
            starts, ends = (self._nodes(name, principal) for name in (first, second))
            if set(starts) & set(ends):
                raise QueryError(f"{first!r} and {second!r} name the same thing; give two")
            return find_paths(
                self._components.store,
                self._components.collection,
                starts,
                ends,
                max_hops=max_hops,
                at=temporal_at,
                principal=principal,
            )

    def node(self, name: str | int, *, principal: Principal = ALL_RIGHTS) -> Node:
        """Return the thing that a name or an id stands for, the most mentioned one.

        Raises:
            NotFoundError: there is none; the message gives names that come near.
        """
        with self._components.one_at_a_time():
            found = self._nodes(name, principal)[:1]
            store, collection = self._components.store, self._components.collection
            return store.nodes(collection, found, principal=principal)[0]

    def documents(
        self,
        *,
        ids: Iterable[int] | None = None,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> tuple[Document, ...]:
        """Return the documents of the collection by source, those of `ids` if they are given."""
        with self._components.one_at_a_time():
            return tuple(
                self._components.store.documents(
                    self._components.collection,
                    ids=None if ids is None else list(ids),
                    filter=filter,
                    principal=principal,
                )
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
            return remove_document(store, collection, document, embedder=self._components.embedder)

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
            return collection_status(self._components.store, self._components.collection)

    def collections(self) -> tuple[str, ...]:
        """Return the collections of the store, by name."""
        with self._components.one_at_a_time():
            return tuple(self._components.store.collections())

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
    ) -> IngestReport:
        with self._writing, self._components.one_at_a_time():
            return ingest(
                self._components,
                items,
                defaults=defaults,
                progress=progress,
                clock=self._clock,
                window=self._window,
            )

    def _nodes(self, name: str | int, principal: Principal) -> tuple[int, ...]:
        return find_nodes(
            self._components.store,
            self._components.collection,
            name,
            principal=principal,
            embedder=self._components.embedder,
        )
