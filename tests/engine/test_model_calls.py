"""Answers are kept before they are used, and every request is admitted and counted."""

import pytest

from clew.core.errors import (
    BudgetReachedError,
    ModelError,
    SettingsError,
    StoreError,
    UnusableAnswerError,
)
from clew.core.model_calls import ModelRequest, text_subject
from clew.core.usage import Budget, Prices, TokenUsage
from clew.engine.model_calls.recorded import RecordedCalls
from clew.engine.model_calls.spending import Spending
from clew.models.openai_llm import OpenAILLM
from clew.stores.responses import open_beside
from clew.testing.fakes import ScriptedLLM
from tests.models.chat_server import refused, said, serving

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}


def request(prompt="How many?", *, schema=SCHEMA, most=20):
    return ModelRequest("extract", prompt, "count-1", text_subject(prompt), most, schema)


@pytest.fixture
def server():
    with serving() as served:
        yield served


@pytest.fixture
def kept():
    responses = open_beside(None)
    yield responses
    responses.close()


def calls(llm, kept, *, budget=None, prices=None):
    spending = Spending(budget or Budget(), prices=prices or Prices())
    made = RecordedCalls(llm, responses=kept, collection="default", spending=spending)
    return made, spending


def open_llm(server, **options):
    return OpenAILLM("tiny", base_url=server.url, **{"retries": 0, **options})


def test_an_answer_is_asked_for_once(server, kept):
    server.answer = lambda asked: said('{"n": 7}')
    llm = open_llm(server)
    for _ in range(2):
        made, spending = calls(llm, kept)
        assert made.answer(request()) == {"n": 7}
    assert len(server.asked) == 1
    assert (spending.spent, spending.reused) == (TokenUsage(), 1)
    (entry,) = kept.ledger("default")
    assert entry.usage == TokenUsage(1, 11, 1)
    assert entry.reused == 1
    llm.close()


def test_what_breaks_the_schema_is_paid_and_never_kept(server, kept):
    server.turns = [said("no"), said('{"n": "x"}'), said('{"n": 1, "m": 2}')]
    llm = open_llm(server, json_retries=2)
    made, spending = calls(llm, kept)
    with pytest.raises(UnusableAnswerError, match="no usable JSON in 3 attempts"):
        made.answer(request())
    assert spending.spent.calls == 3
    server.turns = [said('{"n": 3}')]
    assert made.answer(request()) == {"n": 3}
    llm.close()


def test_what_a_check_refuses_is_not_kept(kept):
    def check(answer):
        if answer["text"] == "bad":
            raise UnusableAnswerError("bad")

    made, _ = calls(ScriptedLLM("bad", "good"), kept)
    with pytest.raises(UnusableAnswerError):
        made.answer(request(schema=None), check=check)
    assert made.answer(request(schema=None), check=check) == {"text": "good"}
    assert made.answer(request(schema=None), check=check) == {"text": "good"}


def test_an_answer_that_cannot_be_kept_is_not_used(server, kept):
    server.answer = lambda asked: said('{"n": 7}')
    llm = open_llm(server)
    made, _ = calls(llm, kept)
    made.answer(request("first"))
    kept.close()
    with pytest.raises(StoreError, match="closed"):
        made.answer(request("second"))
    llm.close()


def test_a_budget_is_never_passed(server, kept):
    """Each prompt is estimated at 4 tokens (10 to 12 bytes) and may be answered by 20; the server
    counts 11 and 1. Four calls are 48; the fifth could end at 72, the sixth at 84."""
    server.answer = lambda asked: said('{"n": 7}')
    llm = open_llm(server)
    made, spending = calls(llm, kept, budget=Budget(tokens=80))
    for number in range(5):
        made.answer(request(f"Number {number}?"))
    assert spending.spent.tokens == 60
    with pytest.raises(BudgetReachedError, match="80 tokens is reached: 60 are spent"):
        made.answer(request("Number 5?"))
    assert len(server.asked) == 5
    assert made.answer(request("Number 4?")) == {"n": 7}
    llm.close()


def test_repetitions_after_a_mistake_are_within_the_budget(server, kept):
    server.answer = lambda asked: said("no object")
    llm = open_llm(server, json_retries=5)
    made, spending = calls(llm, kept, budget=Budget(tokens=40))
    with pytest.raises(BudgetReachedError):
        made.answer(request())
    assert len(server.asked) == 1
    assert spending.spent.tokens == 12
    llm.close()


def test_a_budget_in_money_takes_the_prices(server, kept):
    """A call costs 11 prompt tokens at 2 and 1 answer token at 10 a million: 32 millionths; the
    most that one can cost is 4 * 2 + 20 * 10 = 208 millionths."""
    server.answer = lambda asked: said('{"n": 7}')
    llm = open_llm(server)
    prices = Prices(2.0, 10.0, "EUR")
    made, _ = calls(llm, kept, budget=Budget(money=0.00025), prices=prices)
    made.answer(request("Number 0?"))
    made.answer(request("Number 1?"))
    with pytest.raises(BudgetReachedError, match="EUR is reached"):
        made.answer(request("Number 2?"))
    (entry,) = kept.ledger("default")
    assert entry.cost == pytest.approx(0.000064)
    llm.close()


def test_money_without_prices_is_an_error():
    with pytest.raises(SettingsError, match=r"llm\.price_prompt"):
        Spending(Budget(money=1.0), prices=Prices(prompt=1.0))
    assert Prices(prompt=1.0).cost(TokenUsage(1, 5, 5)) is None
    assert Prices(0.0, 0.0).cost(TokenUsage(1, 5, 5)) == 0.0


def test_refusals_cost_nothing_and_broken_answers_what_was_written(server, kept):
    llm = open_llm(server, retries=1)
    made, spending = calls(llm, kept)
    server.turns = [refused(429, Retry_After="0"), refused(503, Retry_After="0")]
    with pytest.raises(ModelError):
        made.answer(request())
    assert spending.spent == TokenUsage()
    server.turns = [said('{"n":', cut=True), said('{"n": 7}')]
    made.answer(request("0123456789ab"))
    # Broken off: 12 bytes of prompt are 4 tokens, 5 bytes of answer 2, both estimated.
    assert spending.spent == TokenUsage(2, 4 + 11, 2 + 1, 1)
    llm.close()


def test_a_model_without_a_meter_is_counted_by_calls(kept):
    made, spending = calls(ScriptedLLM("abcdef"), kept, budget=Budget(tokens=30))
    assert made.answer(request("0123456789ab", schema=None)) == {"text": "abcdef"}
    assert spending.spent == TokenUsage(1, 4, 2, 1)
    with pytest.raises(BudgetReachedError):
        made.answer(request("0123456789abc", schema=None, most=21))


def test_a_view_counts_for_its_model_too(server):
    server.answer = lambda asked: said("Yes")
    llm = open_llm(server)
    seen = []

    class Meter:
        def admit(self, at_most):
            seen.append(at_most)

        def settle(self, at_most, used):
            seen.append(used)

    llm.metered(Meter()).complete("abc", max_tokens=5)
    llm.complete("abc", max_tokens=5)
    assert seen == [TokenUsage(1, 1, 5), TokenUsage(1, 11, 1)]
    assert llm.usage == TokenUsage(2, 22, 2)
    llm.close()
