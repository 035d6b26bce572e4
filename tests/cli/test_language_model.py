"""`clew ask --llm`: an address or a file in place of the settings."""

import pytest

from tests.models.chat_server import said, serving

INVENTED = "Bob Stone founded Acme Corp in 1901."


@pytest.fixture
def server():
    with serving() as served:
        served.answer = lambda request: said(f"Ada Moreau leads Acme Corp. [1] {INVENTED}")
        yield served


@pytest.fixture
def filled(clew, documents):
    clew("add", documents)
    return clew


def test_an_address_is_asked_and_the_answer_cited(filled, server):
    answer = filled.json("ask", "Who leads Acme Corp?", "--llm", server.url)
    assert answer["model"] == "tiny"
    assert answer["answer"] == (
        f"Ada Moreau leads Acme Corp. [1] {INVENTED} (not supported by the documents)"
    )
    assert [one["supported"] for one in answer["verdicts"]] == [True, False]
    shown = filled(
        "ask", "Who leads Acme Corp?", "--llm", server.url, "--verify", "drop", "--no-stream"
    ).stdout
    assert "Ada Moreau leads Acme Corp. [1]" in shown
    assert "Bob Stone" not in shown


def test_an_address_takes_the_place_of_a_file_in_the_settings(filled, server, tmp_path):
    (tmp_path / "clew.toml").write_text('[llm]\npath = "absent.gguf"\n', encoding="utf-8")
    assert filled.json("ask", "Who leads Acme Corp?", "--llm", server.url)["model"] == "tiny"
    failed = filled("ask", "Who leads Acme Corp?", code=3)
    assert "absent.gguf cannot be read" in failed.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("--llm", "absent.gguf"), 3, "absent.gguf cannot be read"),
        (("--llm", "ftp://host/v1"), 2, "write it as http://HOST:PORT/v1"),
        (("--llm", "http://me:secret@host/v1"), 2, "does not belong in the address"),
        (("--verify", "maybe"), 2, "answer.verify"),
    ],
)
def test_what_is_no_model_is_an_error(filled, arguments, code, problem):
    failed = filled("ask", "Who leads Acme Corp?", *arguments, code=code)
    assert problem in failed.stderr
    assert "secret" not in failed.stderr
