"""One store with all its collections, behind one facade each; the models are loaded once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Self

from clew.core.errors import NotFoundError
from clew.core.ports import Embedder, Extractor, Store
from clew.engine.background import Jobs
from clew.engine.clew import Clew
from clew.engine.collections import CREATED_AT, create_collection, delete_collection
from clew.engine.components import Components, open_store
from clew.engine.ingest import utc_now
from clew.settings.load import load_settings
from clew.settings.model import Settings

_HOME = "default"


class Library:
    """The collections of a store. Safe to use from several threads.

    `collection` gives the facade of one; it lives as long as the library and is not to be closed.
    """

    def __init__(
        self,
        store: Store,
        *,
        settings: Settings,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        owns_store: bool = False,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.settings = settings
        self._store = store
        self._clock = clock
        self._home = Components(
            store,
            _HOME,
            settings=settings,
            embedder=embedder,
            extractor=extractor,
            owns_store=owns_store,
        )
        self._lock = threading.Lock()
        self._model_lock = threading.Lock()
        self._embedder = embedder
        self._open: dict[str, Clew] = {}
        self.jobs = Jobs(store, clock=clock)

    @classmethod
    def open(cls, path: str | Path, *, settings: Settings | None = None) -> Self:
        """Return the library of the store in the folder `path`, which is made if it is missing.

        Raises:
            SettingsError: a setting is unknown or invalid.
            StoreError: the store cannot be opened.
        """
        chosen = load_settings() if settings is None else settings
        return cls(open_store(Path(path), create=True), settings=chosen, owns_store=True)

    @property
    def folder(self) -> Path | None:
        """The folder of the store, None where it has none."""
        found: Path | None = getattr(self._store, "path", None)
        return found

    def names(self) -> tuple[str, ...]:
        """Return the collections, by name."""
        with self._home.one_at_a_time():
            return tuple(self._store.collections())

    def collection(self, name: str) -> Clew:
        """Return the facade of a collection.

        Raises:
            NotFoundError: there is none of that name.
        """
        if name not in self.names():
            raise NotFoundError(f"there is no collection {name!r}; create it first")
        with self._lock:
            if name not in self._open:
                self._open[name] = Clew(self._components(name), clock=self._clock)
            return self._open[name]

    def create(self, name: str) -> Clew:
        """Make an empty collection and return its facade.

        Raises:
            QueryError: there is one of that name.
        """
        create_collection(self._home, name, at=self._clock())
        return self.collection(name)

    def created_at(self, name: str) -> datetime | None:
        """Return when `create` made a collection, None where its first document did."""
        with self._home.one_at_a_time():
            moment = self._store.facts(name).get(CREATED_AT)
        return None if moment is None else datetime.fromisoformat(moment)

    def drop(self, name: str) -> None:
        """Remove a collection with all that is in it.

        Raises:
            NotFoundError: there is none of that name.
        """
        self.collection(name)
        with self._lock:
            delete_collection(self._home, name)
            self._open.pop(name, None)

    def close(self) -> None:
        """End the job that runs, close the store and end worker processes; closing twice is allowed."""
        self.jobs.close()
        self._home.close()

    def _components(self, name: str) -> Components:
        return Components(
            self._store,
            name,
            settings=self.settings,
            embedder=None,
            extractor=None,
            owns_store=False,
            load_embedder=self._shared_embedder,
            load_extractor=self._home.extractor,
            llm=self._home.llm(),
            responses=self._home.responses(),
            chat_log=self._home.chat_log,
        )

    def _shared_embedder(self) -> Embedder:
        with self._model_lock:
            if self._embedder is None:
                self._embedder = self._home.configured_embedder()
            return self._embedder
