"""What a run would cost is told before anything is sent, and holds against what it then costs."""

import pytest

from clew.core.errors import SettingsError
from clew.engine.clew import Clew
from clew.settings.load import load_settings
from clew.stores.memory import MemoryStore
from clew.testing.fakes import HashingEmbedder
from clew.text.token_count import estimated_tokens
from tests.engine.test_model_ingest import DOCUMENTS, knowledge, opened, settings_for
from tests.models.chat_server import serving

PRICES = {"price_prompt": 1.0, "price_answer": 2.0, "currency": "EUR", "context_window": 8192}


@pytest.fixture
def server():
    with serving() as served:
        served.answer = knowledge
        yield served


def test_it_sends_and_writes_nothing_and_bounds_what_the_run_then_takes(server):
    with opened(settings_for(server, llm=PRICES)) as kb:
        found = kb.estimate(DOCUMENTS)
        assert server.asked == []
        assert kb.documents() == ()
        assert (found.chunks, found.reused, found.likely.calls) == (6, 0, 12)
        assert found.at_most.answer_tokens == 12 * 1536
        report = kb.add(DOCUMENTS)
        sent = sum(map(estimated_tokens, server.prompts))
        assert report.model.usage.calls == found.likely.calls
        assert 0.9 * sent <= found.likely.prompt_tokens <= 1.5 * sent
        assert found.likely.answer_tokens < found.at_most.answer_tokens
        prompt, answer = found.at_most.prompt_tokens, found.at_most.answer_tokens
        assert found.most_cost == pytest.approx((prompt + 2 * answer) / 1e6)
        assert found.currency == "EUR"


def test_what_is_done_costs_nothing_and_what_is_pending_is_counted(server):
    settings = settings_for(server, llm={"context_window": 8192}, reflection_passes=0)
    with opened(settings) as kb:
        kb.add(DOCUMENTS[:2])
        assert kb.estimate(DOCUMENTS).chunks == 4
        assert kb.estimate(DOCUMENTS[:2]).likely.calls == 0
        changed = {**DOCUMENTS[0], "text": "Gil Pons leads Firm Abel."}
        assert kb.estimate([changed]).chunks == 1
        retitled = {**DOCUMENTS[0], "title": "Other"}
        assert kb.estimate([retitled]).chunks == 1
        assert kb.estimate([retitled]).likely_cost is None


def test_answers_that_were_kept_are_not_counted_again(server):
    settings = settings_for(server, llm={"context_window": 8192}, reflection_passes=0)
    store = MemoryStore()
    with opened(settings, store) as kb:
        kb.add(DOCUMENTS[:1])
        kb._components.store.drop("default")
        found = kb.estimate(DOCUMENTS[:1])
        assert (found.chunks, found.reused, found.likely.calls) == (1, 1, 0)


def test_sources_that_cannot_be_read_are_named(server, tmp_path):
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 no")
    with opened(settings_for(server, llm={"context_window": 8192})) as kb:
        found = kb.estimate(str(tmp_path))
    assert found.chunks == 0
    assert found.problems[0].source.endswith("broken.pdf")


def test_without_a_model_there_is_nothing_to_estimate():
    kb = Clew.open(
        "unused.clew",
        store=MemoryStore(),
        settings=load_settings(),
        embedder=HashingEmbedder(),
    )
    with kb, pytest.raises(SettingsError, match="needs a language model"):
        kb.estimate(DOCUMENTS)
