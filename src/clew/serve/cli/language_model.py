"""From `--llm`, `--verify`, `--verifier`, `--extractor` and `--budget` to settings and limits."""

from __future__ import annotations

import re

from clew.core.errors import QueryError
from clew.core.usage import Budget

_AMOUNT = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<tokens>t|tokens?)?", re.IGNORECASE)


def budget_of(text: str | None) -> Budget | None:
    """Return what the model may cost: "2.50" is money, "200000t" or "200000 tokens" tokens.

    Raises:
        QueryError: it is neither.
    """
    if text is None:
        return None
    match = _AMOUNT.fullmatch(text.strip())
    if match is None or (match["tokens"] and "." in match["number"]):
        raise QueryError(f"--budget {text!r} is no amount; write money (2.50) or tokens (200000t)")
    if match["tokens"]:
        return Budget(tokens=int(match["number"]))
    return Budget(money=float(match["number"]))


def model_settings(
    place: str | None,
    verify: str | None,
    verifier: str | None = None,
    *,
    extractor: str | None = None,
) -> dict[str, dict[str, object]]:
    """Return the settings that the options give, nested by section; what is not given is left out.

    `place` is an http address or the path of a GGUF file, and takes the place of the other kind in
    the settings. A name of a model is kept for an address.
    """
    settings: dict[str, dict[str, object]] = {}
    if place is not None and "://" in place:
        settings["llm"] = {"base_url": place, "path": None}
    elif place is not None:
        settings["llm"] = {"path": place, "base_url": None, "model": None}
    judged = {"verify": verify, "verifier": verifier}
    given = {name: value for name, value in judged.items() if value is not None}
    if given:
        settings["answer"] = dict(given)
    if extractor is not None:
        settings["extraction"] = {"extractor": extractor}
    return settings
