"""`doctor` tries the language model and says what will be used."""

import json

import pytest

from clew.core.health import Severity
from clew.settings.load import load_settings
from clew.stores.memory import MemoryStore
from tests.engine.test_model_ingest import opened
from tests.models.chat_server import refused, said, serving

RIGHT = {"leader": "Ada Holm", "led": "Delta Bank"}
RIGHT_PT = {"leader": "ada holm", "led": "Banco Delta"}


def answering(**by_language):
    def answer(request):
        portuguese = "Quem dirige" in request["messages"][-1]["content"]
        return said(json.dumps(by_language["pt" if portuguese else "en"]))

    return answer


@pytest.fixture
def server():
    with serving() as served:
        served.answer = answering(en=RIGHT, pt=RIGHT_PT)
        yield served


def examined(server=None, *, probe=True, **more):
    llm = {"base_url": server.url, "model": "tiny", "retries": 0} if server else {}
    settings = {"llm": {**llm, **more.pop("llm", {})}, **more}
    with opened(load_settings(settings), MemoryStore()) as kb:
        report = kb.doctor(probe=probe)
    found = [one for one in report.findings if one.place == "language model"]
    return report.facts, found


def test_a_good_model_is_described_and_nothing_is_wrong(server):
    facts, found = examined(server, llm={"context_window": 8192})
    assert found == []
    assert facts["language model"] == "tiny"
    assert facts["context window"] == "8192 tokens"
    assert facts["JSON"] == "json_schema"
    assert facts["answered rightly in"] == "en, pt"
    assert (facts["extraction by"], facts["answers by"]) == ("rules", "tiny")
    assert len(server.asked) == 2


def test_a_server_without_schemas_is_seen(server):
    def answer(request):
        if "response_format" in request:
            return refused(400, "unknown field response_format")
        return answering(en=RIGHT, pt=RIGHT_PT)(request)

    server.answer = answer
    facts, found = examined(server)
    assert facts["JSON"] == "plain"
    assert found == []


def test_a_language_that_it_does_not_master_and_a_small_window_are_warnings(server):
    server.answer = answering(en=RIGHT, pt={"leader": "Banco Delta", "led": "Ada Holm"})
    facts, found = examined(server, llm={"context_window": 2048})
    assert facts["answered rightly in"] == "en"
    assert [one.severity for one in found] == [Severity.WARNING] * 2
    assert "2048 tokens is small" in found[0].problem
    assert "'pt'" in found[1].problem


def test_a_model_without_json_is_a_warning_and_a_dead_server_an_error(server):
    server.answer = lambda request: said("I am well, thank you.")
    _, found = examined(server)
    assert "no usable JSON" in found[0].problem
    server.answer = lambda request: refused(401, "bad key")
    _, found = examined(server)
    assert [one.severity for one in found] == [Severity.ERROR]
    assert "refuses the key" in found[0].problem


def test_without_a_model_it_says_what_serves_and_nothing_is_asked_without_a_probe(server):
    facts, found = examined()
    assert (facts["extraction by"], facts["answers by"]) == ("rules", "quotation")
    assert found == []
    _, found = examined(extraction={"extractor": "llm"})
    assert found[0].severity is Severity.ERROR
    facts, _ = examined(server, probe=False)
    assert "language model" not in facts
    assert server.asked == []
