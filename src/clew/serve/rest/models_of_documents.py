"""Requests that add documents and make collections."""

from __future__ import annotations

from typing import Annotated

from pydantic import AwareDatetime, ConfigDict, Field

from clew.serve.rest.models_of_questions import Request, Words

MetadataField = str | int | float | bool | list[str] | None
WebAddress = Annotated[str, Field(pattern=r"^https?://", max_length=2000)]
RESERVED = frozenset("collections chat models jobs keys rag".split())


class CollectionName(Request):
    """A new collection: letters, digits, dot, hyphen and underscore."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "contracts"}]})

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")


class TextDocument(Request):
    """A text and what is known of it; another text under the same `source` replaces it."""

    text: str = Field(min_length=1)
    source: Words
    title: Words | None = None
    authors: list[Words] = Field(default=[], max_length=1000)
    language: Words | None = None
    published_at: AwareDatetime | None = None
    authority: float | None = Field(default=None, ge=0, le=1)
    metadata: dict[Words, MetadataField] = Field(default={}, max_length=1000)
    acl: list[Words] = Field(default=[], max_length=1000, description="Groups; none: everyone.")

    def record(self, acl: frozenset[str]) -> dict[str, object]:
        """Return the document as `Clew.add` takes it, to be seen by `acl`."""
        given = self.model_dump(exclude_none=True, exclude={"acl"})
        return {**given, "acl": sorted(acl)}


class NewDocuments(Request):
    """Texts and web pages to add. Pages are fetched from public addresses alone."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "documents": [
                        {"source": "minutes-1", "text": "Acme Corp acquired Beta Labs in 2021."}
                    ]
                }
            ]
        }
    )

    documents: list[TextDocument] = Field(default=[], max_length=1000)
    urls: list[WebAddress] = Field(default=[], max_length=100)
    acl: list[Words] = Field(default=[], max_length=1000, description="Groups that see the pages.")
