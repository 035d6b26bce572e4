"""The OpenAI API, spoken to by its own client over a real server: a collection is the model."""

import openai
import pytest

from clew.core.errors import ReasoningError, StoreError
from clew.engine.clew import Clew
from clew.serve.access.api_key import Right
from clew.serve.rest.openai.chat_request import ChatRequest
from clew.serve.rest.openai.conversation import turns_of
from clew.serve.rest.openai.errors import is_openai_path
from tests.serve.rest.server import ACME

QUESTION = {"role": "user", "content": "Who leads Acme Corp?"}


def connected(address, key="none"):
    return openai.OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0, timeout=60)


@pytest.fixture
def client(server):
    with server.listening() as address, connected(address) as client:
        yield client


def asked(client, *messages, **options):
    return client.chat.completions.create(
        model="default", messages=list(messages) or [QUESTION], **options
    )


def test_a_collection_answers_with_its_sources_as_annotations(server, client):
    made = asked(client)
    message = made.choices[0].message
    known = server.library.collection("default").ask("Who leads Acme Corp?")
    assert message.content == known.text
    assert "Ada Moreau" in message.content
    assert (message.role, made.choices[0].finish_reason) == ("assistant", "stop")
    assert (made.object, made.model) == ("chat.completion", "default")
    assert message.annotations
    for annotation in message.annotations:
        cited = annotation.url_citation
        place = message.content[cited.start_index : cited.end_index]
        assert place == f"[{cited.marker}]"
        document = server.library.collection("default").documents(ids=[int(cited.document, 16)])[0]
        assert cited.url == f"clew://default/documents/{cited.document}"
        assert (document.source, cited.source) == ("acme", "acme")
        assert document.text == ACME
        assert ACME[cited.span["start"] : cited.span["end"]] in cited.snippet
    assert made.clew["answered"] is True
    assert made.usage.total_tokens == made.usage.prompt_tokens + made.usage.completion_tokens > 0


def test_a_page_is_cited_by_its_own_address(server, client):
    server.library.collection("default").add(
        [{"source": "https://example.org/oak", "text": "Dora Lin runs Oak House."}]
    )
    message = asked(client, {"role": "user", "content": "Who runs Oak House?"}).choices[0].message
    assert "https://example.org/oak" in {one.url_citation.url for one in message.annotations}


def test_a_stream_gives_the_same_answer_piece_by_piece(client):
    whole = asked(client).choices[0].message
    pieces = list(asked(client, stream=True, stream_options={"include_usage": True}))
    assert pieces[0].choices[0].delta.role == "assistant"
    assert len({piece.id for piece in pieces}) == 1
    told = [piece.choices[0] for piece in pieces if piece.choices]
    assert "".join(choice.delta.content or "" for choice in told) == whole.content
    assert [choice.finish_reason for choice in told if choice.finish_reason] == ["stop"]
    assert told[-1].delta.annotations == [one.model_dump() for one in whole.annotations]
    assert pieces[-1].choices == []
    assert pieces[-1].usage.completion_tokens > 0
    assert asked(client, stream=True).__next__().usage is None


def test_parameters_of_a_question_can_be_given(client, monkeypatch):
    seen: dict[str, object] = {}
    plain = Clew.ask

    def watched(self, question, **parameters):
        seen.update(parameters, question=question)
        return plain(self, question, **parameters)

    monkeypatch.setattr(Clew, "ask", watched)
    parts = [{"type": "text", "text": "Who leads"}, {"type": "text", "text": "Acme Corp?"}]
    asked(
        client,
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": parts},
        temperature=0.5,
        max_tokens=7,
        max_completion_tokens=9,
        top_p=0.9,
        user="someone",
        extra_body={"clew": {"mode": "keyword", "top_k": 2}},
    )
    assert seen["question"] == "Who leads\nAcme Corp?"
    assert (seen["temperature"], seen["max_tokens"]) == (0.5, 9)
    assert (seen["mode"], seen["top_k"]) == ("keyword", 2)


@pytest.mark.parametrize(
    "options",
    [
        {"n": 2},
        {"logprobs": True},
        {"temperature": 3},
        {"response_format": {"type": "json_object"}},
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        {"extra_body": {"clew": {"mode": "nonsense"}}},
        {"messages": [QUESTION, {"role": "assistant", "content": "Ada."}]},
        {"messages": [{"role": "user", "content": " "}]},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
    ],
)
def test_what_cannot_be_done_is_refused_in_openais_shape(client, options):
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(**{"model": "default", "messages": [QUESTION], **options})
    assert refused.value.type == "invalid_request_error"
    assert refused.value.request_id


def test_collections_are_listed_as_models(server, client):
    server.library.create("other")
    assert [model.id for model in client.models.list()] == ["default", "other"]
    assert client.models.retrieve("other").created > 1_700_000_000
    with pytest.raises(openai.NotFoundError) as missing:
        client.models.retrieve("third")
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="third", messages=[QUESTION])


def test_keys_are_bearers_with_their_rights_and_groups(make_server):
    server = make_server(requests_per_minute=0)
    server.fill(acl=["board"])
    staff, board, writer = (
        server.key(Right.READ, groups=["staff"]),
        server.key(Right.READ, collections=["default"], groups=["board"]),
        server.key(Right.WRITE),
    )
    server.library.create("other")
    with server.listening() as address:
        with (
            pytest.raises(openai.AuthenticationError) as wrong,
            connected(address, "clew_wrong") as nobody,
        ):
            nobody.models.list()
        assert wrong.value.code == "invalid_api_key"
        with pytest.raises(openai.PermissionDeniedError), connected(address, writer) as one:
            asked(one)
        with connected(address, board) as one:
            assert [model.id for model in one.models.list()] == ["default"]
            assert "Ada Moreau" in asked(one).choices[0].message.content
        with connected(address, staff) as one:
            assert "Ada" not in asked(one).model_dump_json()


def test_evidence_that_cannot_be_read_is_an_error_and_no_answer(client, monkeypatch):
    def fail(*_, **__):
        raise StoreError("the inside is gone")

    monkeypatch.setattr("clew.engine.clew.retrieve", fail)
    for stream in (False, True):
        with pytest.raises(openai.InternalServerError) as failed:
            asked(client, stream=stream)
        assert "inside" not in str(failed.value)
        assert failed.value.type == "server_error"


def test_a_stream_that_fails_says_so_at_its_end(client, monkeypatch):
    plain = Clew.ask

    def fail(self, question, *, on_evidence, **parameters):
        plain(self, question, on_evidence=on_evidence, **parameters)
        raise ReasoningError("the inside is gone")

    monkeypatch.setattr(Clew, "ask", fail)
    with pytest.raises(openai.APIError, match="could not do this"):
        list(asked(client, stream=True))


def test_a_caller_that_asks_too_often_is_told_in_openais_shape(make_server):
    server = make_server(requests_per_minute=1)
    server.fill()
    with (
        server.listening() as address,
        connected(address) as client,
    ):
        client.models.list()
        with pytest.raises(openai.RateLimitError) as refused:
            client.models.list()
    assert refused.value.code == "rate_limit_exceeded"


def test_which_paths_are_openais():
    assert is_openai_path("/v1/models")
    assert is_openai_path("/v1/models/default")
    assert is_openai_path("/v1/chat/completions")
    assert not is_openai_path("/v1/modelship/query")
    assert not is_openai_path("/v1/default/models")


def test_a_follow_up_leans_on_the_messages_before_it(client):
    """ "She" is nobody without the first answer."""
    made = asked(
        client,
        {"role": "system", "content": "Answer in rhymes."},
        QUESTION,
        {"role": "assistant", "content": "Ada Moreau leads Acme Corp. [1]"},
        {"role": "user", "content": "What does she lead?"},
    )
    assert "Ada Moreau" in made.clew["question"]
    assert "Acme Corp" in made.choices[0].message.content
    pieces = list(
        asked(
            client,
            QUESTION,
            {"role": "assistant", "content": "Ada Moreau leads Acme Corp. [1]"},
            {"role": "user", "content": "What does she lead?"},
            stream=True,
        )
    )
    assert "Ada Moreau" in pieces[-1].clew["question"]


def test_turns_are_questions_with_their_answers():
    body = ChatRequest.model_validate(
        {
            "model": "default",
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "assistant", "content": "Hello."},
                {"role": "user", "content": "first"},
                {"role": "user", "content": "again"},
                {"role": "assistant", "content": [{"type": "text", "text": "one"}]},
                {"role": "tool", "content": "t"},
                {"role": "user", "content": "second"},
                {"role": "user", "content": "last"},
            ],
        }
    )
    assert [(turn.question, turn.answer) for turn in turns_of(body)] == [("again", "one")]
