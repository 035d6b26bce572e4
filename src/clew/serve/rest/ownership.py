"""What a caller that is kept to groups may write: nothing that it could not see afterwards, and
nothing in the place of what it cannot see."""

from __future__ import annotations

from collections.abc import Iterable

from clew.core.query import Filter
from clew.serve.rest.caller import Caller
from clew.serve.rest.problems import Problem


def acl_of(caller: Caller, wanted: Iterable[str]) -> frozenset[str]:
    """Return the groups that shall see a document: those wanted, or the caller's own.

    Raises:
        Problem: a group is not the caller's.
    """
    acl, own = frozenset(wanted), caller.principal.groups
    if own is None:
        return acl
    foreign = sorted(acl - own)
    if foreign:
        raise Problem(403, f"This key is not in the group {foreign[0]!r}.")
    return acl or own


def require_own_sources(caller: Caller, sources: Iterable[str]) -> None:
    """Check that no document under `sources` is hidden from the caller.

    Raises:
        Problem: one is; it may not be replaced.
    """
    named = frozenset(sources)
    if caller.principal.groups is None or not named:
        return
    for document in caller.clew.documents(filter=Filter(sources=named)):
        if not caller.principal.may_see(document.acl):
            raise Problem(403, "A source has the name of one that this key may not replace.")
