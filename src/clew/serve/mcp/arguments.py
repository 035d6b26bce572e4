"""Arguments that several tools share."""

from __future__ import annotations

from pydantic import Field

from clew.serve.rest.models_of_questions import Request, Words


class AtCollection(Request):
    """Arguments of a tool that works on one collection."""

    collection: Words | None = Field(
        default=None, description="A collection; left out, the server's own (`collections`)."
    )
