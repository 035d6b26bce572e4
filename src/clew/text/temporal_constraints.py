"""The constraint in time that a question states, in English and Portuguese."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from clew.core.temporal import (
    NO_CONSTRAINT,
    TemporalConstraint,
    TemporalKind,
    TemporalSignal,
    TemporalType,
)
from clew.text.question_dates import QuestionDate, question_dates
from clew.text.temporal_signals import event_words, kind_of, looks_portuguese, signal_of

_LEAD = 48
_FILLER = (
    r"(?:the\s+|o\s+|a\s+|os\s+|as\s+|early\s+|mid-?\s*|late\s+|year\s+(?:of\s+)?|years\s+|ano\s+(?:de\s+)?"
    r"|(?:end|start|beginning|middle|summer|spring|autumn|fall|winter)\s+of\s+"
    r"|ver[ãa]o\s+de\s+|inverno\s+de\s+|primavera\s+de\s+|outono\s+de\s+|fim\s+de\s+|m[êe]s\s+de\s+|month\s+of\s+|dia\s+|around\s+|about\s+)*"
)


def _lead(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?P<lead>{words})\s+{_FILLER}$", re.IGNORECASE)


_LEADS: tuple[tuple[TemporalType, re.Pattern[str]], ...] = (
    (
        TemporalType.AS_OF,
        _lead("as of|as at|as it was on|as they were on|na data de|à data de|com data de"),
    ),
    (
        TemporalType.BEFORE,
        _lead("before|prior to|earlier than|preceding|antes de|antes do|antes da"),
    ),
    (
        TemporalType.AFTER,
        _lead(
            "after|following|later than|subsequent to|depois de|depois do|depois da|após|a seguir a"
        ),
    ),
    (
        TemporalType.SINCE,
        _lead(
            "since|ever since|starting in|starting on|starting from|beginning in|beginning on"
            "|from|desde|a partir de|a partir do"
        ),
    ),
    (TemporalType.UNTIL, _lead("until|till|til|up to|through|até|até ao")),
    (TemporalType.BY, _lead("by|no later than|não depois de|o mais tardar em")),
    (
        TemporalType.DURING,
        _lead(
            "in|on|at|during|throughout|within|for|em|no|na|nos|nas|durante|ao longo de|of|de|do|da"
        ),
    ),
)
_RANGE_LEAD = re.compile(rf"\b(?P<lead>from|between|de|entre|desde|since|in|em)\s+{_FILLER}$", re.I)
_JOIN = re.compile(
    r"\s*(?:[-–—]|to|and|until|till|through|up to|a|e|até|and\s+until)\s*"  # noqa: RUF001
    + _FILLER,
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\s*(?:[-–—]|to|until|till|até|a)\s*(?:the\s+|o\s+)?(?:present|now|today|presente|hoje)\b",  # noqa: RUF001
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(?:the|a|an|its|his|her|their|o|a|os|as|um|uma)\s+$", re.IGNORECASE)
_OPEN_BRACKET = re.compile(r"[(\[]\s*(?:[^\W\d_]+\.?\s+)?$")
_NOUN = re.compile(
    r"\s+(?!(?:and|or|in|on|at|of|to|for|by|did|was|were|is|are|when|while|with|who|what|which|e|ou|em"
    r"|no|na|de|do|da|foi|era)\b)[^\W\d_]{2}",
    re.IGNORECASE,
)
_IDENTIFIES = re.compile(
    r"\b(?:born|died|founded|established|released|published|created|formed|built|opened|written"
    r"|directed|recorded|launched|premiered|aired|made|incorporated|introduced|produced|signed"
    r"|started|began|begun|completed|discovered|held|nascid[oa]s?|nasceu|morreu|falecid[oa]|fundad[oa]s?"
    r"|criad[oa]s?|publicad[oa]s?|lançad[oa]s?|construíd[oa]s?|escrit[oa]s?)"
    r"\s+(?:\w+\s+){0,2}?(?:in|on|em|no|na|a)\s+" + _FILLER + "$",
    re.IGNORECASE,
)


def read_constraint(
    text: str, *, reference: datetime, language: str | None = None
) -> TemporalConstraint:
    """Return the constraint of a question; `NO_CONSTRAINT` where it speaks of no time at all.

    `reference` is today for "last year" and the like. Of several dates, a range counts before one
    with a preposition, that before a date which only names something. `language` (a code, None:
    seen from the words) decides how 1/3/1935 is read.
    """
    day_first = looks_portuguese(text) if language is None else language.startswith("pt")
    dates = question_dates(text, reference, day_first=day_first)
    signal, kind = signal_of(text, dates), kind_of(text, dates)
    found = _range(text, dates) or _to_present(text, dates, reference) or _single(text, dates)
    if found is not None:
        return replace(found, signal=signal, kind=kind)
    event = event_words(text)
    if kind is TemporalKind.IMPLICIT or (event and signal is not TemporalSignal.NONE):
        return TemporalConstraint(TemporalType.IMPLICIT, signal=signal, kind=kind, words=event)
    if kind is TemporalKind.NONE and signal is TemporalSignal.NONE:
        return NO_CONSTRAINT
    return TemporalConstraint(signal=signal, kind=kind)


def _range(text: str, dates: list[QuestionDate]) -> TemporalConstraint | None:
    """Return "from A to B", "between A and B" or "A-B"."""
    for first, second in pairwise(dates):
        between = text[first.last : second.first]
        if first.start >= second.end or _JOIN.fullmatch(between) is None:
            continue
        lead = _RANGE_LEAD.search(text[max(0, first.first - _LEAD) : first.first])
        dashed = between.strip()[:1] in ("-", "–", "—")  # noqa: RUF001
        if lead is None and not dashed:
            continue
        if between.strip().casefold() in ("and", "e") and (
            lead is None or lead["lead"].casefold() not in ("between", "entre", "from", "desde")
        ):
            continue
        begin = first.first - len(lead.group()) if lead is not None else first.first
        return TemporalConstraint(
            TemporalType.BETWEEN, first.start, second.end, words=text[begin : second.last]
        )
    return None


def _to_present(
    text: str, dates: list[QuestionDate], reference: datetime
) -> TemporalConstraint | None:
    """Return "A - present" and "from A until today"."""
    for date in dates:
        match = _PRESENT.match(text, date.last)
        if match is not None and date.start < reference:
            words = text[date.first : match.end()]
            return TemporalConstraint(TemporalType.SINCE, date.start, words=words)
    return None


def _single(text: str, dates: list[QuestionDate]) -> TemporalConstraint | None:
    """Return the date that has the strongest claim to be asked about."""
    read = [_read(text, date) for date in dates]
    asked = [constraint for constraint in read if not constraint.names]
    return next(iter(asked or read), None)


def _read(text: str, date: QuestionDate) -> TemporalConstraint:
    """Return one date with the words that lead to it.

    A date between an article and a noun ("in the 1968 album") names the noun, and one in brackets
    what stands before them.
    """
    before = text[max(0, date.first - _LEAD) : date.first]
    attributive = (_ARTICLE.search(before) and _NOUN.match(text, date.last)) or (
        _OPEN_BRACKET.search(before)
    )
    if attributive and not date.span and not date.relative:
        words = text[date.first : date.last]
        return TemporalConstraint(
            TemporalType.DURING, date.start, date.end, words=words, names=True
        )
    for kind, pattern in _LEADS:
        lead = pattern.search(before)
        if lead is None:
            continue
        words = text[date.first - len(lead.group()) : date.last].strip()
        if kind is not TemporalType.DURING:
            return _bounded(kind, date, words)
        names = _IDENTIFIES.search(before) is not None and not date.relative
        names = names or lead["lead"].casefold() in ("of", "de", "do", "da", "for")
        during = TemporalType.RELATIVE if date.relative else TemporalType.DURING
        return TemporalConstraint(during, date.start, date.end, words=words, names=names)
    words = text[date.first : date.last].strip()
    if date.relative:
        if date.now:
            return TemporalConstraint(TemporalType.AS_OF, date.start, words=words)
        return TemporalConstraint(TemporalType.RELATIVE, date.start, date.end, words=words)
    at_the_end = re.fullmatch(r"[\s?!.\"')]*", text[date.last :]) is not None
    return TemporalConstraint(
        TemporalType.DURING, date.start, date.end, words=words, names=not at_the_end
    )


def _bounded(kind: TemporalType, date: QuestionDate, words: str) -> TemporalConstraint:
    """Return before, after, since, until, by or as of a date, as a half-open interval."""
    start: datetime | None = None
    end: datetime | None = None
    if kind is TemporalType.BEFORE:
        end = date.start
    elif kind is TemporalType.AFTER:
        start = date.end
    elif kind is TemporalType.SINCE:
        start = date.start
    elif kind in (TemporalType.UNTIL, TemporalType.BY):
        end = date.end
    else:
        start, end = date.start, date.end
    return TemporalConstraint(kind, start, end, words=words)
