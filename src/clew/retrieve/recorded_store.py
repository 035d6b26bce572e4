"""A store that notes what a retrieval reads of it; see `retrieve.reads`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from clew.core.ports import Store
from clew.core.precedence import PRECEDENCE
from clew.retrieve.reads import ReadLog, Search, current_log

Read = Callable[..., Any]
"""A method of a store: collection, then ids or a question, then options by name."""


class RecordedStore:
    """Hands every call on to `store`, and notes it in the log of the retrieval that runs.

    A method that this module does not name is handed on too, and the retrieval then counts as one
    that has read everything: nothing is kept by oversight.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the store has
        read = getattr(self._store, name)
        if not callable(read):
            return read
        return partial(_recorded, _NOTES.get(name, _note_whole), read)


Note = Callable[[ReadLog, "partial[Any]", Any], None]
"""Notes a read: the call, to ask it again, and what it found."""


def _recorded(note: Note, read: Read, *args: Any, **options: Any) -> Any:  # noqa: ANN401
    found = read(*args, **options)
    log = current_log()
    if log is not None:
        note(log, partial(read, *args, **options), found)
    return found


def _note_whole(log: ReadLog, again: partial[Any], found: object) -> None:  # noqa: ARG001
    log.whole = True


def _note_rows(log: ReadLog, again: partial[Any], found: object) -> None:  # noqa: ARG001
    log.note_rows(again.args[1])


def _note_search(log: ReadLog, again: partial[Any], found: object) -> None:
    log.searches.append(Search(again, found))


def _note_communities(log: ReadLog, again: partial[Any], found: object) -> None:
    """A community shows or not with the passages of its evidence: it depends on both."""
    search = Search(again, found)
    log.searches.append(search)
    log.communities.append(search)


def _note_nodes(log: ReadLog, again: partial[Any], found: object) -> None:
    """A node tells the community that it belongs to."""
    _note_rows(log, again, found)
    log.communities.append(Search(again, found))


def _note_edges(log: ReadLog, again: partial[Any], found: Any) -> None:  # noqa: ANN401, ARG001
    """A changed edge is listed as a change of both its ends."""
    log.note_rows([end for edge in found for end in (edge.source, edge.target)])


def _note_facts(log: ReadLog, again: partial[Any], found: Any) -> None:  # noqa: ANN401
    """Of facts, retrieval uses the one of precedence alone."""
    log.communities.append(Search(lambda: again().get(PRECEDENCE), found.get(PRECEDENCE)))


def _note_nothing(log: ReadLog, again: partial[Any], found: object) -> None:
    """`steady` reads nothing; edges whose labels are read come from an expansion, which noted the
    end that they were reached from, and a changed edge is listed as a change of both."""


def _note_documents(log: ReadLog, again: partial[Any], found: object) -> None:
    ids = again.keywords.get("ids")
    if ids is None:
        log.searches.append(Search(again, found))
    else:
        log.note_rows(ids)


_NOTES: dict[str, Note] = {
    **dict.fromkeys(
        ("chunks", "vectors", "in_scope", "term_presence", "expand", "degrees"), _note_rows
    ),
    **dict.fromkeys(("mention_counts", "node_vectors", "node_names"), _note_rows),
    **dict.fromkeys(("steady", "edge_labels"), _note_nothing),
    **dict.fromkeys(
        ("search_vector", "search_text", "search_nodes", "find_names", "hub_degree"), _note_search
    ),
    **dict.fromkeys(("communities", "search_communities"), _note_communities),
    "nodes": _note_nodes,
    "edges": _note_edges,
    "documents": _note_documents,
    "facts": _note_facts,
}
