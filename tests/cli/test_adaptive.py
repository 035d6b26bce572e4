"""`--mode adaptive`: the answer says which mode ran and why."""

from __future__ import annotations


def test_ask_says_which_mode_ran_and_why(clew, documents):
    clew("add", documents)
    question = "How is Ada Moreau connected to Gamma Partners?"
    found = clew.json("search", question, "--mode", "adaptive")
    assert found["mode"] == found["routing"]["mode"] == "hybrid"
    assert found["routing"]["shape"] == "multi"
    assert "linked" in found["routing"]["reason"]
    fast = clew.json("search", question, "--mode", "adaptive", "--latency-budget-ms", "3")
    assert fast["mode"] == "keyword"
    assert fast["routing"]["latency_budget_ms"] == 3
    assert clew.json("search", question)["routing"] is None
    shown = clew("search", question, "--mode", "adaptive").stdout
    assert "Mode hybrid (0.90): the question asks how things are linked" in shown


def test_a_budget_out_of_range_is_an_error(clew, documents):
    clew("add", documents)
    done = clew("ask", "Who leads Acme?", "--latency-budget-ms", "0", code=2)
    assert "latency_budget_ms is 0" in done.stderr


def test_a_trace_is_written_beside_the_answer(clew, documents, tmp_path):
    clew("add", documents)
    files = [tmp_path / f"trace.{ending}" for ending in ("json", "graphml", "html")]
    clew("ask", "Who leads Acme Corp?", "--trace", files[0])
    clew("search", "Who leads Acme Corp?", "--trace", files[1])
    clew("search", "Who leads Acme Corp?", "--trace", files[2])
    assert all("Acme Corp" in file.read_text(encoding="utf-8") for file in files)
    done = clew("search", "Who leads Acme Corp?", "--trace", tmp_path / "trace.pdf", code=2)
    assert ".graphml" in done.stderr
