"""What a page states about itself in JSON-LD, and what goes before what."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from clew.core.documents import ParsedText
from clew.ingest.parsers import html

ARTICLE = {
    "@type": "NewsArticle",
    "headline": "The  Great Fire",
    "author": [{"name": "Ann Lee"}, "Bo Berg", {"name": "https://x.org/me"}],
    "datePublished": "2021-03-04T05:00:00Z",
}


def parse(data: object, head: str = "", body: str = "<h1>Head</h1><p>Text.</p>") -> ParsedText:
    written = data if isinstance(data, str) else json.dumps(data)
    block = f'<script type="application/ld+json">{written}</script>'
    page = f"<html><head><title>Site</title>{head}{block}</head><body>{body}</body></html>"
    return html.parse(page.encode(), name="a.html")


@pytest.mark.parametrize("data", [ARTICLE, [ARTICLE], {"@graph": [{"@type": "WebSite"}, ARTICLE]}])
def test_headline_authors_and_date_are_read(data):
    parsed = parse(data)
    assert parsed.title == "The Great Fire"
    assert parsed.authors == ("Ann Lee", "Bo Berg")
    assert parsed.published_at == datetime(2021, 3, 4, 5, tzinfo=UTC)
    assert "Great Fire" not in parsed.text


def test_meta_goes_before_json_ld_and_that_before_the_layout():
    head = (
        '<meta property="og:title" content="Meta"><meta name="author" content="Cy">'
        '<meta name="date" content="2020-01-01">'
    )
    parsed = parse(ARTICLE, head)
    assert (parsed.title, parsed.authors) == ("Meta", ("Cy",))
    assert parsed.published_at == datetime(2020, 1, 1, tzinfo=UTC)
    body = '<h1>Head</h1><p><time datetime="1999-01-01">then</time> Text.</p>'
    assert parse(ARTICLE, body=body).published_at == datetime(2021, 3, 4, 5, tzinfo=UTC)
    assert parse({}, body=body).published_at == datetime(1999, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "data", ["{broken", "[" * 100_000, "null", "7", '{"headline": 7, "author": 7}', '{"@graph": 1}']
)
def test_broken_blocks_say_nothing(data):
    parsed = parse(data)
    assert (parsed.title, parsed.authors, parsed.published_at) == ("Site", (), None)
