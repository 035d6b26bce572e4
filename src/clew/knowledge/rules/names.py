"""Names in a text: entities, quoted titles, capitalised runs, and noun phrases worth a node."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clew.core.annotation import Token
from clew.core.knowledge import NodeType
from clew.knowledge.rules.tree import Tree
from clew.knowledge.rules.vocabulary import (
    EMPTY_NOUNS,
    MEASURED_NOUNS,
    ROLE_TITLES,
    VAGUE_ADJECTIVES,
    VALUE_LABELS,
)
from clew.text.names import name_key, title_names

_QUOTED = re.compile(r"(?<!\w)[\"“](?=\S)([^\"“”\n]{0,80})(?<=\S)[\"”](?!\w)")
_EDGE_MARKS = frozenset("\"“”'’‘`()[]{},;:.!?/|-–—*•")  # noqa: RUF001
_OPENING_WORDS = frozenset("the a an this that these those his her its their our my your".split())
_MAX_CONCEPT_WORDS = 5
_MAX_NAME_WORDS = 12


@dataclass(frozen=True, slots=True)
class Phrase:
    """A name as a half-open token range with the token that governs it."""

    first: int
    last: int
    head: int
    kind: NodeType
    label: str | None = None

    @property
    def named(self) -> bool:
        """Return whether this is a proper name."""
        return self.kind in (NodeType.ENTITY, NodeType.EVENT)


def name_phrases(tree: Tree, title: str | None) -> dict[int, Phrase]:
    """Return, by every token covered, the proper names of a text.

    The page's title wins over quoted titles, those over entities, entities over runs of proper
    nouns.
    """
    covered: dict[int, Phrase] = {}
    for phrase in (
        *_titles(tree, title),
        *_quoted(tree),
        *_entities(tree),
        *_proper_runs(tree),
    ):
        if not any(index in covered for index in range(phrase.first, phrase.last)):
            covered.update(dict.fromkeys(range(phrase.first, phrase.last), phrase))
    return covered


def concept_phrase(tree: Tree, names: Mapping[int, Phrase], head: int) -> Phrase | None:
    """Return the noun phrase that `head` governs as a concept, None where it names nothing.

    It runs from the head to the left over modifiers; determiners, numbers, names and vague
    adjectives end it, and an empty noun needs at least one modifier.
    """
    token = tree.tokens[head]
    if head in tree.entities or not _wordlike(token):
        return None
    if token.pos not in ("NOUN", "PROPN") and not is_predicate_adjective(tree, head):
        return None
    first = head
    while first > 0 and head - first < _MAX_CONCEPT_WORDS - 1:
        before = _modifier_before(tree, names, head, first)
        if before is None:
            break
        first = before
    if first == head and (token.lemma.lower() in EMPTY_NOUNS or len(token.text) < 3):
        return None
    measured = token.lemma.lower() in MEASURED_NOUNS
    return Phrase(first, head + 1, head, NodeType.METRIC if measured else NodeType.CONCEPT)


def is_predicate_adjective(tree: Tree, token: int) -> bool:
    """Return whether a noun was read as an adjective: "a wrestling stable"."""
    if tree.tokens[token].pos != "ADJ" or tree.tokens[token].dep != "attr":
        return False
    return any(tree.tokens[child].text.lower() in ("a", "an") for child in tree.children[token])


def key_phrases(tree: Tree, names: Mapping[int, Phrase]) -> Iterator[Phrase]:
    """Yield the concepts worth a node of their own: at least two words, or said twice."""
    found = [
        phrase
        for span in tree.annotated.noun_phrases
        if (phrase := concept_phrase(tree, names, _head(tree, span.start, span.end))) is not None
        and phrase.head not in names
    ]
    said = Counter(tree.tokens[phrase.head].lemma.lower() for phrase in found)
    for phrase in found:
        if phrase.last - phrase.first > 1 or said[tree.tokens[phrase.head].lemma.lower()] > 1:
            yield phrase


def _wordlike(token: Token) -> bool:
    return any(char.isalpha() for char in token.text)


def _modifier_before(tree: Tree, names: Mapping[int, Phrase], head: int, first: int) -> int | None:
    """Return the start of the modifier that ends at `first`; a hyphenated one is whole."""
    before = first - 1
    token = tree.tokens[before]
    if token.text in ("-", "–") and before > 0 and tree.tokens[before - 1].end == token.start:  # noqa: RUF001
        before -= 1
        token = tree.tokens[before]
    # "annual" is read as a date, and is a modifier all the same.
    if before in names or (before in tree.entities and token.pos != "ADJ") or not _wordlike(token):
        return None
    if tree.left[head] > before or tree.tokens[before].end < tree.tokens[before].start:
        return None
    if token.pos not in ("ADJ", "NOUN", "PROPN", "VERB") or token.tag in ("JJR", "JJS"):
        return None
    after_hyphen = before > 0 and tree.tokens[before - 1].text == "-"
    if token.pos == "VERB" and (token.dep not in ("amod", "compound") or after_hyphen):
        return None
    if token.dep not in ("amod", "compound", "nmod", "npadvmod", "poss") or token.dep == "poss":
        return None
    vague = token.text.lower() in VAGUE_ADJECTIVES or token.lemma.lower() in EMPTY_NOUNS
    return None if vague else before


def _titles(tree: Tree, title: str | None) -> Iterator[Phrase]:
    """Yield where the page's title, its qualifier left out, stands in the text as it is written."""
    bare = title_names(title)[-1] if title else ""
    if not any(char.isupper() or char.isdigit() for char in bare):
        return
    starts = {token.start: index for index, token in enumerate(tree.tokens)}
    ends = {token.end: index + 1 for index, token in enumerate(tree.tokens)}
    start = tree.annotated.text.find(bare)
    while start >= 0:
        end = start + len(bare)
        if start in starts and end in ends:
            first, last = _trim(tree, starts[start], ends[end])
            if first < last and not _continues(tree, first, last):
                yield _phrase(tree, first, last, _label(tree, first, last))
        start = tree.annotated.text.find(bare, end)


def _continues(tree: Tree, first: int, last: int) -> bool:
    """Return whether the name is a part of a longer one: "Tralee" in "Tralee Bay"."""
    tokens = tree.tokens
    before = first > 0 and tokens[first - 1].pos == "PROPN" and first - 1 not in tree.entities
    joined = before and tokens[first - 1].dep == "compound" and tokens[first - 1].text[0].isupper()
    after = last < len(tokens) and tokens[last].pos == "PROPN" and tokens[last].text[0].isupper()
    return joined or (after and tokens[last - 1].dep == "compound")


def _quoted(tree: Tree) -> Iterator[Phrase]:
    starts = {token.start: index for index, token in enumerate(tree.tokens)}
    ends = {token.end: index + 1 for index, token in enumerate(tree.tokens)}
    for match in _QUOTED.finditer(tree.annotated.text):
        inner = match.group(1)
        start, end = match.start(1), match.end(1)
        end -= len(inner) - len(inner.rstrip(" ,.;"))
        start += len(inner) - len(inner.lstrip())
        if start in starts and end in ends and _is_title(inner.split()):
            first, last = starts[start], ends[end]
            if first < last:
                yield _phrase(tree, first, last, _label(tree, first, last))


def _is_title(words: list[str]) -> bool:
    if not 0 < len(words) <= _MAX_NAME_WORDS or not words[0][:1].isalnum():
        return False
    if not (words[0][0].isupper() or words[0][0].isdigit()):
        return False
    long = [word for word in words if len(word) > 4]
    return all(not word[0].islower() for word in long) and any(
        char.isalpha() for word in words for char in word
    )


def _label(tree: Tree, first: int, last: int) -> str | None:
    entity = tree.entities.get(first)
    same = entity is not None and entity.label not in VALUE_LABELS and entity.last <= last
    return entity.label if entity and same else None


def _entities(tree: Tree) -> Iterator[Phrase]:
    for named in tree.annotated.entities:
        if named.label in VALUE_LABELS:
            continue
        first, last = _trim(tree, named.first, named.last)
        opening = tree.annotated.sentences[tree.sentence[named.first]].start == first
        if opening and last - first > 1 and tree.tokens[first].text == "The":
            first += 1
        if first < last and last - first <= _MAX_NAME_WORDS and _names_something(tree, first, last):
            yield _phrase(tree, first, last, named.label)


def _proper_runs(tree: Tree) -> Iterator[Phrase]:
    first: int | None = None
    for index in range(len(tree.tokens) + 1):
        proper = index < len(tree.tokens) and _is_proper(tree, index)
        if proper and first is None:
            first = index
        elif not proper and first is not None:
            start, end = _trim(tree, first, index)
            short = start < end and end - start <= _MAX_NAME_WORDS
            if short and _names_something(tree, start, end) and not _is_office(tree, start, end):
                yield _phrase(tree, start, end, None)
            first = None


def _is_office(tree: Tree, first: int, last: int) -> bool:
    """Return whether a run only says what somebody is: "Deputy Leader", "Hon." before a name."""
    if tree.tokens[last - 1].text.lower().rstrip(".") in ROLE_TITLES:
        return True
    following = tree.entities.get(last)
    return following is not None and following.label == "PERSON" and last - first == 1


def _is_proper(tree: Tree, index: int) -> bool:
    token = tree.tokens[index]
    if index in tree.entities:
        return False
    return token.pos == "PROPN" and token.text[:1].isupper() and _wordlike(token)


def _trim(tree: Tree, first: int, last: int) -> tuple[int, int]:
    """Cut articles, marks and possessive endings off both ends."""
    tokens = tree.tokens
    while first < last and _loose(tokens[first].text):
        first += 1
    while first < last and (tokens[last - 1].tag == "POS" or _loose(tokens[last - 1].text)):
        last -= 1
    return first, last


def _loose(text: str) -> bool:
    return text in _OPENING_WORDS or not text.strip() or all(char in _EDGE_MARKS for char in text)


def _names_something(tree: Tree, first: int, last: int) -> bool:
    """A name has a letter and a capital, a digit, or several words."""
    surface = tree.surface(first, last)
    if "\n" in surface or not any(char.isalpha() for char in surface) or len(surface) < 2:
        return False
    if name_key(surface) in EMPTY_NOUNS or (tree.tokens[first].pos == "PRON" and last - first == 1):
        return False
    return any(char.isupper() or (not char.islower() and char.isalnum()) for char in surface)


def _phrase(tree: Tree, first: int, last: int, label: str | None) -> Phrase:
    kind = NodeType.EVENT if label == "EVENT" else NodeType.ENTITY
    return Phrase(first, last, _head(tree, first, last), kind, label)


def _head(tree: Tree, first: int, last: int) -> int:
    """Return the token of the range that is highest in the tree, the last of equals."""
    return min(range(first, last), key=lambda index: (tree.depth[index], -index))
