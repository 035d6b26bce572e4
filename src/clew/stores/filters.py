"""What a `Filter` lets through, evaluated on a document; the reference for stores that use SQL.

Values compare by type: text with text (by code point), numbers with numbers, truth values with
truth values, and None with None; a field that is missing counts as None. A comparison across
types is false, never an error.
"""

from __future__ import annotations

from datetime import datetime

from clew.core.documents import Document, Metadata, MetadataValue
from clew.core.query import AllOf, AnyOf, Comparison, Condition, Filter, Not, Predicate, Scalar
from clew.stores.times import in_utc


def passes_document(filter: Filter, document: Document) -> bool:
    """Return whether `document` passes every part of the filter but `labels`.

    A document without a date or language fails a filter on dates or languages.
    """
    if filter.documents and document.id not in filter.documents:
        return False
    if filter.sources and document.source not in filter.sources:
        return False
    if filter.languages and document.language not in filter.languages:
        return False
    if not _published_within(document.published_at, filter.published_from, filter.published_to):
        return False
    return filter.metadata is None or holds(filter.metadata, document.metadata)


def passes_labels(filter: Filter, labels: frozenset[str]) -> bool:
    """Return whether one of `labels` is asked for: a node's own, or those of a chunk's nodes."""
    return not filter.labels or not filter.labels.isdisjoint(labels)


def holds(predicate: Predicate, metadata: Metadata) -> bool:
    """Return whether a document's metadata satisfies the predicate."""
    match predicate:
        case AllOf(parts):
            return all(holds(part, metadata) for part in parts)
        case AnyOf(parts):
            return any(holds(part, metadata) for part in parts)
        case Not(part):
            return not holds(part, metadata)
        case Condition():
            return _condition_holds(predicate, metadata.get(predicate.field))


def _published_within(
    moment: datetime | None, start: datetime | None, end: datetime | None
) -> bool:
    if start is None and end is None:
        return True
    if moment is None:
        return False
    published = in_utc(moment)
    return (start is None or in_utc(start) <= published) and (
        end is None or published < in_utc(end)
    )


def _condition_holds(condition: Condition, actual: MetadataValue) -> bool:
    wanted = condition.value
    if isinstance(wanted, tuple):
        return any(_equal(actual, value) for value in wanted)
    match condition.comparison:
        case Comparison.EQUAL:
            return _equal(actual, wanted)
        case Comparison.NOT_EQUAL:
            return not _equal(actual, wanted)
        case Comparison.EXISTS:
            return (actual is not None) is wanted
        case Comparison.CONTAINS:
            return _contains(actual, wanted)
    order = _order(actual, wanted)
    if order is None:
        return False
    return {
        Comparison.AT_LEAST: order >= 0,
        Comparison.AT_MOST: order <= 0,
        Comparison.ABOVE: order > 0,
        Comparison.BELOW: order < 0,
    }[condition.comparison]


def _equal(actual: MetadataValue, wanted: Scalar) -> bool:
    if isinstance(actual, bool) or isinstance(wanted, bool):
        return actual is wanted
    return not isinstance(actual, list) and actual == wanted


def _contains(actual: MetadataValue, wanted: Scalar) -> bool:
    """Return whether a list holds the text as an element, or a text holds it as a part."""
    if not isinstance(wanted, str):
        return False
    return isinstance(actual, list | str) and wanted in actual


def _order(actual: MetadataValue, wanted: Scalar) -> int | None:
    """Return the sign of actual - wanted, None where they have no order."""
    if isinstance(actual, str) and isinstance(wanted, str):
        return (actual > wanted) - (actual < wanted)
    if isinstance(actual, bool) or isinstance(wanted, bool):
        return None
    if isinstance(actual, int | float) and isinstance(wanted, int | float):
        return (actual > wanted) - (actual < wanted)
    return None
