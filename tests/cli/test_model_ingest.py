"""`clew add --extractor llm --llm ... --budget ...` and what `clew status` tells of it."""

import json

import pytest

from tests.models.chat_server import said, serving

EMPTY = json.dumps({"entities": [], "triples": [], "claims": []})


@pytest.fixture
def server():
    with serving() as served:
        served.answer = lambda request: said(EMPTY)
        yield served


def test_a_model_extracts_and_status_tells_what_it_cost(clew, documents, server, tmp_path):
    (tmp_path / "clew.toml").write_text(
        '[llm]\nprice_prompt = 1000\nprice_answer = 0\ncurrency = "EUR"\n', encoding="utf-8"
    )
    done = clew("add", documents, "--extractor", "llm", "--llm", server.url)
    assert "Model: tiny: 4 calls, 44 prompt and 4 answer tokens, 0 answers reused, 0.0440 EUR" in (
        done.stdout
    )
    shown = clew("status").stdout
    assert "Spent on extract" in shown
    assert "4 calls, 44 prompt and 4 answer tokens, 0 reused, cost 0.0440 (tiny)" in shown
    ledger = clew.json("status")["status"]["ledger"]
    assert ledger[0]["usage"]["calls"] == 4


def test_a_budget_stops_with_a_reason_and_a_code(clew, documents, server):
    stopped = clew(
        "add", documents, "--extractor", "both", "--llm", server.url, "--budget", "10t", code=1
    )
    assert "stopped: the budget of 10 tokens is reached: 0 are spent" in stopped.stderr
    assert server.asked == []
    report = clew.json(
        "add", "--extractor", "both", "--llm", server.url, "--budget", "1000000 tokens"
    )
    assert report["stopped"] is None
    assert report["model"]["usage"]["calls"] == 4


def test_a_chunk_without_a_usable_answer_is_named(clew, documents, server):
    server.answer = lambda request: said("\x1b[31mno JSON")
    done = clew("add", documents, "--extractor", "llm", "--llm", server.url)
    skipped = [line for line in done.stderr.splitlines() if line.startswith("skipped: ")]
    assert len(skipped) == 2
    assert "acme.md: chunk 0: the language model gave no usable JSON" in skipped[0]
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--extractor", "llm"), "needs a language model"),
        (("--extractor", "magic"), "extraction.extractor"),
        (("--budget", "much"), "is no amount"),
        (("--budget", "1.5t"), "is no amount"),
        (("--budget", "-1"), "is no amount"),
        (("--budget", "1.50"), "needs prices"),
    ],
)
def test_wrong_use_is_an_error(clew, documents, arguments, problem):
    assert problem in clew("add", documents, *arguments, code=2).stderr


def test_an_estimate_sends_nothing(clew, documents, server):
    shown = clew("estimate", documents, "--llm", server.url).stdout
    assert "Chunks to extract: 2, 0 of them answered before" in shown
    assert "Likely: 4 calls" in shown
    assert "no prices set" in shown
    assert clew.json("estimate", documents, "--llm", server.url)["at_most"]["calls"] == 4
    assert server.asked == []
    assert "needs a language model" in clew("estimate", documents, code=2).stderr


def test_the_doctor_tries_the_model_that_is_given(clew, documents, server):
    clew("add", documents)
    answer = json.dumps({"leader": "Ada Holm", "led": "Delta Bank"})
    server.answer = lambda request: said(answer)
    shown = clew("doctor", "--llm", server.url).stdout
    assert "language model: tiny" in shown
    assert "answered rightly in: en" in shown
    assert len(server.asked) == 2
    clew("doctor", "--llm", server.url, "--no-probe")
    assert len(server.asked) == 2
