"""A follow-up made a full question by rules: pronouns and what was left out are filled in from the
question before it and its answer. English and Portuguese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.core.chat_port import NameReader
from clew.core.conversation import NamedThing, Turn
from clew.reason.answer_type import AnswerType, expected_answer
from clew.reason.display import display_text
from clew.text.dates import find_periods
from clew.text.stop_words import STOP_WORDS
from clew.text.tokens import fold, words

_READ = 400
"""Characters of an answer whose names count: later ones are rarely what the talk is about."""

_PERSON = r"he|she|him|ele|ela"
_THING = r"it|isso|isto|this one|that one"
_SEVERAL = r"they|them|both of them|eles|elas"
_OWN_PERSON = r"his|her"
_OWN = r"its|their"
_PRONOUNS = re.compile(
    rf"\b(?:(?P<person>{_PERSON})|(?P<thing>{_THING})|(?P<several>{_SEVERAL})"
    rf"|(?P<own_person>{_OWN_PERSON})|(?P<own>{_OWN}))\b",
    re.IGNORECASE,
)
_OWN_AFTER = re.compile(r"\b(?:o |a |os |as )?(?:seu|sua|seus|suas)\s+(\w+)", re.IGNORECASE)
_CONTRACTED = re.compile(r"\b(d|n)(?:ele|ela|eles|elas|isso|isto)\b", re.IGNORECASE)
_PREPOSITION = {"d": "de", "n": "em"}
_EMPTY_IT = re.compile(
    r"\b(?:is|was) it (?:true|possible|known|likely|the case)\b|\bit (?:is|was) (?:true|said|known)\b"
    r"|\bwhat time is it\b",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(
    r"\b(?:the|this|that|these|those|o|a|os|as|esse|essa|este|esta|do|da|no|na)\s+(\w+)",
    re.IGNORECASE,
)
_CONTINUED = re.compile(
    r"^\s*(?:and|but|or|so|also|then|what about|how about|and what about|and how about|e|mas|ou|"
    r"e quanto a|e sobre|quanto a)\b[\s,]*(?P<rest>.*?)[\s?.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_MARKER = re.compile(r"\s*\[\d+\]")
_QUESTION_WORD = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|did|does|do|has|have|had|"
    r"can|could|will|would|quem|qual|quais|que|quando|onde|como|quanto|quantos|quantas)\b",
    re.IGNORECASE,
)
_LEADING_WORD = re.compile(
    r"^(?:in|on|at|for|of|with|from|to|by|em|no|na|de|do|da|para|por)\s+", re.I
)


@dataclass(frozen=True, slots=True)
class Talk:
    """What the last turn spoke of: the names of its question, and those that its answer added."""

    question: str
    asked: tuple[NamedThing, ...]
    told: tuple[NamedThing, ...]


def leans_on_history(question: str, names: NameReader) -> bool:
    """Return whether a question needs what was said before: it goes on ("And in 1999?"), holds a
    pronoun that no name before it explains, or names nothing."""
    if _CONTINUED.match(question):
        return True
    named = names(question)
    first = min((question.find(each.name) for each in named), default=len(question))
    empty = _EMPTY_IT.search(question)
    for pronoun in (*_PRONOUNS.finditer(question), *_CONTRACTED.finditer(question)):
        if pronoun.start() < first and not (
            empty and empty.start() <= pronoun.start() < empty.end()
        ):
            return True
    return not named and not find_periods(question)


def full_question(question: str, last: Turn, names: NameReader) -> str:
    """Return `question` with what it takes from the last turn written out.

    A pronoun becomes the name that it most likely stands for: a person for he and she, the answer's
    where the last question asked for one; otherwise a thing of the last question. "What about X?"
    asks the last question of X. "The bridge" becomes the bridge that was named. What still names
    nothing gets the names of the last question in brackets.
    """
    talk = _talk(last, names)
    if not (talk.asked or talk.told):
        return question
    continued = _continued(question, talk, names)
    if continued is not None:
        return continued
    filled = _described(_resolved(question, talk), talk)
    if filled != question or names(question):
        return filled
    return _with_topic(question, talk)


def _talk(last: Turn, names: NameReader) -> Talk:
    asked = tuple(names(last.asked))
    answer = display_text(_MARKER.sub("", last.answer))[:_READ] if last.answered else ""
    known = {fold(word.text) for each in asked for word in words(each.name)}
    told = tuple(
        each
        for each in names(answer)
        if not known.issuperset(fold(word.text) for word in words(each.name))
    )
    return Talk(last.asked, asked, told)


def _continued(question: str, talk: Talk, names: NameReader) -> str | None:
    """Return the last question with what "And X?" puts in place, None where it is no such thing."""
    match = _CONTINUED.match(question)
    rest = match["rest"].strip() if match else ""
    if not rest or _QUESTION_WORD.search(rest) or _PRONOUNS.search(rest):
        return None
    period, before = find_periods(rest), find_periods(talk.question)
    stem = talk.question.rstrip(" ?.!")
    if period and len(period) == 1 and _is_whole(rest, period[0].text):
        if before:
            return talk.question.replace(before[-1].text, period[0].text)
        return f"{stem} {rest}?"
    named = names(rest) or names(f"x {rest}")
    if len(named) == 1 and _is_whole(rest, named[0].name) and talk.asked:
        replaced = _alike(named[0], talk.asked)
        return talk.question.replace(replaced.name, named[0].name)
    return None


def _is_whole(rest: str, part: str) -> bool:
    """Return whether `part` is all that `rest` says, a preposition or article aside."""
    left = rest.replace(part, "", 1)
    return all(fold(word.text) in STOP_WORDS for word in words(left))


def _alike(named: NamedThing, asked: Sequence[NamedThing]) -> NamedThing:
    return next((each for each in asked if each.person == named.person), asked[0])


def _resolved(question: str, talk: Talk) -> str:
    empty = _EMPTY_IT.search(question)

    def written(match: re.Match[str]) -> str:
        if empty and empty.start() <= match.start() < empty.end():
            return match.group()
        kind = match.lastgroup or ""
        name = _antecedent(kind, talk)
        if not name:
            return match.group()
        if kind == "own" or (kind == "own_person" and _owns(question, match)):
            return f"{name}'s"
        return name

    def owned(match: re.Match[str]) -> str:
        name = _antecedent("own", talk)
        return f"{match.group().split()[0]} {match[1]} de {name}" if name else match.group()

    def contracted(match: re.Match[str]) -> str:
        person = match.group().casefold().lstrip("dn") in {"ele", "ela"}
        name = _antecedent("person" if person else "thing", talk)
        return f"{_PREPOSITION[match[1].casefold()]} {name}" if name else match.group()

    shown = _CONTRACTED.sub(contracted, question)
    shown = _OWN_AFTER.sub(owned, shown)
    return _PRONOUNS.sub(written, shown) if shown == question else shown


def _owns(question: str, pronoun: re.Match[str]) -> bool:
    """Return whether "her" is followed by what she has: "her" may also be whom."""
    following = words(question[pronoun.end() :])[:1]
    return bool(following) and fold(following[0].text) not in STOP_WORDS


def _antecedent(kind: str, talk: Talk) -> str:
    if kind == "several":
        several = [each.name for each in talk.asked]
        return " and ".join(several) if several else _first(talk.told)
    personal = kind in {"person", "own_person"}
    if personal and expected_answer(talk.question) is AnswerType.PERSON and talk.told:
        people = [each for each in talk.told if each.person]
        return (people or list(talk.told))[0].name
    fitting = [each for each in (*talk.asked, *talk.told) if each.person == personal]
    return _first(fitting) or _first(talk.asked) or _first(talk.told)


def _first(named: Sequence[NamedThing]) -> str:
    return named[0].name if named else ""


def _described(question: str, talk: Talk) -> str:
    """Return the question with "the bridge" named, where a name ends in that word."""

    def written(match: re.Match[str]) -> str:
        head = fold(match[1])
        for each in (*talk.asked, *talk.told):
            parts = words(each.name)
            if len(parts) > 1 and head in {fold(parts[-1].text), fold(parts[0].text)}:
                if each.name in question:
                    return match.group()
                return match.group()[: -len(match[1])] + each.name
        return match.group()

    return _DESCRIBED.sub(written, question)


def _with_topic(question: str, talk: Talk) -> str:
    topic = ", ".join(each.name for each in talk.asked or talk.told[:1])
    stem = question.rstrip()
    return f"{stem} ({topic})"
