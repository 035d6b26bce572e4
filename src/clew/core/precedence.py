"""Which documents of a collection take precedence over others, kept as a fact of the collection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

PRECEDENCE = "precedence"
"""Name of the fact."""


@dataclass(frozen=True, slots=True)
class Precedence:
    """What retrieval must know before it looks at any document.

    `dated` and `rated`: some document has a date of publication, or an authority. `named` tells, by
    source, the keys of the documents that it supersedes or amends as its metadata say; `titled` the
    same as its title says. A key is a normalised source, name of a file, title or public id.
    """

    dated: bool = False
    rated: bool = False
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    titled: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def __bool__(self) -> bool:
        """Return whether any document differs from the others in standing."""
        return bool(self.dated or self.rated or self.named or self.titled)

    def of(self, source: str, *, named: Iterable[str], titled: Iterable[str]) -> Precedence:
        """Return the precedence once `source` refers to these documents, and to no others."""
        return replace(
            self,
            named=_set(self.named, source, tuple(named)),
            titled=_set(self.titled, source, tuple(titled)),
        )

    def text(self) -> str:
        """Return the fact's value."""
        return json.dumps(
            {
                "dated": self.dated,
                "rated": self.rated,
                "named": dict(self.named),
                "titled": dict(self.titled),
            },
            ensure_ascii=False,
            sort_keys=True,
        )


NO_PRECEDENCE = Precedence()


def read_precedence(text: str | None) -> Precedence:
    """Return what a fact's value says; None is a collection without the fact."""
    if text is None:
        return NO_PRECEDENCE
    held = json.loads(text)
    return Precedence(
        held["dated"],
        held["rated"],
        {source: tuple(keys) for source, keys in held["named"].items()},
        {source: tuple(keys) for source, keys in held["titled"].items()},
    )


def _set(
    known: Mapping[str, tuple[str, ...]], source: str, keys: tuple[str, ...]
) -> Mapping[str, tuple[str, ...]]:
    rest = {held: named for held, named in known.items() if held != source}
    return {**rest, source: keys} if keys else rest
