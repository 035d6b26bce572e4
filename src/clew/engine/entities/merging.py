"""Merging by a person, and taking such a merge back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from clew.core.decisions import Same
from clew.core.entities import MergeReport, UnmergeReport
from clew.core.errors import NotFoundError, QueryError
from clew.core.ids import format_id, node_id
from clew.core.knowledge import MentionRole, Node
from clew.core.ports import Store
from clew.engine.entities.decided import (
    change_decisions,
    read_decisions,
    with_same,
    without_same,
)
from clew.engine.entities.details import gather_evidence
from clew.text.names import name_key


def merge_nodes(
    store: Store,
    collection: str,
    kept: Node,
    merged: Node,
    *,
    clock: Callable[[], datetime],
    single_valued: frozenset[str],
) -> MergeReport:
    """Read `merged` as `kept` from now on.

    Raises:
        QueryError: they are one already.
    """
    if kept.id == merged.id:
        raise QueryError(f"{kept.name!r} and {merged.name!r} are one already")
    with store.transaction():
        decision = Same(
            node=merged.id,
            into=kept.id,
            name=merged.name,
            into_name=kept.name,
            keys=tuple(sorted(_keys(store, collection, merged) - _keys(store, collection, kept))),
            decided_at=clock(),
        )
        change_decisions(store, collection, lambda before: with_same(before, decision))
        node = store.nodes(collection, [kept.id])[0]
        conflicts = gather_evidence(store, collection, node).conflicts(single_valued)
    return MergeReport(node, decision, conflicts)


def undo_merge(store: Store, collection: str, decision: Same) -> UnmergeReport:
    """Take a merge back; everything is as if it had never been."""
    with store.transaction():
        after = change_decisions(store, collection, lambda before: without_same(before, decision))
        kept, other = (
            next(iter(store.nodes(collection, [after.merged.root(node)])), None)
            for node in (decision.into, decision.node)
        )
    return UnmergeReport(kept, other, decision)


def find_merge(
    store: Store, collection: str, names: Iterable[str | int], nodes: Iterable[int]
) -> Same | None:
    """Return the newest merge that all `names` belong to, or to whose outcome `nodes` belong.

    A name belongs to a merge if either side was called so, or is it by id.
    """
    decisions = read_decisions(store, collection)
    wanted = list(names)
    for each in reversed(decisions.same):
        if all(_belongs(each, name) for name in wanted):
            return each
    if len(wanted) > 1:
        return None
    roots = set(nodes)
    return next(
        (e for e in reversed(decisions.same) if decisions.merged.root(e.node) in roots), None
    )


def the_node(store: Store, collection: str, nodes: tuple[int, ...], name: str | int) -> Node:
    """Return the node that a name stands for.

    Raises:
        QueryError: it stands for several; the message gives their ids.
    """
    found = store.nodes(collection, nodes)
    if not found:
        raise NotFoundError(f"nothing in the collection {collection!r} is named {name!r}")
    if len(found) > 1:
        several = ", ".join(f"{format_id(node.id)} ({node.name})" for node in found)
        raise QueryError(f"{name!r} names several things; give the id of one: {several}")
    return found[0]


def _keys(store: Store, collection: str, node: Node) -> set[str]:
    mentions = gather_evidence(store, collection, node).mentions
    return {mention.key for mention in mentions if mention.role is not MentionRole.LINK}


def _belongs(decision: Same, name: str | int) -> bool:
    sides = (decision.node, decision.into)
    if isinstance(name, int):
        return name in sides
    key = name_key(name)
    called = {name_key(decision.name), name_key(decision.into_name), *decision.keys}
    return key in called or node_id(key) in sides or name in map(format_id, sides)
