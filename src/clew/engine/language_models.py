"""The language model of the settings."""

from __future__ import annotations

from typing import Protocol, cast

from clew.core.errors import SettingsError
from clew.core.ports import LLM, YesNoModel
from clew.core.verification import Verifier
from clew.engine.loading import load
from clew.settings.model import AnswerSettings, LLMSettings

_CONCURRENT_CALLS = 4


class OwnLLM(LLM, Protocol):
    """A language model that is made here, and closed when done."""

    def close(self) -> None:
        """End its calls and free what it holds."""
        ...


def concurrent_calls(settings: LLMSettings) -> int:
    """Return how many calls run at once: as set, else 1 in this process and 4 at an endpoint."""
    return settings.concurrency or (1 if settings.path is not None else _CONCURRENT_CALLS)


def configured_llm(settings: LLMSettings, *, cores: int) -> OwnLLM | None:
    """Return the language model that the settings name, None where they name none.

    A model in a file runs on `cores` threads unless the settings say otherwise.

    Raises:
        MissingExtraError: its library is not installed.
        ModelError: the model's file cannot be read.
    """
    if not settings.is_configured:
        return None
    if settings.path is not None:
        local: OwnLLM = load("clew.models.local_llm:LocalLLM")(
            settings.path,
            context_window=settings.context_window,
            threads=settings.threads or cores,
            timeout=settings.timeout,
            retries=settings.retries,
            concurrency=concurrent_calls(settings),
            json_retries=settings.json_retries,
        )
        return local
    key = settings.api_key
    served: OwnLLM = load("clew.models.openai_llm:OpenAILLM")(
        settings.model,
        base_url=settings.base_url,
        api_key=None if key is None else key.get_secret_value(),
        context_window=settings.context_window,
        timeout=settings.timeout,
        retries=settings.retries,
        concurrency=concurrent_calls(settings),
        requests_per_minute=settings.requests_per_minute,
        tokens_per_minute=settings.tokens_per_minute,
        json_retries=settings.json_retries,
    )
    return served


def yes_no_model(llm: LLM | None) -> YesNoModel:
    """Return a language model that can be asked for the probability of yes.

    Raises:
        SettingsError: there is no language model, or it has no such method.
    """
    if llm is None:
        raise SettingsError(
            "this needs a language model and none is configured; set llm.base_url or llm.path"
        )
    if not hasattr(llm, "yes_probability"):
        raise SettingsError(
            f"the language model {llm.name!r} has no method yes_probability, which this needs"
        )
    return cast("YesNoModel", llm)


def model_verifier(llm: LLM, settings: AnswerSettings) -> object | None:
    """Return what verifies sentences by the model, None where the settings leave it to alignment.

    Raises:
        SettingsError: the model cannot be asked for the probability of yes.
    """
    if settings.verifier is not Verifier.MODEL:
        return None
    verifier: object = load("clew.reason.model_verification:ModelVerifier")(
        yes_no_model(llm), threshold=settings.yes_needed
    )
    return verifier
