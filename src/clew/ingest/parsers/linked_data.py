"""What a web page states about itself in JSON-LD: headline, authors and date (schema.org)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from clew.ingest.timestamps import lenient_timestamp

_TYPE = "application/ld+json"
_LARGEST = 1_000_000
_MOST = 1_000


@dataclass(frozen=True, slots=True)
class LinkedData:
    """The first headline, authors and date of publication among a page's items."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    published_at: datetime | None = None


def read_linked_data(root: etree._Element) -> LinkedData:
    """Return what the JSON-LD blocks of a parsed page say; broken ones say nothing."""
    items = [item for block in root.iter("script") for item in _items_of(block)]
    titles = (item["headline"] for item in items if isinstance(item.get("headline"), str))
    authors = (_names(item.get("author")) for item in items)
    dates = (lenient_timestamp(item.get("datePublished")) for item in items)
    return LinkedData(
        title=" ".join(str(next(titles, "")).split()) or None,
        authors=next((names for names in authors if names), ()),
        published_at=next((date for date in dates if date is not None), None),
    )


def _items_of(block: etree._Element) -> Iterator[dict[str, object]]:
    written = "".join(block.itertext())
    if (block.get("type") or "").strip().casefold() != _TYPE or len(written) > _LARGEST:
        return
    try:
        pending = [json.loads(written)]
    except (ValueError, RecursionError):
        return
    for _ in range(_MOST):
        if not pending:
            return
        item = pending.pop(0)
        if isinstance(item, list):
            pending = [*item[:_MOST], *pending]
        elif isinstance(item, dict):
            yield item
            pending.insert(0, item.get("@graph"))


def _names(author: object) -> tuple[str, ...]:
    each = author if isinstance(author, list) else [author]
    names = (item.get("name") if isinstance(item, dict) else item for item in each)
    texts = (" ".join(name.split()) for name in names if isinstance(name, str))
    return tuple(name for name in texts if name and "://" not in name)
