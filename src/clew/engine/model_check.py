"""Facts of a collection: which models and which chunking made what it holds."""

from __future__ import annotations

from clew.core.errors import ModelMismatchError
from clew.core.ports import Catalogue, Embedder

EMBEDDER = "embedder"
EXTRACTOR = "extractor"
CHUNKING = "chunking"


def require_same_model(store: Catalogue, collection: str, embedder: Embedder) -> None:
    """Check that a collection's vectors were made by `embedder`, if it has any yet.

    Raises:
        ModelMismatchError: they were made by another model.
    """
    known = store.facts(collection).get(EMBEDDER)
    if known is not None and known != embedder.fingerprint:
        raise ModelMismatchError(
            f"the vectors of the collection {collection!r} were made by the model {known!r}, and "
            f"the one configured is {embedder.fingerprint!r}; configure the first again, or go over "
            "to the other with: clew reembed"
        )
