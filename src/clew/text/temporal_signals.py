"""Signal and kind of a temporal question, read from its words (English and Portuguese).

The labels are those of TempQuestions (Jia et al., 2018) and TimeQuestions (Jia et al., 2021).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.core.temporal import TemporalKind, TemporalSignal
from clew.text.question_dates import QuestionDate

_UNIT = r"(?:exact\s+)?(?:years?|dates?|days?|months?|time|times|century|decade|season|era)"
_UNIDADE = r"(?:anos?|datas?|dias?|m[êe]s|s[ée]culo|d[ée]cada|altura|[ée]poca)"
_ASKS = re.compile(
    rf"""^\W*(?:and\s+|so\s+|but\s+)?(?:
        (?:on|in|at|from|since|until|by|during|for)?\s*(?:what|which)\s+(?:\w+\s+)?{_UNIT}\b
      | (?:from\s+|since\s+|until\s+)?when\b
      | how\s+(?:long|old|many\s+(?:years|days|months|weeks))\b
      | (?:at\s+)?what\s+age\b
      | (?:desde\s+|at[ée]\s+)?quando\b
      | (?:em|no|na|desde|de|at[ée])?\s*(?:que|qual)\s+{_UNIDADE}\b
      | qual\s+(?:[ée]|foi|era)\s+[oa]\s+(?:ano|data|dia|m[êe]s)\b
      | (?:h[áa]|por)\s+quanto\s+tempo\b
      | quantos\s+anos\b
    )
    | \b(?:what|which)\s+{_UNIT}\b(?!\s+of\s+(?:the\s+)?(?:day|year))
    | \b(?:what|name|tell)\b.{{0,25}}\b(?:start\s+time|end\s+time|point\s+in\s+time|start\s+date|end\s+date
        |year|years|time\s+period|date)\s+(?:for|of|when|that|did|was)\b
    | \bdate\s+of\s+(?:birth|death|birthday)\b
    | \b(?:start|end)\s+date\W*$
    | ^\W*does\s+anyone\s+know\s+(?:when|what\s+year)
    | \b(?:when|at\s+what\s+time)\W*$
    | ^\W*give\s+(?:me\s+)?the\s+date\b
    | \bwhen\s+(?:was|did|were|is|are|does|do|will|has|have|had)\b.{{0,80}}\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_WHEN_TOLD = re.compile(
    r"^\W*when\s+(?!(?:was|were|is|are|did|does|do|will|has|have|had|can|could|would|should)\b)"
    r"[^?]*\?*\W*$",
    re.IGNORECASE,
)
_WHEN_CLAUSE = re.compile(
    r"^\W*(?:when|quando)\b[^,]*,\s*(?:in\s+|on\s+|to\s+|of\s+|at\s+|for\s+|em\s+|de\s+)?"
    r"(?:what|which|who|whom|whose|where|how|que|qual|quais|quem|onde)\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"""\b(?:
        first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth
      | \d{1,3}(?:st|nd|rd|th|[ºª])
      | last|latest|earliest|oldest|youngest|newest|most\s+recent|most\s+recently|original
      | primeir[oa]s?|segund[oa]s?|terceir[oa]s?|quart[oa]s?|quint[oa]s?|[úu]ltim[oa]s?
      | mais\s+(?:antig[oa]|recente|velh[oa]|nov[oa]|jovem)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_ORDINAL = re.compile(
    r"\b(?:first|last)\s+(?:name|names|lady|ladies|aid|person|ii|edition)\b"
    r"|\b(?:first|second|1st|2nd)\s+world\s+war\b|\b(?:primeira|segunda)\s+guerra\b"
    r"|\bsecond\s+(?:level|language)\b|\b\d{1,3}(?:st|nd|rd|th)\s+(?:century|centuries|street|avenue"
    r"|floor|regiment|infantry|battalion|brigade)\b|\b(?:third|second|first)[\s-]+(?:party|level)\b"
    r"|\bat\s+last\b|\bsegundo\s+(?:o|a|os|as)\b|\bquarta-feira|\bsegunda-feira|\bquinta-feira"
    r"|\blast\s+(?:\w+\s+)?(?:odi|match)\b.*\bduring\b",
    re.IGNORECASE,
)
_BEFORE = (
    r"before|prior\s+to|previously|preced(?:e|es|ed|ing|essors?)|preceded\s+by|until|till"
    r"|replaced\s+by|replacement\s+by|succeeded\s+by|leading\s+up\s+to|up\s+to|gone\s+before"
    r"|antes\s+d[eoa]s?|anterior(?:mente)?\s+a|at[ée]|antecessor[ae]?s?"
)
_AFTER = (
    r"after|following|follow(?:s|ed)?(?:\s+by)?|since|succe(?:ed|eds|eded|eding|ssors?)"
    r"|subsequent(?:ly)?|once|supplanted|replaces|depois\s+d[eoa]s?|ap[óo]s|desde|sucessor[ae]?s?"
)
_DURING = (
    r"during|while|when|whilst|throughout|as\s+of|at\s+the\s+(?:time|same\s+time|moment)"
    r"|in\s+the\s+(?:time|days|period|reign)\s+of|upon|whenever|amid|as\s+part\s+of"
    r"|at\s+the\s+(?:battle|siege)|in\s+(?:world\s+war|ww)\w*"
    r"|durante|enquanto|quando|na\s+altura|[àa]\s+data|aquando|ao\s+mesmo\s+tempo"
)
_SIGNALS = [
    (signal, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for signal, words in (
        (TemporalSignal.BEFORE, _BEFORE),
        (TemporalSignal.AFTER, _AFTER),
        (TemporalSignal.OVERLAP, _DURING),
    )
]
_AFTER_NAMED = re.compile(r"\bnamed\s+after\b|\bcalled\s+after\b|\btakes?\s+after\b", re.IGNORECASE)
_STARTS = re.compile(
    r"\bstart(?:s|ed|ing)?\s+(?:time\s+)?(?:is|on|at|in|from|date)\b|\bbeg(?:an|in|ins|inning)\s+(?:on|in|at)\b"
    r"|\bstart(?:s|ed)?\s+(?:on|in)?\s*(?=[\d])|\bstarting\b"
    r"|\b(?:come[çc]ou|come[çc]aram|iniciou|iniciad[oa])\b",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\bend(?:s|ed|ing)?\s+(?:time\s+)?(?:is|on|at|in|date)\b|\bend(?:s|ed)\b|\bfinish(?:ed|es)?\b"
    r"|\bleft\s+(?:office|on|in)\b|\b(?:terminou|acabou|terminad[oa])\b",
    re.IGNORECASE,
)
_HOLDS_DATE = re.compile(
    r"(?:\b(?:in|on|at|as\s+of|during|throughout|within|for|from|between|year|em|no|na|nos|nas|durante|entre"
    r"|desde|ano|de)\s+(?:the\s+|o\s+|a\s+|years?\s+(?:of\s+)?|ano\s+de\s+|early\s+|late\s+|mid-?\s*"
    r"|month\s+of\s+)*|\bpoint\s+in\s+time\s+(?:is|was)\s*)$",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:when|while|whilst|during|before|after|since|until|till|once|prior\s+to|following|at\s+the"
    r"\s+time\s+(?:of|when|that)|quando|enquanto|durante|antes\s+d[eoa]s?|depois\s+d[eoa]s?|ap[óo]s"
    r"|desde(?:\s+que)?|at[ée])\s+(?P<event>[^,?]+)",
    re.IGNORECASE,
)
_PORTUGUESE = re.compile(
    r"[ãõç]|\b(?:quem|qual|quais|quando|onde|como|foi|eram?|são|está|anos?|depois|antes|desde|após"
    r"|entre|durante|em|dos?|das?|uma?)\b",
    re.IGNORECASE,
)
_PORTUGUESE_WORDS = 2


def looks_portuguese(text: str) -> bool:
    """Return whether at least two words or letters of a question are Portuguese."""
    return len(_PORTUGUESE.findall(text)) >= _PORTUGUESE_WORDS


def asks_for_time(text: str) -> bool:
    """Return whether the answer of the question is a date or a length of time."""
    return _ASKS.search(text) is not None and _WHEN_CLAUSE.match(text) is None


def event_words(text: str) -> str:
    """Return the event that an implicit constraint names, "" for none."""
    match = _EVENT.search(text)
    return match["event"].strip(" .") if match is not None else ""


def kind_of(text: str, dates: Sequence[QuestionDate]) -> TemporalKind:
    """Return the kind of question; where several apply, the first of: rank, answer, date, event."""
    if _ordinal(text, dates):
        return TemporalKind.ORDINAL
    if asks_for_time(text):
        return TemporalKind.ANSWER
    if dates:
        return TemporalKind.EXPLICIT
    return TemporalKind.IMPLICIT if _word_signal(text) is not None else TemporalKind.NONE


def signal_of(text: str, dates: Sequence[QuestionDate]) -> TemporalSignal:
    """Return the signal; a date without a preposition, or a question for a date, gives none."""
    if _ordinal(text, dates):
        return TemporalSignal.ORDINAL
    if asks_for_time(text):
        return TemporalSignal.NONE
    written = [date for date in dates if not date.now]
    if not dates:
        return _word_signal(text) or TemporalSignal.NONE
    if _STARTS.search(text):
        return TemporalSignal.START
    if _ENDS.search(text):
        return TemporalSignal.FINISH
    for date in written:
        before = text[max(0, date.first - 32) : date.first]
        for signal, pattern in _SIGNALS[:2]:
            found = list(pattern.finditer(before))
            if found and len(before[found[-1].end() :].split()) <= 2:
                return signal
    for date in written:
        if date.relative or _HOLDS_DATE.search(text[max(0, date.first - 32) : date.first]):
            return TemporalSignal.OVERLAP
    return TemporalSignal.NONE


def _ordinal(text: str, dates: Sequence[QuestionDate]) -> bool:
    """Return whether a word ranks what is asked for: not in a date, a set phrase, an event."""
    if asks_for_time(text) and _WHEN_TOLD.match(text):
        return False
    masked = list(text)
    for first, last in [
        *((date.first, date.last) for date in dates),
        *(match.span() for match in _NO_ORDINAL.finditer(text)),
        *((match.span() for match in _EVENT.finditer(text)) if not asks_for_time(text) else ()),
    ]:
        masked[first:last] = " " * (last - first)
    return _ORDINAL.search("".join(masked)) is not None


def _word_signal(text: str) -> TemporalSignal | None:
    """Return the signal of the first word that is one."""
    shown = _AFTER_NAMED.sub(lambda match: " " * len(match.group()), text)
    found = [
        (match.start(), signal)
        for signal, pattern in _SIGNALS
        if (match := pattern.search(shown)) is not None
    ]
    return min(found)[1] if found else None
