"""The decisions of people about names: a fact of the collection, and what the store makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from clew.core.decisions import Decisions, Different, Same
from clew.core.errors import StoreError
from clew.core.ids import format_id, parse_id
from clew.core.ports import Store

FACT = "entity decisions"
"""Name of the fact: JSON, ids in their public form, times in ISO 8601."""


def read_decisions(store: Store, collection: str) -> Decisions:
    """Return what was decided.

    Raises:
        StoreError: the fact is damaged.
    """
    text = store.facts(collection).get(FACT)
    if not text:
        return Decisions()
    try:
        held = json.loads(text)
        return Decisions(
            tuple(
                Same(
                    node=parse_id(row["node"]),
                    into=parse_id(row["into"]),
                    name=row["name"],
                    into_name=row["into_name"],
                    keys=tuple(row["keys"]),
                    decided_at=datetime.fromisoformat(row["decided_at"]),
                )
                for row in held["same"]
            ),
            tuple(
                Different(
                    key=row["key"],
                    node=parse_id(row["node"]),
                    other_key=row["other_key"],
                    other_node=parse_id(row["other_node"]),
                    name=row["name"],
                    other_name=row["other_name"],
                    decided_at=datetime.fromisoformat(row["decided_at"]),
                )
                for row in held["different"]
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"the fact {FACT!r} of the collection {collection!r} is damaged ({error}); "
            "restore a copy of the store"
        ) from error


def change_decisions(
    store: Store, collection: str, change: Callable[[Decisions], Decisions]
) -> Decisions:
    """Change what was decided, and what the store reads as one, in one transaction."""
    with store.transaction():
        before = read_decisions(store, collection)
        after = change(before)
        if (before.same, before.different) != (after.same, after.different):
            store.set_fact(collection, FACT, _text(after))
            if dict(before.merged.roots) != dict(after.merged.roots):
                store.set_merged(collection, after.merged.roots)
    return after


def with_same(decisions: Decisions, decision: Same) -> Decisions:
    """Return decisions in which two nodes are one, and nothing says that they are not."""
    kept = tuple(
        each
        for each in decisions.different
        if {each.node, each.other_node} != {decision.node, decision.into}
    )
    return Decisions((*decisions.same, decision), kept)


def without_same(decisions: Decisions, decision: Same) -> Decisions:
    """Return decisions without one merge."""
    return Decisions(
        tuple(each for each in decisions.same if each != decision), decisions.different
    )


def with_different(decisions: Decisions, decision: Different) -> Decisions:
    """Return decisions in which a name is not a node."""
    known = [(each.key, each.node) for each in decisions.different]
    if (decision.key, decision.node) in known:
        return decisions
    return replace(decisions, different=(*decisions.different, decision))


def _text(decisions: Decisions) -> str:
    same = [
        {
            "node": format_id(each.node),
            "into": format_id(each.into),
            "name": each.name,
            "into_name": each.into_name,
            "keys": list(each.keys),
            "decided_at": each.decided_at.isoformat(),
        }
        for each in decisions.same
    ]
    different = [
        {
            "key": each.key,
            "node": format_id(each.node),
            "other_key": each.other_key,
            "other_node": format_id(each.other_node),
            "name": each.name,
            "other_name": each.other_name,
            "decided_at": each.decided_at.isoformat(),
        }
        for each in decisions.different
    ]
    if not same and not different:
        return ""
    return json.dumps({"same": same, "different": different}, ensure_ascii=False)
