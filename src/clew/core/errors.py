"""The one error tree. Every message says what was wrong, where, and what to do."""

from __future__ import annotations


class ClewError(Exception):
    """Base of every error that Clew raises on purpose."""


class SettingsError(ClewError):
    """A setting is unknown, malformed or contradicts another."""


class MissingExtraError(ClewError):
    """An optional dependency is not installed; the message names the extra."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"{package!r} is needed for this and is not installed: pip install 'clew[{extra}]'"
        )
        self.package = package
        self.extra = extra


class QueryError(ClewError):
    """A question or one of its parameters is invalid."""


class UnsupportedModeError(QueryError):
    """A retrieval mode exists by name but is not available in this build or collection."""


class IngestError(ClewError):
    """A source cannot be read or a document cannot be indexed."""


class ParseError(IngestError):
    """A file's content cannot be parsed; carries the machine-readable reason."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class FetchError(IngestError):
    """A web address cannot be read; carries the machine-readable reason. The message and what it
    names hold no credentials."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class SchemaError(IngestError):
    """A metadata schema is malformed, or a document's metadata break it."""


class NotFoundError(ClewError):
    """A document, node, collection or job that was named does not exist."""


class StoreError(ClewError):
    """A store cannot be read or written; the query or ingest that needed it stops."""


class StoreVersionError(StoreError):
    """The store was written by a newer Clew."""


class StoreBusyError(StoreError):
    """Another process held the write lock for longer than the time-out."""


class ModelError(ClewError):
    """A model cannot be loaded or gave an unusable result."""


class RequestRefusedError(ModelError):
    """The endpoint does not take this request as it is; asking again gives the same."""


class UnusableAnswerError(ModelError):
    """A language model was told its mistake and still gave what cannot be used; the server works."""


class BudgetReachedError(ModelError):
    """Asking on could cost more than the budget allows; nothing was sent."""


class ModelMismatchError(ModelError):
    """The collection's vectors were made by another model than the one configured."""


class ExtractionError(ClewError):
    """Knowledge extraction failed for a unit of text."""


class ReasoningError(ClewError):
    """The reasoner cannot proceed."""


class CausalError(ClewError):
    """A causal effect cannot be identified, estimated or refuted as asked."""


class EvaluationError(ClewError):
    """A data set or a judge is unusable."""


class JobCancelledError(ClewError):
    """A job was told to end; what it had committed is kept."""
