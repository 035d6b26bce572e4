"""Prompts: files of their own, one a language, versioned; what comes from elsewhere is fenced."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import Template

from clew.reason.language import AnswerLanguage
from clew.text.fencing import fence_name


def fenced_prompt(
    name: str,
    version: int,
    language: AnswerLanguage,
    *,
    lines: Sequence[str],
    fence: str,
    place: str,
    **fields: str,
) -> str:
    """Return the prompt `name`, with `lines` at `place` between two lines that bear a hash of all
    that stands there, so that no text among them can end the fence. `fence` is its first word."""
    inside = "\n".join(lines)
    told = "\n".join(fields.values())
    return _template(f"{name}_{language.value}_{version}.txt").substitute(
        {**fields, place: inside, "fence": fence_name(fence, (told, inside))}
    )


@cache
def _template(name: str) -> Template:
    file = resources.files("clew.reason.prompts") / name
    return Template(file.read_text(encoding="utf-8"))
