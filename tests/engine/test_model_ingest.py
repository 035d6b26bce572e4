"""Documents read by a language model behind true HTTP: facts, failures, kills and budgets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clew.core.errors import ModelError, SettingsError
from clew.core.usage import Budget
from clew.engine.clew import Clew
from clew.settings.load import load_settings
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.testing.fakes import HashingEmbedder
from tests.engine.dump import differences, dump
from tests.engine.stand_ins import NOW, PatternExtractor
from tests.models.chat_server import refused, said, serving
from tests.models.local_model import MODEL, needs_model

_REPOSITORY = Path(__file__).resolve().parents[2]
NAMES = ("Ada Holm", "Bob Vale", "Cleo Ray", "Dora Lund", "Emil Kahn", "Fay Moss")
FIRMS = "Abel Brim Cord Dale Eden Fern".split()
DOCUMENTS = [
    {
        "text": f"{name} leads Firm {firm}. Firm {firm} was founded in 19{number}0.",
        "source": f"doc-{number}",
        "title": f"Notes {number}",
        "language": "en",
    }
    for number, (name, firm) in enumerate(zip(NAMES, FIRMS, strict=True), start=1)
]


def knowledge(request):
    """Answer as a good model would: who leads which firm, with one thing the text never says."""
    prompt = request["messages"][-1]["content"]
    inside = prompt.rsplit("BEGIN\n", 1)[1]
    name = next(name for name in NAMES if name in inside)
    firm = inside.split(f"{name} leads ")[1].split(".")[0]
    if "First list:" in prompt:
        return said(json.dumps({"entities": [], "triples": [], "claims": []}))
    known = {"kind": "related_to", "status": "stated", "date": ""}
    led = {"sentence": 1, "subject": name, "relation": "leads", "object": firm, **known}
    return said(
        json.dumps(
            {
                "entities": [{"name": name, "label": "PERSON"}, {"name": firm, "label": "ORG"}],
                "triples": [led, {**led, "object": "Atlantis"}],
                "claims": [{"sentence": 2, "subject": firm, "status": "stated", "date": ""}],
            }
        )
    )


@pytest.fixture
def server():
    with serving() as served:
        served.answer = knowledge
        yield served


def settings_for(server, *, llm=None, **extraction):
    return load_settings(
        {
            "llm": {"base_url": server.url, "model": "tiny", "retries": 1, **(llm or {})},
            "extraction": {"extractor": "llm", **extraction},
        }
    )


def opened(settings, store=None):
    return Clew.open(
        "unused.clew",
        store=store or MemoryStore(),
        settings=settings,
        embedder=HashingEmbedder(),
        extractor=PatternExtractor(),
    )


def relations(kb):
    store = kb._components.store
    names = {node.id: node.name for node in store.nodes("default", _all_nodes(store))}
    return {
        (names[edge.source], edge.relation, names[edge.target])
        for edge in store.edges("default", _all_edges(store))
    }


def _all_nodes(store):
    return sorted(dump_ids(store, "nodes"))


def _all_edges(store):
    return sorted(dump_ids(store, "edges"))


def dump_ids(store, kind):
    return [row.id for row in dump(store)[kind]]


def test_a_model_reads_the_documents_and_what_they_do_not_say_is_counted(server):
    with opened(settings_for(server)) as kb:
        report = kb.add(DOCUMENTS)
        assert relations(kb) == {
            (name, "LEADS", f"Firm {firm}") for name, firm in zip(NAMES, FIRMS, strict=True)
        }
        status = kb.status()
        again = kb.add(DOCUMENTS)
    assert len(server.asked) == 12  # one question and one second look for each
    assert report.model.usage.calls == 12
    assert report.model.dropped == {"not in the text": 6}
    assert report.model.skipped == ()
    assert (report.claims, report.stopped) == (6, None)
    assert (report.model.cost, report.model.currency) == (None, "")
    assert again.model is None
    (entry,) = status.ledger
    assert (entry.stage, entry.model, entry.usage) == ("extract", "tiny", report.model.usage)


def test_rules_and_model_together_feed_one_graph(server):
    with opened(settings_for(server, extractor="both")) as kb:
        report = kb.add(DOCUMENTS[1:2])
        assert relations(kb) == {("Bob Vale", "LEADS", "Firm Brim")}
        assert kb.entities.show("Bob Vale").node.label == "PERSON"
    assert report.model.usage.calls == 2


def test_without_a_model_the_setting_is_an_error_before_anything_is_read():
    settings = load_settings({"extraction": {"extractor": "both"}})
    with opened(settings) as kb:
        with pytest.raises(SettingsError, match=r"extraction\.extractor = 'both' needs a language"):
            kb.add(DOCUMENTS)
        assert kb.documents() == ()


def test_one_bad_answer_is_told_its_mistake_then_skipped_and_reported(server):
    def answer(request):
        text = request["messages"][-1]["content"]
        return said('{"entities": "none"}') if "Cleo Ray" in text else knowledge(request)

    server.answer = answer
    with opened(settings_for(server, llm={"json_retries": 2})) as kb:
        report = kb.add(DOCUMENTS)
        assert ("Cleo Ray", "LEADS", "Firm Cord") not in relations(kb)
        assert len(relations(kb)) == 5
        assert kb.status().pending == {}
    (unit,) = report.model.skipped
    assert (unit.source, unit.ordinal) == ("doc-3", 0)
    assert "no usable JSON in 3 attempts" in unit.reason
    told = [prompt for prompt in server.prompts if "Cleo Ray" in prompt]
    assert len(told) == 3
    assert "Your last answer was refused" in told[-1]


@pytest.mark.parametrize(
    "turn",
    [
        refused(429, Retry_After="0.01"),
        refused(500, Retry_After="0.01"),
        said('{"entities": [', cut=True),
        said("{", silent=1.0),
        said(raw=b"data: {broken\n\n"),
    ],
    ids=["429", "500", "cut", "slow", "broken"],
)
def test_a_server_that_fails_ends_the_run_and_the_next_pays_only_for_the_rest(server, turn):
    """The first three documents are answered, the fourth never, until the server has recovered."""
    broken = True

    def answer(request):
        text = request["messages"][-1]["content"]
        return turn if broken and "Dora Lund" in text else knowledge(request)

    server.answer = answer
    settings = settings_for(
        server, llm={"concurrency": 1, "timeout": 0.4 if turn.silent else 20}, reflection_passes=0
    )
    store = MemoryStore()
    with opened(settings, store) as kb:
        with pytest.raises(ModelError):
            kb.add(DOCUMENTS)
        assert kb.status().pending == {"embedded": 6}
        broken = False
        before = len(server.asked)
        report = kb.add()
        assert len(relations(kb)) == 6
    # The window was not committed, and yet no answer of it is paid again.
    assert report.model.reused >= 3
    assert report.model.reused + report.model.usage.calls == 6
    again = set(server.prompts[before:])
    assert not any(name in prompt for name in NAMES[:3] for prompt in again)


def test_a_failure_that_passes_is_no_failure(server):
    server.turns = [refused(503, Retry_After="0.01"), said('{"ent', cut=True)]
    with opened(settings_for(server, llm={"retries": 2, "concurrency": 1})) as kb:
        report = kb.add(DOCUMENTS[:1])
        assert relations(kb) == {("Ada Holm", "LEADS", "Firm Abel")}
    assert report.model.usage.calls == 3  # the broken one, the answer, the second look


def test_a_budget_stops_hard_and_leaves_what_can_be_asked_and_taken_up(server):
    """Three calls fit: each can take its prompt and 200 tokens, and takes 12."""
    settings = settings_for(server, llm={"concurrency": 1}, reflection_passes=0, max_tokens=200)
    with opened(settings) as kb:
        first = kb.add(DOCUMENTS[:1])
        assert first.model.usage.tokens == 12
        prompt = len(server.prompts[0].encode()) // 3 + 1
        report = kb.add(DOCUMENTS, budget=Budget(tokens=2 * 12 + prompt + 200 + 10))
        assert report.stopped is not None
        assert report.model.usage.calls == 3
        assert len(relations(kb)) == 4
        assert kb.status().pending == {"embedded": 2}
        found = kb.search("Who leads Firm Fern?", mode="vector_only")
        assert found.results[0].content.startswith("Fay Moss")
        assert kb.add(budget=Budget(tokens=1)).model.usage.calls == 0
        assert kb.add().stopped is None
        assert len(relations(kb)) == 6
        assert kb.status().pending == {}
    assert len(server.asked) == 6


def test_a_budget_in_money_needs_prices_and_the_ledger_tells_what_was_paid(server):
    with opened(settings_for(server)) as kb, pytest.raises(SettingsError, match="prices"):
        kb.add(DOCUMENTS, budget=Budget(money=1))
    prices = {"price_prompt": 1.0, "price_answer": 2.0, "currency": "EUR"}
    with opened(settings_for(server, llm=prices, reflection_passes=0)) as kb:
        report = kb.add(DOCUMENTS, budget=Budget(money=1))
        # Each call: 11 tokens of prompt at 1, 1 of answer at 2 a million.
        assert report.model.cost == pytest.approx(6 * 13e-6)
        assert report.model.currency == "EUR"
        assert kb.status().ledger[0].cost == pytest.approx(6 * 13e-6)


def _program(folder, url):
    return (
        "import sys\n"
        "from pathlib import Path\n"
        "from tests.engine.test_model_ingest import killable\n"
        f"killable(Path({str(folder)!r}), {url!r})\n"
    )


def killable(folder, url):
    """Add the documents, in a process that is to be killed."""
    settings = load_settings(
        {
            "llm": {"base_url": url, "model": "tiny", "concurrency": 2},
            "extraction": {"extractor": "llm"},
        }
    )
    store = EmbeddedStore(folder)
    with Clew.open(folder, store=store, settings=settings, embedder=HashingEmbedder()) as kb:
        kb._clock = lambda: NOW
        kb.add(DOCUMENTS)
    store.close()


def test_a_run_that_is_killed_pays_for_nothing_twice(server, tmp_path):
    """The fifth question is held until the process is dead; the answers before it are kept."""
    stalled = tmp_path / "stalled"

    def answer(request):
        if len(server.asked) == 5:
            stalled.touch()
            time.sleep(5)
        return knowledge(request)

    server.answer = answer
    folder = tmp_path / "kb.clew"
    child = subprocess.Popen([sys.executable, "-c", _program(folder, server.url)], cwd=_REPOSITORY)
    while not stalled.exists():
        assert child.poll() is None
        time.sleep(0.02)
    time.sleep(0.3)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    server.answer = knowledge
    answered = set(server.prompts[:4])
    before = len(server.asked)
    killable(folder, server.url)
    assert not answered & set(server.prompts[before:])
    assert len({*server.prompts}) == 12
    undisturbed = tmp_path / "other.clew"
    killable(undisturbed, server.url)
    first, second = EmbeddedStore(folder), EmbeddedStore(undisturbed)
    assert differences(dump(first), dump(second)) == []
    first.close()
    second.close()


def test_reading_again_after_a_merge_is_undone_costs_nothing(server):
    with opened(settings_for(server)) as kb:
        kb.add(DOCUMENTS)
        asked = len(server.asked)
        kb.entities.merge("Ada Holm", "Bob Vale")
        kb.entities.unmerge("Ada Holm", "Bob Vale")
        assert len(relations(kb)) == 6
    assert len(server.asked) == asked


def _ends(edges):
    return sorted({end for edge in edges for end in (edge.source, edge.target)})


@needs_model
def test_a_true_model_keeps_to_the_schema_and_states_only_what_stands_there():
    settings = load_settings(
        {
            "llm": {"path": str(MODEL), "context_window": 4096},
            "extraction": {"extractor": "llm", "reflection_passes": 0, "max_tokens": 300},
        }
    )
    text = "Ada Holm leads Delta Bank. Delta Bank is in Porto."
    with opened(settings) as kb:
        report = kb.add({"text": text, "source": "a", "language": "en"})
        store = kb._components.store
        edges = store.edges("default", _all_edges(store))
        names = {node.id: node.name for node in store.nodes("default", _ends(edges))}
    assert report.model.usage.calls >= 1
    # So small a model may find nothing; what it says has the form that was asked for.
    assert report.model.skipped == ()
    for edge in edges:
        for evidence in edge.evidence:
            stated = text[evidence.span.start : evidence.span.end]
            assert names[edge.source] in stated
            assert names[edge.target] in stated
