"""What decides which node a name stands for, vectors apart: the page, what the text explains, short
names of persons, and equal keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from clew.core.extraction import FoundName
from clew.core.ids import node_id
from clew.core.knowledge import Merge, NodeType
from clew.knowledge.identity import is_short_name
from clew.knowledge.name_index import NameIndex
from clew.knowledge.titles import Page
from clew.text.names import name_key


@dataclass(slots=True)
class Run:
    """What this run has learned of a collection beside its store: nodes by key, first surface by
    (key, node), pages by title key, and canonical names with vectors."""

    nodes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    surfaces: dict[tuple[str, int], str] = field(default_factory=dict)
    pages: dict[str, tuple[int, ...]] = field(default_factory=dict)
    index: NameIndex = field(default_factory=NameIndex)

    def learn(self, key: str, node: int, surface: str) -> bool:
        """Remember that `key` names `node`; return whether that is new to this run."""
        known = self.nodes.get(key, ())
        if node in known:
            return False
        self.nodes[key] = (*known, node)
        self.surfaces[key, node] = surface
        return True


def _nothing_forbidden(key: str, node: int) -> bool:  # noqa: ARG001 - the signature is given
    return False


@dataclass(slots=True)
class Names:
    """The names of one document by key while they are being resolved. `first` is the first name
    with its chunk, `people` the keys that were read as persons, `bare` the stored nodes by bare
    title, `forbidden` whether a person refused a key a node, `nodes` the outcome."""

    first: dict[str, tuple[int, FoundName]]
    people: frozenset[str]
    alias_of: Mapping[str, str]
    stored: Mapping[str, tuple[int, ...]]
    bare: frozenset[tuple[str, int]]
    nodes: dict[str, int] = field(default_factory=dict)
    merges: list[Merge] = field(default_factory=list)
    created: list[int] = field(default_factory=list)
    forbidden: Callable[[str, int], bool] = _nothing_forbidden

    def decide(self, key: str, node: int, score: float = 1.0, reason: str | None = None) -> None:
        """Take `key` to name `node`, for a reason that is worth the log."""
        self.nodes[key] = node
        if reason is not None:
            chunk = self.first[key][0] if key in self.first else 0
            self.merges.append(Merge(key, node, chunk, score, reason))

    def may_share(self, key: str) -> bool:
        """Return whether one word may name what it named in other documents: an abbreviation or
        a common noun, but no capitalised word, which may be a surname."""
        if key not in self.first:
            return True
        surface = self.first[key][1].surface
        return surface.isupper() or surface.islower()

    def create(self, key: str) -> None:
        """Make a node of `key`."""
        node = node_id(key)
        self.nodes[key] = node
        self.created.append(node)


def resolve_page(names: Names, page: Page | None) -> None:
    """Give the names of the document's own title its node."""
    if page is None:
        return
    for name in page.names:
        names.nodes[name_key(name)] = page.node


def resolve_aliases(names: Names, run: Run, page: Page | None) -> None:
    """Give an abbreviation the node of its full name, which is resolved by its own key first."""
    for key, full in names.alias_of.items():
        full_key = name_key(full)
        if key in names.nodes or full_key in names.alias_of:
            continue
        if full_key not in names.nodes:
            _resolve_exactly(full_key, names, run)
        if names.forbidden(key, names.nodes[full_key]):
            continue
        own = page is not None and page.node == names.nodes[full_key]
        names.decide(key, names.nodes[full_key], 1.0, "title" if own else "acronym")


def resolve_known(names: Names, run: Run, *, except_for: Collection[str]) -> None:
    """Give names the node that has their key."""
    for key in names.first:
        if key not in names.nodes and key not in except_for:
            node = _exact(key, names, run)
            if node is not None:
                names.decide(key, node)


def _resolve_exactly(key: str, names: Names, run: Run) -> None:
    """Give a name the node that has its key, a new one where there is none."""
    node = _exact(key, names, run)
    if node is None:
        names.create(key)
    else:
        names.decide(key, node)


def _exact(key: str, names: Names, run: Run) -> int | None:
    """Return the only node with the key; of several the one that the key made, if it is there.

    A bare title that several pages share names none of them by itself, and a surname that stood
    for somebody in another document stands for nobody here.
    """
    learnt = (node for node in run.nodes.get(key, ()) if not names.forbidden(key, node))
    known = dict.fromkeys((*names.stored.get(key, ()), *learnt))
    own = node_id(key)
    if own in known:
        return own
    if " " not in key and not names.may_share(key):
        known = dict.fromkeys(
            node for node in known if node in run.pages.get(key, ()) or (key, node) in names.bare
        )
    return next(iter(known)) if len(known) == 1 else None


def short_names(names: Names, page: Page | None) -> dict[str, list[str]]:
    """Return, by short name, the persons that the document names in full and it may stand for.

    A word that was not read as a person counts only if it is the surname of the page's person.
    """
    people = [key for key in names.people if " " in key]
    own: list[str] = []
    if page is not None and page.named and page.key in names.people:
        own = [name_key(page.names[-1])]
    shorts: dict[str, list[str]] = {}
    for key, (_, name) in names.first.items():
        if name.kind is not NodeType.ENTITY or key in names.nodes:
            continue
        if key in names.people:
            full = [other for other in dict.fromkeys((*people, *own)) if is_short_name(key, other)]
        else:
            full = [other for other in own if other.split()[-1] == key and other != key]
        if full:
            shorts[key] = sorted(full)
    return shorts


def resolve_short_names(
    names: Names, run: Run, page: Page | None, shorts: Mapping[str, list[str]]
) -> None:
    """Give "Porcaro" the node of "Jeff Porcaro", if the document names one such person, or if one
    of several is the page's. The longest names are resolved first."""
    for key in sorted(shorts, key=lambda key: (-len(key.split()), key)):
        persons = (names.nodes.get(other, node_id(other)) for other in shorts[key])
        full = {node for node in persons if not names.forbidden(key, node)}
        if page is not None and page.node in full:
            full = {page.node}
        if len(full) == 1:
            names.decide(key, full.pop(), 1.0, "short name")
        else:
            _resolve_exactly(key, names, run)


def log_spellings(names: Names, run: Run) -> None:
    """Log that a key is known by another spelling in this run."""
    logged = {(merge.key, merge.node) for merge in names.merges}
    for key, (chunk, name) in names.first.items():
        node = names.nodes[key]
        before = run.surfaces.get((key, node))
        respelt = before is not None and before.casefold() != name.surface.casefold()
        if respelt and (key, node) not in logged:
            names.merges.append(Merge(key, node, chunk, 1.0, "normalised"))


def learn_names(names: Names, run: Run, page: Page | None) -> tuple[str, ...]:
    """Remember the outcome; return the keys that neither store nor run had for their node."""
    new: dict[str, None] = {}
    for key, node in names.nodes.items():
        surface = names.first[key][1].surface if key in names.first else key
        fresh = run.learn(key, node, surface)
        if (fresh or key in run.pages) and node not in names.stored.get(key, ()):
            new[key] = None
    if page is not None and not page.named:
        new.pop(page.key, None)
    return tuple(new)
