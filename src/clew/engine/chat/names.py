"""What a question or an answer names: by capitals, and by the names that the collection knows."""

from __future__ import annotations

from dataclasses import dataclass

from clew.core.conversation import NamedThing
from clew.core.ports import Store
from clew.core.query import Principal
from clew.text.name_phrases import name_phrases
from clew.text.names import name_key
from clew.text.stop_words import STOP_WORDS
from clew.text.tokens import fold, words

_PEOPLE = frozenset({"person", "per", "people"})
_LONGEST = 6


@dataclass(frozen=True, slots=True)
class CollectionNames:
    """Implements `NameReader`: who is a person is told by the label of the node of that name."""

    store: Store
    collection: str
    principal: Principal

    def __call__(self, text: str) -> tuple[NamedThing, ...]:
        """Return capitalised names; where a text has none, names that the collection knows."""
        names = name_phrases(text) or self._known(text)
        keys = {name: name_key(name) for name in names}
        people = self._people([key for key in keys.values() if key])
        return tuple(NamedThing(name, keys[name] in people) for name in names)

    def _people(self, keys: list[str]) -> frozenset[str]:
        found = self._nodes(keys)
        first = {key: nodes[0] for key, nodes in found.items() if nodes}
        nodes = self.store.nodes(
            self.collection, sorted(set(first.values())), principal=self.principal
        )
        labels = {node.id: (node.label or "").casefold() for node in nodes}
        return frozenset(key for key, node in first.items() if labels.get(node) in _PEOPLE)

    def _known(self, text: str) -> tuple[str, ...]:
        """Return what a text in lower case names: runs of words that are somebody's proper name."""
        found = words(text)
        runs = [
            (first, last)
            for length in range(min(_LONGEST, len(found)), 0, -1)
            for first in range(len(found) - length + 1)
            for last in [first + length]
            if fold(found[first].text) not in STOP_WORDS
            and fold(found[last - 1].text) not in STOP_WORDS
        ]
        surfaces = {run: text[found[run[0]].start : found[run[1] - 1].end] for run in runs}
        keys = {run: name_key(surface) for run, surface in surfaces.items()}
        nodes = self._nodes([key for key in keys.values() if key])
        proper = self._proper({ids[0] for ids in nodes.values() if ids})
        taken: set[int] = set()
        kept: list[tuple[int, int]] = []
        for run in runs:
            ids = nodes.get(keys[run], ())
            if ids and ids[0] in proper and taken.isdisjoint(range(*run)):
                taken.update(range(*run))
                kept.append(run)
        return tuple(dict.fromkeys(surfaces[run] for run in sorted(kept)))

    def _nodes(self, keys: list[str]) -> dict[str, tuple[int, ...]]:
        if not keys:
            return {}
        unique = list(dict.fromkeys(keys))
        return dict(self.store.find_names(self.collection, unique, principal=self.principal))

    def _proper(self, ids: set[int]) -> frozenset[int]:
        nodes = self.store.nodes(self.collection, sorted(ids), principal=self.principal)
        return frozenset(node.id for node in nodes if any(char.isupper() for char in node.name))
