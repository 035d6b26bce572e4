"""What a job is to add, where and as whom."""

from __future__ import annotations

from dataclasses import dataclass

from clew.serve.rest.models_of_documents import NewDocuments


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent: its content, its checked type, the client's name, who may see it."""

    data: bytes
    suffix: str
    filename: str
    acl: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """What a job adds, where and as whom; `groups` None means all rights."""

    collection: str
    groups: frozenset[str] | None
    request_id: str
    what: NewDocuments | Upload
