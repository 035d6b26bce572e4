"""The client of language models, against a real HTTP server that fails in every way."""

import sys
import threading
import time
from contextlib import closing

import pytest

from clew.core.errors import MissingExtraError, ModelError
from clew.core.usage import TokenUsage
from clew.models.openai_llm import OpenAILLM
from tests.models.chat_server import Turn, refused, said, serving

SECRET = "sk-test-0123456789abcdef"
CAPITAL = {
    "type": "object",
    "properties": {"capital": {"type": "string"}, "people": {"type": "integer"}},
    "required": ["capital"],
    "additionalProperties": False,
}


@pytest.fixture
def server():
    with serving() as served:
        yield served


@pytest.fixture
def model(server):
    made = []

    def make(**given):
        one = OpenAILLM(**{"model": "tiny", "base_url": server.url, "api_key": SECRET, **given})
        made.append(one)
        return one

    yield make
    for one in made:
        one.close()


def test_an_answer_is_the_pieces_joined(server, model):
    server.turns = [said("Lis", "bon", ".")]
    found = model().complete("Capital?", max_tokens=7, temperature=0.5)
    assert found == "Lisbon."
    request = server.asked[0]
    assert request["model"] == "tiny"
    assert request["messages"] == [{"role": "user", "content": "Capital?"}]
    assert (request["max_tokens"], request["temperature"]) == (7, 0.5)
    assert server.keys == [f"Bearer {SECRET}"]


def test_a_stream_gives_its_first_piece_before_the_second_is_written(server, model):
    server.turns = [said("one", "two", pause=0.3)]
    start = time.monotonic()
    with closing(model().stream("?", max_tokens=9)) as pieces:
        first = next(pieces)
        assert time.monotonic() - start < 0.6
        assert [first, *pieces] == ["one", "two"]


@pytest.mark.parametrize("failure", [refused(500), refused(503), refused(429), refused(408)])
def test_a_failing_server_is_asked_again(server, model, failure):
    failure.headers["Retry-After"] = "0.01"
    server.turns = [failure, failure]
    assert model(retries=2).complete("?", max_tokens=9) == "Yes."
    assert len(server.asked) == 3


def test_retry_after_is_waited_for(server, model):
    """The pause is read off the clock: without Retry-After it would be half a second."""
    server.turns = [refused(429, Retry_After="1.2")]
    start = time.monotonic()
    assert model(retries=1).complete("?", max_tokens=9) == "Yes."
    assert time.monotonic() - start >= 1.2


def test_a_server_that_stays_full_is_one_clear_error(server, model):
    server.turns = [refused(429, "slow down", Retry_After="0.01")] * 5
    with pytest.raises(ModelError, match=r"language model 'tiny' at http.*429: .*slow down"):
        model(retries=2).complete("?", max_tokens=9)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("status", "problem"),
    [(400, "it answers 400"), (401, r"refuses the key; set CLEW_LLM__API_KEY"), (404, "404")],
)
def test_a_refusal_is_an_error_at_once_and_hides_the_key(server, model, status, problem):
    server.turns = [refused(status, f"wrong: {SECRET}")]
    with pytest.raises(ModelError, match=problem) as caught:
        model(retries=3).complete("?", max_tokens=9)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert len(server.asked) == 1


def test_an_answer_that_breaks_off_is_asked_for_again_whole(server, model):
    server.turns = [said("Lis", cut=True), said("Lis", "bon")]
    assert model(retries=1).complete("?", max_tokens=9) == "Lisbon"


def test_an_answer_that_always_breaks_off_is_an_error(server, model):
    server.turns = [said("Lis", cut=True)]
    with pytest.raises(ModelError, match="its answer broke off"):
        model(retries=0).complete("?", max_tokens=9)


def test_a_stream_that_breaks_off_is_begun_again_only_before_its_first_piece(server, model):
    server.turns = [said(cut=True), said("a", cut=True), said("b")]
    pieces = model(retries=5).stream("?", max_tokens=9)
    assert next(pieces) == "a"
    with pytest.raises(ModelError, match="its answer broke off"):
        next(pieces)
    assert len(server.asked) == 2


@pytest.mark.parametrize("turn", [said(*"slowly", pause=0.1), said("late", silent=3.0)])
def test_the_time_out_holds_for_the_whole_call(server, model, turn):
    """Each read meets its own time-out: pieces and comments come every tenth of a second."""
    server.turns = [turn]
    start = time.monotonic()
    with pytest.raises(ModelError, match=r"did not answer within 0\.25 s; raise llm\.timeout"):
        model(retries=0, timeout=0.25).complete("?", max_tokens=9)
    assert time.monotonic() - start < 2.5


def test_a_server_that_is_not_there_is_an_error():
    with (
        closing(OpenAILLM("tiny", base_url="http://127.0.0.1:9/v1", retries=0)) as absent,
        pytest.raises(ModelError, match=r"cannot be reached; check llm\.base_url"),
    ):
        absent.complete("?", max_tokens=9)


@pytest.mark.parametrize("raw", [b"data: {\n\n", b'data: {"choices": 3}\n\n', b"data: 7\n\n"])
def test_what_is_no_answer_is_an_error(server, model, raw):
    server.turns = [Turn(raw=raw)]
    with pytest.raises(ModelError, match="no answer of the OpenAI API"):
        model(retries=0).complete("?", max_tokens=9)


def test_an_error_in_the_stream_is_an_error(server, model):
    server.turns = [Turn(raw=b'data: {"error": {"message": "out of memory"}}\n\n')]
    with pytest.raises(ModelError, match="out of memory"):
        model(retries=0).complete("?", max_tokens=9)


def test_closing_a_stream_ends_the_call_and_frees_its_place(server, model):
    server.turns = [said(*["x"] * 200, pause=0.02)]
    one = model(concurrency=1)
    pieces = one.stream("?", max_tokens=900)
    assert next(pieces) == "x"
    pieces.close()
    assert one.complete("?", max_tokens=9) == "Yes."
    end = time.monotonic() + 5
    while not server.left and time.monotonic() < end:
        time.sleep(0.02)
    assert server.left == 1


def _failing_thread(work):
    """Run `work` in a thread; return it with the list that its error will stand in."""
    errors = []

    def run():
        try:
            work()
        except ModelError as error:
            errors.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    return thread, errors


@pytest.mark.parametrize(
    "turn", [said("late", silent=20.0), refused(429, Retry_After="20"), said("x", pause=20.0)]
)
def test_close_ends_calls_that_read_or_wait(server, model, turn):
    server.turns = [turn]
    one = model()
    thread, errors = _failing_thread(lambda: one.complete("?", max_tokens=9))
    while not server.asked:
        time.sleep(0.01)
    time.sleep(0.2)
    one.close()
    thread.join(5)
    assert not thread.is_alive()
    assert errors == ["the language model was closed; open it again to ask it"]
    with pytest.raises(ModelError, match="was closed"):
        one.complete("?", max_tokens=9)


def test_no_more_calls_run_at_once_than_allowed(server, model):
    server.answer = lambda request: said("a", "b", pause=0.05)
    one = model(concurrency=2)
    threads = [
        threading.Thread(target=one.complete, args=("?",), kwargs={"max_tokens": 9})
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.most_running == 2
    assert len(server.asked) == 6


def test_calls_wait_for_the_limit_of_requests(server, model):
    """600 a minute fill ten a second, and the bucket is emptied first: the next waits 0.1 s."""
    one = model(requests_per_minute=600)
    one._admission._requests.reserve(600)
    start = time.monotonic()
    one.complete("?", max_tokens=9)
    assert time.monotonic() - start >= 0.1


def test_tokens_are_counted_by_the_server_or_estimated(server, model):
    one = model()
    one.complete("?", max_tokens=9)
    assert one.usage == TokenUsage(calls=1, prompt_tokens=11, answer_tokens=2)
    server.counts = False
    server.turns = [said("abc", "def")]
    one.complete("nine char", max_tokens=9)
    # Three bytes a token: 9 / 3 and 6 / 3.
    assert one.usage == TokenUsage(calls=2, prompt_tokens=14, answer_tokens=4, estimated=1)


def test_a_server_that_knows_no_stream_options_is_asked_without(server, model):
    server.turns = [refused(400, "unknown field stream_options")]
    one = model()
    assert one.complete("?", max_tokens=9) == "Yes."
    one.complete("?", max_tokens=9)
    assert ["stream_options" in request for request in server.asked] == [True, False, False]


def test_json_is_asked_for_by_schema(server, model):
    server.turns = [said('{"capital": "Lisbon", ', '"people": 500000}')]
    one = model()
    found = one.complete_json("?", schema=CAPITAL, max_tokens=90)
    assert found == {"capital": "Lisbon", "people": 500000}
    asked = server.asked[0]["response_format"]
    assert asked["type"] == "json_schema"
    assert asked["json_schema"]["schema"] == CAPITAL
    assert one.json_support == "json_schema"


def test_a_server_without_schemas_is_asked_for_less_and_remembered(server, model):
    good = said('{"capital": "Lisbon"}')
    server.turns = [refused(400, "json_schema is unknown"), refused(422), good, good]
    one = model()
    for _ in range(2):
        assert one.complete_json("?", schema=CAPITAL, max_tokens=90) == {"capital": "Lisbon"}
    kinds = [request.get("response_format", {}).get("type") for request in server.asked]
    assert kinds == ["json_schema", "json_object", None, None]
    assert one.json_support == "plain"
    # Without a schema in the request it stands in the prompt.
    assert server.prompts[0] == "?"
    assert '"capital"' in server.prompts[1]
    assert '"capital"' in server.prompts[3]


def test_a_refusal_for_another_reason_does_not_lower_the_format(server, model):
    server.turns = [refused(400, "too long")] * 3
    one = model()
    with pytest.raises(ModelError, match="too long"):
        one.complete_json("?", schema=CAPITAL, max_tokens=90)
    assert one.json_support == "json_schema"


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ("I do not know.", "no JSON object"),
        ('{"people": 3}', "capital: Field required"),
        ('{"capital": 3}', "capital: Input should be a valid string"),
        ('{"capital": "Lisbon", "mayor": "?"}', "mayor: Extra inputs"),
        ('{"capital": "Lis', "no valid JSON"),
    ],
)
def test_a_broken_answer_is_sent_back_with_its_mistake(server, model, broken, problem):
    server.turns = [said(broken), said('{"capital": "Lisbon"}')]
    assert model().complete_json("?", schema=CAPITAL, max_tokens=90) == {"capital": "Lisbon"}
    assert problem in server.prompts[1]
    assert broken in server.prompts[1]


def test_a_model_that_never_gives_json_is_one_clear_error(server, model):
    server.answer = lambda request: said("No.")
    with pytest.raises(ModelError, match=r"no usable JSON in 3 attempts; .*no JSON object"):
        model(json_retries=2).complete_json("?", schema=CAPITAL, max_tokens=90)
    assert len(server.asked) == 3


def test_name_and_window_are_given_or_asked_for(server, model):
    assert (model().name, model(context_window=77).context_window) == ("tiny", 77)
    assert model().context_window == 4096
    server.models = [{"id": "big", "object": "model", "max_model_len": 32768}]
    unnamed = model(model=None)
    assert (unnamed.name, unnamed.context_window) == ("big", 32768)
    server.models = [{"id": "gguf", "object": "model", "meta": {"n_ctx": 2048}}]
    assert model(model=None).context_window == 2048
    server.models = []
    with pytest.raises(ModelError, match=r"lists no model; set llm\.model"):
        model(model=None).complete("?", max_tokens=9)


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'clew\[llm\]'"):
        OpenAILLM("tiny")
