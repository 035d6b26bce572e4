"""A watched folder: adds what is there, then follows what is created, changed and deleted."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

from clew.core.errors import IngestError, NotFoundError
from clew.core.jobs import FileOutcome, FileReport, IngestReport, RemovalReceipt
from clew.core.watching import WatchEvent, WatchEventKind
from clew.engine.components import Components
from clew.engine.loading import load
from clew.engine.sources import (
    WatchOptions,
    defaults_of,
    field_mapping_of,
    file_reader,
    patterns_of,
)
from clew.ingest.excludes import IGNORE_FILE
from clew.ingest.fields import CallerFields
from clew.ingest.path_text import is_json_lines
from clew.ingest.sources import SourceFailure, SourceItem, read_part_of_folder

Items = Iterable[SourceItem | SourceFailure]
Part = Callable[[Path, Callable[[Path], bool]], Iterator[SourceItem | SourceFailure]]

_QUIET = {FileOutcome.UNCHANGED, FileOutcome.EXCLUDED}


def watch_folders(
    components: Components,
    folders: Iterable[str | Path],
    *,
    index: Callable[[Items, CallerFields], IngestReport],
    remove: Callable[[str], RemovalReceipt] | None,
    on_event: Callable[[WatchEvent], None],
    stop: threading.Event,
    debounce: float,
    clock: Callable[[], datetime],
    options: WatchOptions,
) -> None:
    """Watch folders until `stop` is set; `index` and `remove` are those of the facade.

    Raises:
        IngestError: a folder does not exist or goes away, or an option is malformed.
    """
    if not debounce > 0:
        raise IngestError(f"debounce is {debounce}; it must be more than 0 seconds")
    defaults = defaults_of(
        authors=options.get("authors", ()),
        language=options.get("language"),
        published_at=options.get("published_at"),
        authority=options.get("authority"),
        metadata=options.get("metadata"),
        acl=options.get("acl", ()),
    )
    settings = components.settings.ingest
    reader = file_reader(options.get("passwords"), settings, ocr=options.get("ocr"))
    part = partial(
        read_part_of_folder,
        mapping=field_mapping_of(options.get("field_mapping")),
        exclude=patterns_of(options.get("exclude", ())),
        reader=reader,
        follow_links=settings.follow_links,
    )
    with components.one_at_a_time():
        held = components.store.documents(components.collection)
    watch = Watch(
        folders=folders_of(folders),
        part=part,
        index=lambda items: index(items, defaults),
        remove=remove,
        on_event=on_event,
        stop=stop,
        clock=clock,
        known={document.source for document in held},
    )
    with reader:
        watch.run(debounce=debounce)


@dataclass(slots=True)
class Watch:
    """One watch over resolved folders, none of which lies in another.

    `part` reads those files of a folder that are wanted, `index` adds them, `remove` removes a
    source. A document leaves the index only when its file is gone: a file that cannot be read, or
    is left out by a pattern from now on, keeps what was indexed.
    """

    folders: tuple[Path, ...]
    part: Part
    index: Callable[[Items], IngestReport]
    remove: Callable[[str], RemovalReceipt] | None
    on_event: Callable[[WatchEvent], None]
    stop: threading.Event
    clock: Callable[[], datetime]
    known: set[str] = field(default_factory=set)
    _told: set[tuple[str, str]] = field(default_factory=set)

    def run(self, *, debounce: float) -> None:
        """Add, say so, and follow until `stop` is set.

        Raises:
            IngestError: a folder is gone, or cannot be watched; nothing was removed for that.
        """
        following = load("clew.ingest.watching:following")
        with following(self.folders, debounce=debounce, stop=self.stop) as next_group:
            for folder in self.folders:
                self._begin(folder)
            while not self.stop.is_set():
                changed = next_group()
                for folder in self.folders:
                    _require(folder)
                    self._follow(folder, {path for path in changed if path.is_relative_to(folder)})

    def _begin(self, folder: Path) -> None:
        items = list(self.part(folder, lambda _: True))
        counts = self._add(items)
        gone = self._gone(folder, items)
        if gone and not items:
            # an unmounted drive looks like this, and must not empty the index
            self._tell(
                WatchEventKind.KEPT,
                folder.as_posix(),
                reason=f"the folder is empty: its {len(gone)} documents are kept; remove them with "
                "clew remove if it is meant to be",
            )
        else:
            self._forget(gone)
        self._tell(WatchEventKind.WATCHING, folder.as_posix(), counts=counts)

    def _follow(self, folder: Path, changed: set[Path]) -> None:
        if not changed:
            return
        touched = {path.parent if path.name == IGNORE_FILE else path for path in changed}
        items = list(self.part(folder, wanted_of(touched)))
        self._add(items)
        gone = [
            source for source in self._gone(folder, items) if _is_within(file_of(source), touched)
        ]
        self._forget([*gone, *self._lines_gone(items, touched)])

    def _add(self, items: list[SourceItem | SourceFailure]) -> dict[str, int]:
        if not items:
            return {}
        report = self.index(self._until_stopped(items))
        for file in report.files:
            self._tell_of(file)
            if file.document is not None:
                self.known.add(file.source)
        for note in report.notes:
            self._once(WatchEventKind.NOTE, "", note)
        return dict(Counter(file.outcome.value for file in report.files))

    def _until_stopped(self, items: list[SourceItem | SourceFailure]) -> Items:
        for item in items:
            if self.stop.is_set():
                return
            yield item

    def _lines_gone(self, items: list[SourceItem | SourceFailure], touched: set[Path]) -> list[str]:
        """Return the records that files of records, read to their end, no longer hold."""
        listed = {item.source for item in items if isinstance(item, SourceItem)}
        broken = {
            item.source.rpartition(":")[0] for item in items if isinstance(item, SourceFailure)
        }
        return [
            source
            for source in sorted(self.known - listed)
            if is_json_lines(file_of(source).name)
            and _is_within(file_of(source), touched)
            and file_of(source).is_file()
            and file_of(source).as_posix() not in broken
        ]

    def _forget(self, sources: Iterable[str]) -> None:
        if self.remove is None or self.stop.is_set():
            return
        for source in sources:
            self.known.discard(source)
            try:
                receipt = self.remove(source)
            except NotFoundError:
                continue
            self._tell(WatchEventKind.REMOVED, source, document=receipt.document)

    def _gone(self, folder: Path, items: list[SourceItem | SourceFailure]) -> list[str]:
        """Return the documents of a folder whose files are not there, nor among `items`: a name
        that is no valid text is shown escaped and leads to no file."""
        listed = {item.source for item in items}
        return sorted(
            source
            for source in self.known - listed
            if file_of(source).is_relative_to(folder) and _is_gone(file_of(source))
        )

    def _tell_of(self, file: FileReport) -> None:
        if file.outcome in _QUIET:
            return
        kind = WatchEventKind(file.outcome.value)
        if kind is WatchEventKind.SKIPPED:
            self._once(kind, file.source, file.reason or "")
            return
        self.on_event(
            WatchEvent(
                kind,
                file.source,
                self.clock(),
                document=file.document,
                chunks=file.chunks,
                reason=file.reason,
                warnings=file.warnings,
            )
        )

    def _once(self, kind: WatchEventKind, source: str, reason: str) -> None:
        if (source, reason) not in self._told:
            self._told.add((source, reason))
            self._tell(kind, source, reason=reason)

    def _tell(
        self,
        kind: WatchEventKind,
        source: str,
        *,
        document: int | None = None,
        reason: str | None = None,
        counts: dict[str, int] | None = None,
    ) -> None:
        self.on_event(
            WatchEvent(kind, source, self.clock(), document, reason=reason, counts=counts or {})
        )


def file_of(source: str) -> Path:
    """Return the file that a source names or, for a record, stands in."""
    parts = source.split("#")
    for count in range(len(parts) - 1, 0, -1):
        file = "#".join(parts[:count])
        if is_json_lines(file):
            return Path(file)
    return Path(source)


def wanted_of(touched: set[Path]) -> Callable[[Path], bool]:
    """Return what says whether a path was touched, lies in what was, or leads to it."""
    leading = {folder for path in touched for folder in path.parents}
    return lambda path: path in leading or _is_within(path, touched)


def folders_of(named: Iterable[str | Path]) -> tuple[Path, ...]:
    """Return the folders, resolved; one within another goes with that.

    Raises:
        IngestError: none is named, or one does not exist or is no folder.
    """
    resolved = [_require(Path(each).resolve()) for each in named]
    if not resolved:
        raise IngestError("no folder to watch; name at least one")
    return tuple(
        folder
        for folder in dict.fromkeys(resolved)
        if not any(folder != other and folder.is_relative_to(other) for other in resolved)
    )


def _require(folder: Path) -> Path:
    if not folder.is_dir():
        raise IngestError(
            f"there is no folder {folder} (any longer); nothing was removed for that. Watch it "
            "again when it is there"
        )
    return folder


def _is_gone(file: Path) -> bool:
    """Return whether a file is certainly not there; one that may not be looked at is."""
    try:
        return not file.exists()
    except OSError:
        return False


def _is_within(path: Path, touched: set[Path]) -> bool:
    return path in touched or not touched.isdisjoint(path.parents)
