"""`clew chat` and the streaming of `clew ask`."""

import json

import pytest
from typer.testing import CliRunner

from clew.serve.cli.main import application
from tests.models.chat_server import said, serving

WHO = "Who leads Acme Corp?"


@pytest.fixture
def filled(clew, documents):
    clew("add", documents)
    return clew


@pytest.fixture
def server():
    with serving() as served:
        yield served


def talk(clew, text, *arguments):
    done = CliRunner().invoke(
        application, ["chat", *arguments], input=text, env={"CLEW_STORE": str(clew.store)}
    )
    assert done.exit_code == 0, (done.stdout, done.stderr, done.exception)
    return done


def test_a_question_a_line(filled):
    done = talk(filled, f"{WHO}\n\nWhat did it acquire?\n/quit\nnever asked\n")
    assert "Ada Moreau leads Acme Corp. [1]" in done.stdout
    assert "(asked: What did Acme Corp acquire?)" in done.stderr
    assert "Acme Corp acquired Beta Labs." in done.stdout
    assert "never asked" not in done.stdout + done.stderr
    session = done.stderr.split()[-1]
    listed = filled("chat", "--list").stdout
    assert session in listed
    assert "2 turns" in listed
    assert WHO in listed
    shown = filled("chat", "--show", session).stdout
    assert f"> {WHO}" in shown
    again = talk(filled, "What did it acquire?\n", "--session", session, "--no-keep")
    assert "(asked: What did Acme Corp acquire?)" in again.stderr
    assert "2 turns" in filled("chat", "--list").stdout
    filled("chat", "--remove", session)
    assert "No conversations" in filled("chat", "--list", code=4).stdout
    filled("chat", "--show", session, code=2)


def test_each_answer_is_one_json_line(filled):
    done = talk(filled, f"{WHO}\nAnd the price?\n", "--json", "--no-keep")
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["asked"], first["question"]) == (WHO, WHO)
    assert second["asked"] == "And the price?"
    assert second["question"] == "And the price? (Acme Corp)"


def test_a_wrong_question_does_not_end_the_talk(filled):
    done = talk(filled, f"{WHO}\n", "--mode", "nonsense")
    assert "nonsense" in done.stderr


def test_the_draft_comes_first_then_its_verdicts(filled, server):
    server.answer = lambda request: said(
        "Ada Moreau ", "leads Acme Corp. ", "[7]", " Bob Stone founded Acme Corp in 1901."
    )
    shown = filled("ask", WHO, "--llm", server.url).stdout
    draft, rest = shown.split("\n\nVerified\n")
    assert draft == "Ada Moreau leads Acme Corp. Bob Stone founded Acme Corp in 1901."
    lines = rest.splitlines()
    assert lines[0].startswith("  [1] ")
    assert lines[0].endswith("  Ada Moreau leads Acme Corp.")
    assert lines[1].strip().startswith("not supported")
    assert "Sources" in lines
    whole = filled("ask", WHO, "--llm", server.url, "--no-stream").stdout
    assert whole.startswith("Ada Moreau leads Acme Corp. [1] Bob Stone")
    assert "Verified" not in whole


def test_an_abstention_of_the_model_is_told_once(filled, server):
    server.answer = lambda request: said("NOT ", "ANSWERED")
    shown = filled("ask", WHO, "--llm", server.url, code=4).stdout
    assert "NOT ANSWERED" not in shown
    assert shown.count("does not answer this question") == 1


def test_a_draft_cannot_steer_the_terminal(filled, server):
    server.answer = lambda request: said("Ada \x1b[2JMoreau leads Acme Corp.\x07")
    shown = filled("ask", WHO, "--llm", server.url).stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
