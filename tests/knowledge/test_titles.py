from __future__ import annotations

import pytest

from clew.core.documents import Document
from clew.core.ids import node_id
from clew.core.knowledge import NodeType
from clew.knowledge.titles import page_of, page_subject, title_kind


def document(title: str, source: str = "a.md") -> Document:
    return Document(1, source, "hash", title, "text")


@pytest.mark.parametrize(
    "title",
    [
        "Joseph Stella",
        "Mercury (planet)",
        "Canine degenerative myelopathy",
        "demon",
        "Killer: A Journal of Murder (film)",
        "Cheer Up! (TV series)",
        "2009 Turner Prize",
        "Who Framed",
    ],
)
def test_names_of_things(title: str) -> None:
    assert title_kind(title) is NodeType.ENTITY


@pytest.mark.parametrize(
    "title",
    [
        "q3-report-final",
        "notes_2024",
        "meeting notes from monday",
        "How do I connect Acme to Beta?",
        "Everything you ever wanted to know about the history of our company and more",
        "Annual Report",
        "readme.md",
        "2024",
        "",
    ],
)
def test_titles_that_are_no_names(title: str) -> None:
    assert title_kind(title) is NodeType.DOCUMENT


def test_a_name_is_one_node_whatever_its_source() -> None:
    first, second = page_of(document("Ada Lovelace", "a")), page_of(document("Ada Lovelace", "b"))

    assert first is not None
    assert second is not None
    assert first.node == second.node == node_id("ada lovelace")


def test_a_mere_title_belongs_to_its_source() -> None:
    first, second = page_of(document("Annual Report", "a")), page_of(document("Annual Report", "b"))

    assert first is not None
    assert second is not None
    assert first.node != second.node


def test_qualified_titles_name_both_forms_but_are_one_node() -> None:
    page = page_of(document("Mercury (planet)"))

    assert page is not None
    assert page.names == ("Mercury (planet)", "Mercury")
    assert page.node == node_id("mercury planet")


def test_only_names_have_pronouns() -> None:
    assert page_subject(document("Ada Lovelace")) == "Ada Lovelace"
    assert page_subject(document("q3-report-final")) is None
    assert page_of(document("---")) is None
