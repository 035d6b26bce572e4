"""What `--where` says, checked on metadata."""

from __future__ import annotations

import pytest

from clew.core.documents import Metadata
from clew.core.errors import QueryError
from clew.serve.cli.conditions import condition_of
from clew.stores.filters import holds

METADATA: Metadata = {
    "year": 2024,
    "version": "2024",
    "tags": ["red", "old"],
    "name": "a = b",
    "draft": True,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("year=2024", True),
        ("version = 2024", True),
        ("draft=true", True),
        ("name=a = b", True),
        ("year=2023", False),
        ("year!=2023", True),
        ("version!=2024", False),
        ("missing!=1", True),
        ("year>=2024", True),
        ("year>2024", False),
        ("year<=2024.5", True),
        ("year<2024", False),
        ("version>=2023", True),
        ("missing>=0", False),
        ("tags~red", True),
        ("tags~re", False),
        ("name~= b", True),
        ('{"year": {"gte": 2024}, "tags": {"contains": "old"}}', True),
        ('{"or": [{"year": 2023}, {"not": {"draft": true}}]}', False),
        ("{}", True),
    ],
)
def test_on_metadata(*, text: str, expected: bool) -> None:
    assert holds(condition_of(text), METADATA) is expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("year", "not written KEY=VALUE"),
        ("=2024", "not written KEY=VALUE"),
        ("{year", "is no JSON"),
        ('{"year": {"over": 3}}', "operator 'over'"),
    ],
)
def test_what_is_not_understood(text: str, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        condition_of(text)
