"""Cues in a question's wording that it joins several things, and how likely it does.

Case and punctuation other than possessives do not count: they tell where a question was collected,
not what it needs. Weights are those of a logistic regression, fitted by `benchmarks.routing --fit`
on one half of Adaptive-RAG's questions (Jeong et al., Adaptive-RAG, NAACL 2024, whose labels call a
question single or multi by its data set). The cues are English; in other languages only length and
few others speak.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

_ROLES = (
    "director|performer|singer|author|composer|writer|creator|founder|producer|screenwriter|"
    "publisher|star|architect|owner|developer|manufacturer|maker|inventor|president|leader|ceo|"
    "employer|artist|band|label|company|spouse|husband|wife|father|mother|child|son|daughter|"
    "sibling|brother|sister|grandfather|grandmother|country|city|county|state|place|birthplace|"
    "school|team"
)
_OWNED = (
    "father|mother|spouse|wife|husband|child|son|daughter|birthplace|country|home|hometown|college|"
    "university|employer|label|team|county|city|state|director|performer|creator|founder|author|"
    "maker|manufacturer|owner|publisher|birth|death|nationality|religion|citizenship|band|singer"
)
_DONE = (
    "born|located|based|directed|written|performed|founded|owned|produced|released|published|"
    "created|played|starring|featuring|named|known|called|held|built|made|formed|composed|recorded|"
    "headquartered|established|buried|educated|developed|distributed|sung|signed|married|shared|"
    "situated|portrayed|set"
)


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern, in words for people, that counts up to three times with its weight."""

    name: str
    words: str
    pattern: re.Pattern[str]


def _cue(name: str, words: str, pattern: str) -> Cue:
    return Cue(name, words, re.compile(pattern))


CUES = (
    _cue(
        "described_thing",
        "a thing that is described",
        r"\bthe (?:[\w-]+ ){1,4}(?:that|who|which|where|whom|whose|in which|when)\b",
    ),
    _cue("relative", "a relative clause", r"(?<=\w )(?:that|who|which|where|whom|whose)\b"),
    _cue(
        "agent",
        "someone named by a deed",
        r"\b\w+(?:er|or|ist|ian|man)s? (?:of|who|that|for|behind)\b",
    ),
    _cue(
        "role",
        "a role in something",
        rf"\b(?:{_ROLES}) (?:of|who|that|where|which|for|in which)\b",
    ),
    _cue("owned_role", "a role of someone", rf"(?:' ?s|s') (?:[\w-]+ ){{0,2}}(?:{_OWNED})\b"),
    _cue("possessive", "a possessive", r"\w's\b|\w 's\b|\w+s'(?=\s)"),
    _cue("nested_of", "of within of", r"\bof (?:the |a |an )?(?:[\w'-]+ ){1,4}?of\b"),
    _cue("the_of", "the such of something", r"\bthe [\w ]{0,30}?\w+ of\b"),
    _cue(
        "participle",
        "a thing by what was done",
        rf"\b(?:{_DONE}) (?:in|by|at|on|for|as|to|from|after|with)\b",
    ),
    _cue(
        "property",
        "a property of a thing",
        r"\b(?:part|member|instance|type|kind|side|capital|border|location|located|headquarter\w*|"
        r"citizenship|nationality|birthplace|enrollment|population|founded|formed)\b",
    ),
    _cue(
        "life", "dates of a life", r"\b(?:die|died|born|death|birth|buried|birthday|birthplace)\b"
    ),
    _cue("marriage", "a marriage", r"\b(?:marry|married|spouse|wife|husband)\b"),
    _cue(
        "comparison",
        "a comparison",
        r"\b(?:both|same|or|older|younger|earlier|later|longer|larger|bigger|higher|first,|"
        r"more recently|either|between|common|also|difference|compared?)\b",
    ),
    _cue("shared", "something shared", r"\b(?:both|same|in common)\b"),
    _cue("alternative", "a choice of two", r"\bor\b"),
    _cue(
        "first_of",
        "which came first",
        r"\b(?:came out|released|born|died|founded|established|created|started|is|was|lived) "
        r"(?:first|earlier|later|longer)\b",
    ),
    _cue("yes_or_no", "a yes or no question", r"^(?:is|are|was|were|did|does|do|has|have)\b"),
    _cue(
        "work",
        "a work of art",
        r"\b(?:film|song|album|movie|band|novel|book|magazine|series|show)\b",
    ),
    _cue("fame", "fame", r"\b(?:best known|well[- ]known|famous)\b"),
    _cue(
        "term",
        "a name or term is asked for",
        r"\b(?:name of|name given|term|called|known as|nickname\w*|title)\b",
    ),
    _cue("extreme", "an extreme", r"\b(?:\w+est|most|least|last|first)\b"),
    _cue("who", "who", r"^who\b"),
    _cue("where_when", "where or when", r"^(?:where|when)\b"),
)

WEIGHTS: Mapping[str, float] = {
    "described_thing": 1.47,
    "relative": 0.69,
    "agent": 1.54,
    "role": 0.98,
    "owned_role": 0.98,
    "possessive": 0.53,
    "nested_of": 0.15,
    "the_of": 0.25,
    "participle": 1.2,
    "property": 1.12,
    "life": 1.35,
    "marriage": 0.35,
    "comparison": 1.29,
    "shared": 1.11,
    "alternative": 0.53,
    "first_of": 0.52,
    "yes_or_no": 0.96,
    "work": 0.48,
    "fame": -0.68,
    "term": -0.37,
    "extreme": -0.58,
    "who": -0.23,
    "where_when": 0.17,
    "words": 1.24,
    "words_above_15": -0.88,
}
BIAS = -3.36
_WORD = re.compile(r"\w+(?:'\w+)?")
_MOST = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """How likely a question joins several things, and the cues that say so, weightiest first."""

    multi: float
    cues: tuple[str, ...]


def features(question: str) -> list[float]:
    """Return how often each cue occurs (at most 3), then two features of the length in words.

    These are tens of words, at most 4, and tens of words above 15.
    """
    text = question.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    words = min(len(_WORD.findall(text)), 40)
    counts = [float(min(len(cue.pattern.findall(text)), _MOST)) for cue in CUES]
    return [*counts, words / 10, max(0, words - 15) / 10]


FEATURES = (*(cue.name for cue in CUES), "words", "words_above_15")


def read(question: str) -> Reading:
    """Return the probability that a question joins several things: 1 / (1 + exp(-w f - b))."""
    values = features(question)
    total = BIAS + sum(WEIGHTS[name] * value for name, value in zip(FEATURES, values, strict=True))
    speaking = sorted(
        (
            (WEIGHTS[cue.name] * value, cue.words)
            for cue, value in zip(CUES, values, strict=False)
            if value and WEIGHTS[cue.name] > 0
        ),
        reverse=True,
    )
    return Reading(1.0 / (1.0 + exp(-total)), tuple(words for _, words in speaking))
