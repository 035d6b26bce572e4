"""Normal forms of names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.names import name_key, numbers, same_numbers, title_names

SAME = [
    ("The Acme Corporation", "acme"),
    ("Acme Corp.", "acme"),
    ("ACME Co., Ltd.", "acme"),
    ("Acme S.p.A.", "acme"),
    ("São Paulo's", "sao paulo"),
    ("James’ Bay", "james bay"),  # noqa: RUF001
    ("J. R. R. Tolkien", "jrr tolkien"),
    ("J.R.R. Tolkien", "jrr tolkien"),
    ("U.S. Army", "us army"),
    ("U.S.", "us"),
    ("John F. Kennedy", "john f kennedy"),
    ("AT&T Inc", "at&t"),
    ("C++", "c++"),
    ("C#", "c#"),
    ("The The", "the"),
    ("The", "the"),
    ("Inc.", "inc"),
    ("Jean-Luc  Picard", "jean luc picard"),
    ("Version 1.2", "version 1 2"),
    ("…", ""),
    ("", ""),
]


@pytest.mark.parametrize(("surface", "key"), SAME)
def test_name_key(surface, key):
    assert name_key(surface) == key


@given(st.text(max_size=30))
def test_a_key_is_its_own_key_unless_suffixes_or_articles_remain(text):
    key = name_key(text)
    assert key == key.strip()
    assert "  " not in key
    if any(char.isalnum() for char in text):
        assert key


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Mercury (planet)", ("Mercury (planet)", "Mercury")),
        ("Oslo", ("Oslo",)),
        ("(What's the Story) Morning Glory?", ("(What's the Story) Morning Glory?",)),
        ("(untitled)", ("(untitled)",)),
    ],
)
def test_title_names(title, names):
    assert title_names(title) == names


def test_numbers_tell_names_apart():
    assert numbers("Boeing 737 MAX8") == ("737", "max8")
    assert numbers("Model T") == ()
    assert numbers("2012 Olympics") != numbers("2016 Olympics")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Rotel RS120 amplifier", "Rotel RS 120 amplifier", True),
        ("Sony DSC-W150 camera DSCW150N", "Sony camera DSCW150N", True),
        ("4GB flash drive", "4 GB flash drive", True),
        ("2012 Olympics", "2016 Olympics", False),
        ("Apollo 1", "Apollo 11", False),
        ("Unit 1 of 11", "Unit 11", False),
        ("Version 1.0", "Version 10", False),
        ("Phone 4", "Phone 4s", False),
        ("Olympics 2012", "Olympics", False),
        ("Model T", "Model S", True),
    ],
)
def test_numbers_agree_however_they_are_spaced(first, second, same):
    assert same_numbers(first, second) is same
    assert same_numbers(second, first) is same
