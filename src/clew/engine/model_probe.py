"""What the configured language model can do, tried with two short questions, and what will be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from clew.core.errors import ClewError, ModelError, UnusableAnswerError
from clew.core.health import Finding, Severity
from clew.core.ports import LLM
from clew.engine.components import Components
from clew.engine.extractors import asks_model
from clew.text.names import name_key

SMALL_WINDOW = 4096
"""Below it, a chunk, two examples and an answer hardly find room."""
_ASK = {
    "en": 'Who leads what? Copy both names from the sentence: "Ada Holm leads Delta Bank."',
    "pt": 'Quem dirige o quê? Copie os dois nomes da frase: "Ada Holm dirige o Banco Delta."',
}
_EXPECTED = {"en": ("ada holm", "delta bank"), "pt": ("ada holm", "banco delta")}
_SCHEMA = {
    "type": "object",
    "properties": {"leader": {"type": "string"}, "led": {"type": "string"}},
    "required": ["leader", "led"],
    "additionalProperties": False,
}
_MAX_TOKENS = 80


@runtime_checkable
class _TellsJson(Protocol):
    """A model that knows how its endpoint is held to JSON."""

    @property
    def json_support(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Probe:
    """What was found of the model, by name, and what is wrong with it."""

    facts: Mapping[str, str]
    findings: tuple[Finding, ...]


def probe_model(components: Components) -> Probe:
    """Ask the configured model, in English and in Portuguese; without one, say what serves."""
    used = components.settings.extraction.extractor.value
    try:
        llm = components.llm()
        if llm is None:
            return _without_model(components)
        name = llm.name
    except ClewError as error:
        return Probe({}, (_failed(error),))
    findings: list[Finding] = []
    spoken: list[str] = []
    for language in _ASK:
        try:
            if _answers(llm, language):
                spoken.append(language)
        except UnusableAnswerError as error:
            remedy = "take a larger model; until then keep extraction.extractor = 'rules'"
            findings.append(Finding(Severity.WARNING, "language model", str(error), remedy))
        except ModelError as error:
            return Probe({"language model": name}, (_failed(error),))
    findings += _limits(llm, spoken)
    facts = {
        "language model": name,
        "context window": f"{llm.context_window} tokens",
        "JSON": llm.json_support if isinstance(llm, _TellsJson) else "as the model gives it",
        "answered rightly in": ", ".join(spoken) or "no language that was tried",
        "extraction by": used if components.settings.extraction.enabled else "nothing (disabled)",
        "answers by": name,
    }
    return Probe(facts, tuple(findings))


def _without_model(components: Components) -> Probe:
    facts = {"language model": "none", "extraction by": "rules", "answers by": "quotation"}
    if not asks_model(components.settings):
        return Probe(facts, ())
    wanted = components.settings.extraction.extractor.value
    problem = f"extraction.extractor is {wanted!r}, and no language model is configured"
    remedy = "set llm.base_url or llm.path, or extraction.extractor = 'rules'"
    return Probe(facts, (Finding(Severity.ERROR, "language model", problem, remedy),))


def _answers(llm: LLM, language: str) -> bool:
    """Return whether the model copies both names of a sentence, in their places."""
    found = llm.complete_json(_ASK[language], schema=_SCHEMA, max_tokens=_MAX_TOKENS)
    told = tuple(name_key(str(found[key])) for key in ("leader", "led"))
    return told == _EXPECTED[language]


def _limits(llm: LLM, spoken: list[str]) -> Iterator[Finding]:
    if llm.context_window < SMALL_WINDOW:
        problem = f"its window of {llm.context_window} tokens is small: few passages find room"
        remedy = f"set llm.context_window to {SMALL_WINDOW} or more, if the model has it"
        yield Finding(Severity.WARNING, "language model", problem, remedy)
    for language in _ASK:
        if language not in spoken:
            problem = f"it does not copy two names from a sentence in {language!r}"
            remedy = "expect little of it in that language; take a larger model"
            yield Finding(Severity.WARNING, "language model", problem, remedy)


def _failed(error: ClewError) -> Finding:
    remedy = "check llm.base_url, llm.model, llm.path and the key, and that the server runs"
    return Finding(Severity.ERROR, "language model", str(error), remedy)
