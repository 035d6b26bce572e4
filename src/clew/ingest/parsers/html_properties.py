"""Title, authors, date and language that a web page states about itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from clew.ingest.parsers.linked_data import LinkedData, read_linked_data
from clew.ingest.timestamps import lenient_timestamp

_TITLE_KEYS = ("og:title", "twitter:title", "dc.title", "citation_title")
_AUTHOR_KEYS = ("author", "article:author", "dc.creator", "citation_author", "parsely-author")
_DATE_KEYS = (
    "article:published_time",
    "datepublished",
    "citation_publication_date",
    "dc.date",
    "dc.date.issued",
    "date",
    "pubdate",
    "parsely-pub-date",
)
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_]|$)")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class HtmlProperties:
    """What the page's head, and failing that its first heading, says."""

    title: str | None
    authors: tuple[str, ...]
    published_at: datetime | None
    language: str | None


def read_properties(root: etree._Element) -> HtmlProperties:
    """Return the properties of a parsed page; a URL is no author.

    What `meta` says goes before JSON-LD, and that before the page's own headings and times.
    """
    linked = read_linked_data(root)
    values: dict[str, list[str]] = {}
    for meta in root.iter("meta"):
        key = meta.get("name") or meta.get("property") or meta.get("itemprop") or ""
        content = _SPACES.sub(" ", meta.get("content") or "").strip()
        if key and content:
            values.setdefault(key.casefold(), []).append(content)
    authors = next((values[key] for key in _AUTHOR_KEYS if key in values), [])
    language = _LANGUAGE.match(root.get("lang") or "")
    return HtmlProperties(
        title=_title(root, values, linked),
        authors=tuple(author for author in authors if "://" not in author) or linked.authors,
        published_at=_published(root, values, linked),
        language=language[1].lower() if language and len(language[1]) == 2 else None,
    )


def _title(root: etree._Element, values: dict[str, list[str]], linked: LinkedData) -> str | None:
    """Return the title; where `title` adds the site's name to a heading, that heading."""
    named = next((values[key][0] for key in _TITLE_KEYS if key in values), None)
    if named or linked.title:
        return named or linked.title
    title = next(iter(_texts(root, "title")), None)
    headings = _texts(root, "h1")
    if title is None:
        return next(iter(headings), None)
    return next((heading for heading in headings if title.startswith(heading)), title)


def _published(
    root: etree._Element, values: dict[str, list[str]], linked: LinkedData
) -> datetime | None:
    stated = [value for key in _DATE_KEYS for value in values.get(key, [])]
    shown = [time.get("datetime") or "" for time in root.iter("time")][:1]
    return _first_date(stated) or linked.published_at or _first_date(shown)


def _first_date(written: list[str]) -> datetime | None:
    read = (lenient_timestamp(value.replace("/", "-")) for value in written)
    return next((moment for moment in read if moment is not None), None)


def _texts(root: etree._Element, tag: str) -> list[str]:
    texts = (_SPACES.sub(" ", "".join(each.itertext())).strip() for each in root.iter(tag))
    return [text for text in texts if text]
