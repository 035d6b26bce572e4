"""What a document's title is: the name of the thing that the document is about, or just a title."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.core.documents import Document
from clew.core.ids import node_id
from clew.core.knowledge import NodeType
from clew.text.names import name_key, title_names

_MAX_NAME_WORDS = 10
_MAX_QUESTION_WORDS = 3
_ASKING = frozenset("how why what when where who which is are do does can should como por".split())
_SENTENCE_END = re.compile(r"\w{2,}[.?…]$")
_FILE_STEM = re.compile(r"[^\s]*(?:_|-[^\s]*-|\.\w{1,5}$)[^\s]*")
_PAPERS = frozenset(
    """
    report notes note minutes draft final memo agenda readme changelog manual guide untitled
    document slides presentation summary appendix introduction overview index faq license
    """.split()
)


@dataclass(frozen=True, slots=True)
class Page:
    """The node of a document's title. `names` are its surfaces: the full title, then the bare one;
    `key` is the full title's."""

    node: int
    title: str
    names: tuple[str, ...]
    key: str
    kind: NodeType

    @property
    def named(self) -> bool:
        """Return whether the title names what the document is about."""
        return self.kind is not NodeType.DOCUMENT


def title_kind(title: str) -> NodeType:
    """Return `ENTITY` for a title that names a thing, `DOCUMENT` for any other.

    No name: more than ten words, a sentence or a question, a file's stem ("q3-report-final"),
    several words without a capital, or a word for papers (report, notes, minutes) beside them.
    """
    bare = title_names(title)[-1] if title else ""
    words = bare.split()
    if not words or not any(char.isalpha() for char in bare) or len(words) > _MAX_NAME_WORDS:
        return NodeType.DOCUMENT
    if _SENTENCE_END.search(bare) and len(words) > 4:
        return NodeType.DOCUMENT
    if words[0].lower() in _ASKING and len(words) > _MAX_QUESTION_WORDS:
        return NodeType.DOCUMENT
    lower = not any(char.isupper() for char in bare)
    if lower and (len(words) > 1 or _FILE_STEM.fullmatch(bare)):
        return NodeType.DOCUMENT
    if len(words) == 1 and _FILE_STEM.fullmatch(bare) and re.search(r"_|\.\w{1,5}$", bare):
        return NodeType.DOCUMENT
    key = name_key(bare).split()
    if key and key[-1] in _PAPERS:
        return NodeType.DOCUMENT
    return NodeType.ENTITY


def page_subject(document: Document) -> str | None:
    """Return the name that pronouns in the document may stand for, None where it has none."""
    return document.title if title_kind(document.title) is NodeType.ENTITY else None


def page_of(document: Document) -> Page | None:
    """Return the page of a document, None where its title has no letters or digits.

    A name is the same thing in every document; a title that is no name belongs to its source.
    """
    key = name_key(document.title)
    if not key:
        return None
    kind = title_kind(document.title)
    if kind is NodeType.DOCUMENT:
        node = node_id(f"{key}\x1f{document.source}")
        return Page(node, document.title, (document.title,), key, kind)
    names = tuple(name for name in title_names(document.title) if name_key(name))
    return Page(node_id(key), document.title, names, key, kind)
