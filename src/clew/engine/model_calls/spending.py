"""What a run may spend on a language model: counted request by request, stopped before the limit."""

from __future__ import annotations

import threading

from clew.core.errors import BudgetReachedError, SettingsError
from clew.core.model_calls import Responses
from clew.core.usage import Budget, Prices, TokenUsage

NO_BUDGET = Budget()


class Spending:
    """The spending of one run; safe to use from several threads.

    A request is admitted only if all that was spent, all that runs, and the most that it can cost
    stay within the budget. Prompts are estimated on the safe side before they are sent.

    Raises:
        SettingsError: the budget is in money, and the settings give no prices.
    """

    def __init__(self, budget: Budget = NO_BUDGET, *, prices: Prices) -> None:
        if budget.money is not None and not prices.known:
            raise SettingsError(
                "a budget in money needs prices: set llm.price_prompt and llm.price_answer (a "
                "million tokens), or give the budget in tokens"
            )
        self._budget = budget
        self.prices = prices
        self._lock = threading.Lock()
        self._spent = TokenUsage()
        self._running = TokenUsage()
        self._refused = False
        self.reused = 0

    @property
    def spent(self) -> TokenUsage:
        """Calls and tokens of this run so far."""
        with self._lock:
            return self._spent

    @property
    def used(self) -> bool:
        """Return whether the model was wanted: asked, spared by a kept answer, or refused."""
        with self._lock:
            return bool(self._spent.calls or self.reused or self._refused)

    def admit(self, at_most: TokenUsage) -> None:
        """Let a request pass, or refuse it.

        Raises:
            BudgetReachedError: it could cost more than is left.
        """
        with self._lock:
            self._refused = True
            whole = self._spent + self._running + at_most
            cost = self.prices.cost(whole)
            tokens, money = self._budget.tokens, self._budget.money
            if tokens is not None and whole.tokens > tokens:
                raise BudgetReachedError(
                    f"the budget of {tokens} tokens is reached: {self._spent.tokens} are spent, and "
                    f"the next request could take {at_most.tokens}"
                )
            if money is not None and cost is not None and cost > money:
                raise BudgetReachedError(
                    f"the budget of {money:g} {self.prices.currency} is reached: "
                    f"{self.prices.cost(self._spent):.4g} are spent, and the next request could "
                    f"cost {self.prices.cost(at_most):.4g}"
                )
            self._refused = False
            self._running += at_most

    def settle(self, at_most: TokenUsage, used: TokenUsage) -> None:
        """Count what an admitted request has cost."""
        with self._lock:
            self._running -= at_most
            self._spent += used

    def reuse(self) -> None:
        """Count an answer that was kept from earlier."""
        with self._lock:
            self.reused += 1


class LedgerMeter:
    """Implements `core.usage.Meter` for one stage: the run's spending, and the ledger on disk."""

    def __init__(
        self, spending: Spending, responses: Responses, *, collection: str, stage: str, model: str
    ) -> None:
        self._spending = spending
        self._responses = responses
        self._collection = collection
        self._stage = stage
        self._model = model

    def admit(self, at_most: TokenUsage) -> None:
        """Let a request pass, or refuse it.

        Raises:
            BudgetReachedError: it could cost more than is left.
        """
        self._spending.admit(at_most)

    def settle(self, at_most: TokenUsage, used: TokenUsage) -> None:
        """Count what an admitted request has cost."""
        self._spending.settle(at_most, used)
        if used.calls:
            self._responses.charge(
                self._collection,
                stage=self._stage,
                model=self._model,
                usage=used,
                cost=self._spending.prices.cost(used) or 0.0,
            )
