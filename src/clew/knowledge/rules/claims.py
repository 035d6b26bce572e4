"""Claims: each sentence with a finite verb, its subjects, dates and status."""

from __future__ import annotations

from collections.abc import Iterator

from clew.core.documents import Span
from clew.core.extraction import StatedClaim
from clew.core.knowledge import NO_PERIOD, Period
from clew.knowledge.rules import confidence
from clew.knowledge.rules.clauses import Clause, read_clause
from clew.knowledge.rules.mood import is_hedged, is_reported
from clew.knowledge.rules.passage import Passage
from clew.knowledge.rules.vocabulary import REPORTING_VERBS

_CERTAINTY = {
    "stated": 1.0,
    "denied": 1.0,
    "hedged": confidence.HEDGED,
    "reported": confidence.REPORTED,
}
_CLAUSAL = ("ROOT", "conj", "ccomp")


def stated_claims(passage: Passage) -> Iterator[StatedClaim]:
    """Yield one claim a sentence that has a verb with a subject; questions state nothing.

    Status, the first that holds: "reported" (under "said that", "according to"), "hedged" (may,
    might, possibly), "denied" (the main verb is negated), "stated".
    """
    tree = passage.tree
    for number, sentence in enumerate(tree.annotated.sentences):
        text, span = _trimmed(tree.annotated.text, tree.span(sentence.start, sentence.end))
        if not text or text.endswith("?"):
            continue
        clauses = [
            clause
            for index in range(sentence.start, sentence.end)
            if tree.tokens[index].pos in ("VERB", "AUX")
            and tree.tokens[index].dep in _CLAUSAL
            and (clause := read_clause(passage, index)) is not None
        ]
        verbs = [
            index
            for index in range(sentence.start, sentence.end)
            if tree.tokens[index].pos in ("VERB", "AUX") and tree.tokens[index].dep == "ROOT"
        ]
        if not verbs or tree.child(verbs[0], "nsubj", "nsubjpass", "csubj", "expl") is None:
            continue
        status = _status(passage, verbs[0], clauses)
        yield StatedClaim(
            text,
            span,
            _subjects(clauses),
            _period(passage, span),
            status,
            _CERTAINTY[status] * (0.8 if number and not _subjects(clauses) else 1.0),
        )


def _trimmed(text: str, span: Span) -> tuple[str, Span]:
    inner = text[span.start : span.end]
    start = span.start + len(inner) - len(inner.lstrip())
    return inner.strip(), Span(start, start + len(inner.strip()))


def _subjects(clauses: list[Clause]) -> tuple[str, ...]:
    found = (argument.surface for clause in clauses for argument in clause.subjects)
    return tuple(dict.fromkeys(found))


def _status(passage: Passage, root: int, clauses: list[Clause]) -> str:
    tree = passage.tree
    says = tree.tokens[root].lemma.lower() in REPORTING_VERBS
    if is_reported(passage, root) or (says and tree.child(root, "ccomp") is not None):
        return "reported"
    if is_hedged(passage, root):
        return "hedged"
    return "denied" if any(c.verb == root and c.negated for c in clauses) else "stated"


def _period(passage: Passage, span: Span) -> Period:
    """Return the first period that the sentence names."""
    inside = (found for found in passage.periods if span.start <= found.span.start < span.end)
    first = next(inside, None)
    return first.period if first is not None else NO_PERIOD
