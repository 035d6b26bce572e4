"""Taking a name away from an entity that resolution gave it to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from clew.core.decisions import Decisions, Different
from clew.core.entities import UnmergeReport
from clew.core.errors import NotFoundError, QueryError
from clew.core.ids import node_id
from clew.core.knowledge import MentionRole, Node
from clew.core.ports import Store
from clew.engine.entities.decided import change_decisions, with_different
from clew.engine.entities.details import Evidence, gather_evidence
from clew.engine.indexing.pipeline import run_steps
from clew.engine.indexing.rereading import read_again
from clew.engine.indexing.run import Run
from clew.knowledge.resolution import canonical_surface
from clew.text.names import name_key


def split_name(
    store: Store,
    collection: str,
    node: Node,
    name: str,
    *,
    clock: Callable[[], datetime],
    make_run: Callable[[Decisions], Run],
) -> UnmergeReport:
    """Decide that `name` is another thing than `node`, and read again every document that uses it.

    Raises:
        NotFoundError: the node is not called so; the message gives its names.
        QueryError: it is the node's own name, or the title of its page.
    """
    found = gather_evidence(store, collection, node)
    key = name_key(name)
    _require_other_name(found, name, key)
    called = canonical_surface(node.id, node.name, node.aliases)
    decision = Different(key, node.id, name_key(called), node_id(key), name, called, clock())
    used = {mention.chunk for mention in found.mentions if mention.key == key}
    holding = sorted({found.chunks[chunk].document for chunk in used if chunk in found.chunks})
    with store.transaction():
        decisions = change_decisions(
            store, collection, lambda before: with_different(before, decision)
        )
        run = make_run(decisions)
        documents = store.documents(collection, ids=holding)
        read_again(run, documents)
    run_steps(run)
    first, second = (
        next(iter(store.nodes(collection, [each])), None) for each in (node.id, node_id(key))
    )
    return UnmergeReport(first, second, decision, tuple(document.source for document in documents))


def _require_other_name(found: Evidence, name: str, key: str) -> None:
    node = found.node
    called = [mention for mention in found.mentions if mention.key == key]
    if not called:
        names = ", ".join(map(repr, (node.name, *node.aliases)))
        raise NotFoundError(f"{name!r} is no name of {node.name!r}; its names: {names}")
    if any(mention.role is MentionRole.TITLE for mention in called):
        raise QueryError(
            f"{name!r} is the title of a document, and so the name of what it is about; "
            "take the other names away instead"
        )
    if node_id(key) == node.id:
        raise QueryError(
            f"{name!r} is the name that {node.name!r} was first known by; "
            "take the other names away instead"
        )
