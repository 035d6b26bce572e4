"""From settings to calls of a language model that are kept and counted."""

from __future__ import annotations

from clew.core.errors import SettingsError
from clew.core.ports import LLM
from clew.core.usage import Budget, Prices
from clew.engine.components import Components
from clew.engine.model_calls.recorded import RecordedCalls
from clew.engine.model_calls.spending import NO_BUDGET, Spending
from clew.settings.model import LLMSettings


def prices_of(settings: LLMSettings) -> Prices:
    """Return the prices of the settings."""
    return Prices(settings.price_prompt, settings.price_answer, settings.currency)


def spending_of(components: Components, budget: Budget = NO_BUDGET) -> Spending:
    """Return the spending of a run.

    Raises:
        SettingsError: the budget is in money, and the settings give no prices.
    """
    return Spending(budget, prices=prices_of(components.settings.llm))


def open_calls(components: Components, spending: Spending, *, wanted_by: str) -> RecordedCalls:
    """Return the calls of the configured model; `wanted_by` is the setting that asks for one.

    Raises:
        SettingsError: no model is configured.
    """
    return RecordedCalls(
        required_llm(components, wanted_by=wanted_by),
        responses=components.responses(),
        collection=components.collection,
        spending=spending,
    )


def required_llm(components: Components, *, wanted_by: str) -> LLM:
    """Return the configured model.

    Raises:
        SettingsError: there is none.
    """
    llm = components.llm()
    if llm is None:
        raise SettingsError(
            f"{wanted_by} needs a language model, and none is configured: set llm.base_url or "
            "llm.path, or give --llm"
        )
    return llm
