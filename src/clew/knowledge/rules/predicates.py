"""Which common noun is said of which noun: copulas and appositions."""

from __future__ import annotations

from collections.abc import Mapping

from clew.knowledge.rules.names import Phrase, is_predicate_adjective
from clew.knowledge.rules.tree import Tree


def predicates(tree: Tree, names: Mapping[int, Phrase]) -> list[tuple[int, int]]:
    """Return (predicate noun, noun it is said of) for copulas and appositions."""
    found: list[tuple[int, int]] = []
    for index, token in enumerate(tree.tokens):
        if token.dep == "attr" and tree.tokens[token.head].lemma in ("be", "become", "remain"):
            subject = tree.child(token.head, "nsubj")
            if subject is None:
                subject = name_before(tree, names, token.head)
            if subject is not None and tree.tokens[subject].tag != "EX":
                found += _pair(tree, names, index, subject)
        elif token.dep == "appos" and _is_apposition(tree, names, index, token.head):
            found += _pair(tree, names, index, token.head)
    return found


def name_before(tree: Tree, names: Mapping[int, Phrase], verb: int) -> int | None:
    """Return the head of a name that ends right before a verb: the subject in `"Too Good to Last"
    is a song`, where a parser takes the name's own words for a clause."""
    index = verb - 1
    while index >= 0 and tree.sentence[index] == tree.sentence[verb]:
        if index in names:
            return names[index].head
        token = tree.tokens[index]
        if token.dep not in ("aux", "auxpass", "neg", "advmod", "punct") and token.pos != "SPACE":
            return None
        index -= 1
    return None


def _is_apposition(tree: Tree, names: Mapping[int, Phrase], second: int, first: int) -> bool:
    """Tell "X, a singer" and "the singer X" from the list "X, singers, Y".

    After a name the common noun needs a determiner or a complement; before one it stands next to
    the name, or has a determiner.
    """
    common = second if second not in names else first
    other = first if common == second else second
    children = [tree.tokens[child] for child in tree.children[common]]
    determined = any(child.dep in ("det", "poss") for child in children)
    if _is_counted(tree, common):
        return False
    if other not in names and not any(child.text.lower() in ("a", "an") for child in children):
        return False
    if common == second:
        named = any(child in names for child in tree.select(common, "compound", "nmod"))
        clause = tree.child(common, "relcl", "acl") is not None
        complement = named or clause or _has_of(tree, common)
        return tree.tokens[common].tag == "NN" and (determined or complement)
    if second not in names:
        return False
    last = names[second].last
    if last < len(tree.tokens) and tree.tokens[last].pos == "NOUN":
        return False
    between = tree.tokens[first + 1 : names[second].first]
    marks = ('"', "“", "'", "‘", *((",", "(", ":") if determined else ()))  # noqa: RUF001
    return all(token.text in marks or token.pos == "SPACE" for token in between)


def _has_of(tree: Tree, noun: int) -> bool:
    return any(tree.tokens[child].text.lower() == "of" for child in tree.select(noun, "prep"))


def _is_counted(tree: Tree, noun: int) -> bool:
    """Return whether a noun comes with a number that is no year: "190 lbs"."""
    return any(
        child not in tree.entities or tree.entities[child].label != "DATE"
        for child in tree.select(noun, "nummod", "quantmod")
        if not (tree.tokens[child].text.isdigit() and len(tree.tokens[child].text) == 4)
    )


def _pair(
    tree: Tree, names: Mapping[int, Phrase], predicate: int, subject: int
) -> list[tuple[int, int]]:
    """Direct the pair from the common noun to the name where only one of the two is a name."""
    if subject not in names and predicate in names:
        predicate, subject = subject, predicate
    token = tree.tokens[predicate]
    nominal = token.pos in ("NOUN", "PROPN") or token.lemma == "one"
    if predicate in names or not (nominal or is_predicate_adjective(tree, predicate)):
        return []
    if _is_counted(tree, predicate) or (predicate in tree.entities and token.lemma != "one"):
        return []
    pairs = [(predicate, subject)]
    stack = [predicate]
    while stack:
        for child in tree.select(stack.pop(), "conj"):
            if child not in names and tree.tokens[child].pos == "NOUN":
                pairs.append((child, subject))
                stack.append(child)
    return pairs
