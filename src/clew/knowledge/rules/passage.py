"""A passage ready for the rules: its tree, its names, and what its pronouns stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from clew.core.annotation import AnnotatedText
from clew.core.documents import Span
from clew.knowledge.rules import confidence
from clew.knowledge.rules.brackets import asides
from clew.knowledge.rules.keys import cached_key
from clew.knowledge.rules.names import (
    Phrase,
    concept_phrase,
    name_phrases,
)
from clew.knowledge.rules.predicates import predicates
from clew.knowledge.rules.tree import Tree, build_tree
from clew.knowledge.rules.vocabulary import (
    DEFINITE,
    FEMALE_OR_MALE,
    NEUTER,
    PLACE_NOUNS,
    PLURAL,
)
from clew.text.dates import FoundPeriod, find_periods
from clew.text.names import title_names

_SUBJECTS = ("nsubj", "nsubjpass")


@dataclass(frozen=True, slots=True)
class Argument:
    """What a noun stands for: a surface, the tokens that say so, and how sure that is.

    `phrase` is None where a pronoun or "the film" stands for a name said elsewhere.
    """

    surface: str
    token: int
    certainty: float = 1.0
    phrase: Phrase | None = None
    label: str | None = None

    @property
    def named(self) -> bool:
        """Return whether a proper name is meant."""
        return self.phrase is None or self.phrase.named


@dataclass(frozen=True, slots=True)
class Passage:
    """A tree with its names by token, the page's subject, and what pronouns and definite nouns
    stand for by token. `said_of` maps a predicate noun to the noun that it describes: in "X is a
    film", film to X. `periods` are in order."""

    tree: Tree
    names: Mapping[int, Phrase]
    title: str | None
    stands_for: Mapping[int, Argument]
    said_of: Mapping[int, int]
    periods: tuple[FoundPeriod, ...]
    page_name: Phrase | None

    def argument(self, token: int) -> Argument | None:
        """Return what the noun at `token` stands for, None where it names no thing."""
        if token in self.stands_for:
            return self.stands_for[token]
        named = self.names.get(token)
        if named is not None:
            return _said(self.tree, named)
        place = self._place_after_of(token)
        if place is not None:
            return place
        return self.concept(token)

    def concept(self, token: int) -> Argument | None:
        """Return the noun phrase at `token` as a concept, None where it names nothing."""
        if token in self.names:
            return None
        phrase = concept_phrase(self.tree, self.names, token)
        return _said(self.tree, phrase) if phrase is not None else None

    def within(self, token: int) -> Argument | None:
        """Return the name that a common noun is joined with: Tigers for "Tigers football team"."""
        if token in self.names or token in self.stands_for:
            return None
        for child in self.tree.select(token, "compound", "nmod"):
            named = self.names.get(child)
            if named is not None and named.label != "NORP" and child < token:
                return replace(_said(self.tree, named), certainty=confidence.INHERITED)
        return None

    def subject(self, token: int) -> Argument | None:
        """Return what a predicate noun is said of, else what the noun itself stands for."""
        seen = {token}
        while token in self.said_of and self.said_of[token] not in seen:
            token = self.said_of[token]
            seen.add(token)
        return self.argument(token)

    def conjuncts(self, token: int) -> list[int]:
        """Return the noun and those joined to it by "and", in text order."""
        found = [token]
        for index in found:
            found += [
                child
                for child in self.tree.select(index, "conj")
                if self.tree.tokens[child].pos in ("NOUN", "PROPN", "PRON", "NUM", "ADJ", "X")
            ]
        return found

    def _place_after_of(self, token: int) -> Argument | None:
        """Return Keren for "the city of Keren"."""
        tree = self.tree
        indefinite = any(
            tree.tokens[child].text.lower() in ("a", "an") for child in tree.select(token, "det")
        )
        if tree.tokens[token].lemma.lower() not in PLACE_NOUNS or indefinite:
            return None
        for preposition in tree.select(token, "prep"):
            if tree.tokens[preposition].text.lower() == "of":
                inner = tree.child(preposition, "pobj")
                named = self.names.get(inner) if inner is not None else None
                if named is not None:
                    return _said(tree, named)
        return None


def read_passage(annotated: AnnotatedText, title: str | None) -> Passage:
    """Return an annotated text with its names found and its pronouns resolved.

    `title` is the name of the page's subject; pronouns that nothing nearer explains stand for it.
    """
    tree = build_tree(annotated)
    names = name_phrases(tree, title)
    said_of = dict(predicates(tree, names))
    stands_for = _resolve(tree, names, said_of, title)
    periods = tuple(_periods(tree))
    page_name = _other_name_of_page(tree, names, title)
    return Passage(tree, names, title, stands_for, said_of, periods, page_name)


def _other_name_of_page(
    tree: Tree, names: Mapping[int, Phrase], title: str | None
) -> Phrase | None:
    """Return the name by which the first sentence introduces the page, if it is another one.

    "Colin Alexander Patterson is a player" on the page "Colin Patterson": the subject of the
    opening copula, whose first or last word is also the title's.
    """
    if title is None or not tree.annotated.sentences:
        return None
    opening = tree.annotated.sentences[0]
    for index in range(opening.start, opening.end):
        token = tree.tokens[index]
        if token.dep == "nsubj" and index in names and tree.tokens[token.head].lemma == "be":
            phrase = names[index]
            said = cached_key(tree.surface(phrase.first, phrase.last)).split()
            own = cached_key(title_names(title)[-1]).split()
            root = tree.tokens[token.head].dep == "ROOT"
            same = bool(said and own) and (said[0] == own[0] or said[-1] == own[-1])
            alone = len(said) == 1 and f"{said[0]}," not in title.lower()
            if alone and not tree.surface(phrase.first, phrase.last).isupper():
                return None
            return phrase if root and same and said != own else None
    return None


def _periods(tree: Tree) -> Iterator[FoundPeriod]:
    """Yield the periods of the text, but not dates of birth and death in brackets after the
    subject: they date no statement."""
    text = tree.annotated.text
    brackets = list(asides(text))
    verbs = [
        (tree.tokens[sentence.start].start, tree.tokens[index].start)
        for sentence in tree.annotated.sentences
        for index in range(sentence.start, sentence.end)
        if tree.tokens[index].dep == "ROOT"
    ]
    for found in find_periods(text):
        inside = any(span.start <= found.span.start < span.end for span in brackets)
        if not inside or not any(start <= found.span.start < verb for start, verb in verbs):
            yield found


def _said(tree: Tree, phrase: Phrase) -> Argument:
    surface = tree.surface(phrase.first, phrase.last)
    return Argument(surface, phrase.head, phrase=phrase, label=phrase.label)


def _resolve(
    tree: Tree, names: Mapping[int, Phrase], said_of: Mapping[int, int], title: str | None
) -> dict[int, Argument]:
    """Return what pronouns and definite nouns stand for.

    A pronoun stands for the subject of the sentence before if that is a name that agrees with it,
    else for the page. "The film" stands for the page if the page is called a film before.
    """
    stands_for: dict[int, Argument] = {}
    page = _Page(title)
    previous: Argument | None = None
    for sentence in tree.annotated.sentences:
        current: Argument | None = None
        for index in range(sentence.start, sentence.end):
            token = tree.tokens[index]
            if token.tag == "PRP$" or (token.tag == "PRP" and token.dep in _SUBJECTS):
                antecedent = current if token.tag == "PRP$" and current else previous
                found = _antecedent(token.text.lower(), index, antecedent, page)
            elif token.pos == "NOUN" and page.called(tree, index):
                found = page.argument(index, confidence.DEFINITE_NOUN)
            else:
                found = None
            if found is not None:
                stands_for[index] = found
            if current is None and token.dep in _SUBJECTS and _main(tree, index):
                current = stands_for.get(index) or _name_at(tree, names, index)
        page.learn(tree, names, said_of, stands_for, range(sentence.start, sentence.end))
        previous = current or previous
    return stands_for


def _main(tree: Tree, subject: int) -> bool:
    return tree.tokens[tree.tokens[subject].head].dep == "ROOT"


def _name_at(tree: Tree, names: Mapping[int, Phrase], index: int) -> Argument | None:
    named = names.get(index)
    return _said(tree, named) if named is not None else None


def _antecedent(
    pronoun: str, index: int, previous: Argument | None, page: _Page
) -> Argument | None:
    if pronoun not in FEMALE_OR_MALE | NEUTER | PLURAL:
        return None
    if previous is not None and _agrees(pronoun, previous.label):
        return Argument(previous.surface, index, confidence.PRONOUN, label=previous.label)
    if _agrees(pronoun, page.label) or page.label is None:
        return page.argument(index, confidence.PRONOUN)
    return None


def _agrees(pronoun: str, label: str | None) -> bool:
    if pronoun in FEMALE_OR_MALE:
        return label == "PERSON"
    if pronoun in NEUTER:
        return label is not None and label not in ("PERSON", "NORP")
    return label in ("ORG", "NORP")


class _Page:
    """What is known of the page's subject while its sentences are read in order."""

    def __init__(self, title: str | None) -> None:
        self._title = title
        self._keys = frozenset(map(cached_key, title_names(title))) if title else frozenset()
        self._nouns: set[str] = set()
        self.label: str | None = None
        if title and title.endswith(")") and "(" in title:
            self._nouns.update(title[title.rfind("(") + 1 : -1].lower().split())

    def argument(self, index: int, certainty: float) -> Argument | None:
        """Return the page's subject as what the token at `index` stands for."""
        if self._title is None:
            return None
        return Argument(self._title, index, certainty, label=self.label)

    def called(self, tree: Tree, index: int) -> bool:
        """Return whether the noun is bare and definite, and one the page was called by."""
        token = tree.tokens[index]
        if token.lemma.lower() not in self._nouns or token.tag != "NN":
            return False
        children = [tree.tokens[child] for child in tree.children[index]]
        if any(child.dep not in ("det", "punct", "case") for child in children):
            return False
        return any(child.dep == "det" and child.text.lower() in DEFINITE for child in children)

    def learn(
        self,
        tree: Tree,
        names: Mapping[int, Phrase],
        said_of: Mapping[int, int],
        stands_for: Mapping[int, Argument],
        sentence: range,
    ) -> None:
        """Take over the label of the page's name, and the nouns that are said of it."""
        first = sentence.start == 0
        for index in sentence:
            named = names.get(index)
            if named is not None and self.label is None and self._is(tree, named, first=first):
                self.label = named.label
            if index in said_of:
                of = said_of[index]
                argument = stands_for.get(of)
                phrase = names.get(of)
                if (argument is not None and argument.surface == self._title) or (
                    phrase is not None and self._is(tree, phrase, first=first)
                ):
                    self._nouns.add(tree.tokens[index].lemma.lower())

    def _is(self, tree: Tree, phrase: Phrase, *, first: bool) -> bool:
        """Return whether a name is the page's; in the first sentence a shared word will do."""
        key = cached_key(tree.surface(phrase.first, phrase.last))
        if key in self._keys:
            return True
        return first and any(set(key.split()) & set(own.split()) for own in self._keys)


def span_of(argument: Argument, tree: Tree) -> Span:
    """Return the characters that state an argument."""
    if argument.phrase is None:
        return tree.span(argument.token, argument.token + 1)
    return tree.span(argument.phrase.first, argument.phrase.last)
