"""Years and spans of years that a passage names, read fast and without regard to the sentence."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class YearSpan(NamedTuple):
    """Years `first` to `last`, both included; `ranged` where the text states both ends."""

    first: int
    last: int
    ranged: bool


_YEAR = r"(?:1[0-9]\d{2}|20\d{2})"
_SPAN = re.compile(
    rf"(?<![\d.,$€£])(?P<first>{_YEAR})(?:"
    rf"\s*[-–—/]\s*(?P<short>\d{{2}})(?!\d)"  # noqa: RUF001
    rf"|\s*(?:[-–—]|\bto\b|\band\b|\buntil\b|\btill\b|\bthrough\b|\ba\b|\be\b|\baté\b)\s*(?:the\s+)?"  # noqa: RUF001
    rf"(?:\d{{1,2}}\s+)?(?:(?:de\s+)?[^\W\d_]{{3,9}}\.?\s+(?:de\s+)?(?:\d{{1,2}}\s*,\s*)?)?(?P<last>{_YEAR})(?!\d)"
    rf"|(?P<decade>s)\b)?(?![\d%]|[.,]\d)",
    re.IGNORECASE,
)
_LONGEST = 150


@lru_cache(maxsize=20_000)
def year_spans(text: str) -> tuple[YearSpan, ...]:
    """Return the years and spans of years in `text`, in order.

    "1990-95", "1990 to 1995", "March 1990 to May 1995" are spans, "the 1990s" is one of ten years; a
    year alone is a span of one. Numbers with decimals, thousands or a currency are no years.
    """
    return tuple(span for match in _SPAN.finditer(text) for span in _spans(match))


def _spans(match: re.Match[str]) -> list[YearSpan]:
    first = int(match["first"])
    if match["decade"]:
        return [YearSpan(first, first + 9, ranged=False)]
    if match["short"]:
        last = first // 100 * 100 + int(match["short"])
        last += 100 if last < first and last % 100 == 0 else 0
    elif match["last"]:
        last = int(match["last"])
    else:
        return [YearSpan(first, first, ranged=False)]
    if first < last <= first + _LONGEST:
        return [YearSpan(first, last, ranged=True)]
    single = [YearSpan(first, first, ranged=False)]
    return single + ([YearSpan(last, last, ranged=False)] if match["last"] else [])
