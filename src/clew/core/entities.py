"""What is told of an entity: its names, evidence, merges and contradictions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from clew.core.decisions import Different, Same
from clew.core.documents import Span
from clew.core.knowledge import Edge, MentionRole, Merge, Node


class ConflictKind(StrEnum):
    """What does not go together: two kinds or labels, two dates or two values of what can have but
    one, and a statement with its denial."""

    KIND = "kind"
    LABEL = "label"
    DATE = "date"
    VALUE = "value"
    DENIAL = "denial"


@dataclass(frozen=True, slots=True)
class ConflictingValue:
    """A value and the chunks that speak for it."""

    value: str
    chunks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Values that contradict each other; `relation` is the edges' own, None for kind and label."""

    kind: ConflictKind
    relation: str | None
    values: tuple[ConflictingValue, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """A name, label or kind, and the number of passages that use it."""

    value: str
    passages: int


@dataclass(frozen=True, slots=True)
class MentioningPassage:
    """A place that mentions an entity; `snippet` is the text around it."""

    chunk: int
    document: int
    title: str
    source: str
    page: int | None
    surface: str
    role: MentionRole
    span: Span
    snippet: str


@dataclass(frozen=True, slots=True)
class EntityEdge:
    """An edge as seen from an entity: `other` is the far end, `forward` whether the edge leads
    there, `quotation` what the surest evidence says."""

    edge: Edge
    forward: bool
    other: int
    other_name: str
    quotation: str | None


@dataclass(frozen=True, slots=True)
class EntityDetails:
    """All that a principal may see of an entity.

    `passages` and `edges` are cut to the asked-for number, best first; `mentions` and `degree` count
    all. `merges` is the log of how names came to this node, `same` and `different` what people
    decided (with all rights only, since names of hidden documents stand there).
    """

    node: Node
    mentions: int
    degree: int
    documents: int
    names: tuple[Count, ...]
    labels: tuple[Count, ...]
    kinds: tuple[Count, ...]
    passages: tuple[MentioningPassage, ...]
    edges: tuple[EntityEdge, ...]
    merges: tuple[Merge, ...]
    same: tuple[Same, ...]
    different: tuple[Different, ...]
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What a merge by a person did: the entity as it is now, and what contradicts itself in it."""

    node: Node
    decision: Same
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class UnmergeReport:
    """What was taken apart: the two entities, None where no document speaks of one any more.

    `decision` is the merge that was undone, or the new rule that a name is another thing; then
    `sources` are those that were read again.
    """

    node: Node | None
    other: Node | None
    decision: Same | Different
    sources: tuple[str, ...] = ()
