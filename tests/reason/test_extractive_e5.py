"""The answerer with the bundled model, on passages whose right sentences are plain to see."""

from __future__ import annotations

import pytest

from clew.core.calibration import PairKind
from clew.models.bundled import bundled_embedder
from clew.reason.extractive import ExtractiveAnswerer

PAGES = {
    "Halden Instruments": """Halden Instruments is a maker of marine compasses based in Bergen.
        The company was founded by Ingrid Solheim in 1984. It employs 240 people.""",
    "Ingrid Solheim": """Ingrid Solheim is a Norwegian engineer and entrepreneur.
        She was born in the town of Voss. In her spare time she restores old clocks.""",
    "Voss": """Voss is a municipality in western Norway. It lies between two fjords and is known
        for its winter sports. The town hosts a jazz festival every spring.""",
    "Tidewater Bank": """Tidewater Bank is a savings bank with twelve branches.
        It lent 40 million kroner to Halden Instruments in 2009.
        Its headquarters moved to Stavanger in 2015.""",
    "Compass": """A compass shows direction relative to the magnetic poles.
        The first ones were made in China during the Han dynasty.""",
    "Baking bread": """Bread dough rises because yeast gives off carbon dioxide.
        A hot oven makes the crust crisp.""",
    "Rio Claro": """Rio Claro é um município brasileiro do estado de São Paulo.
        A cidade foi fundada em 1827. A prefeita atual chama-se Helena Prado.""",
    "Solar panels": """Solar panels turn sunlight into electricity.
        Their output falls when they are dusty.""",
}
NAMES = [*PAGES, "Bergen", "Norway", "Stavanger", "China", "Helena Prado", "São Paulo"]


@pytest.fixture(scope="module")
def embedder():
    return bundled_embedder()


@pytest.fixture
def ask(world, embedder):
    for title, text in PAGES.items():
        world.page(title, text, names=[name for name in NAMES if name != title])
    answerer = ExtractiveAnswerer(chunks=world.store, graph=world.store, embedder=embedder)

    def ranked(question):
        chunks = world.chunks()
        texts = [f"{title}\n{text}" for title, text in PAGES.items()]
        near = embedder.embed_passages(texts) @ embedder.embed_questions([question])[0]
        best = sorted(range(len(chunks)), key=lambda row: -near[row])
        return world.ask(question, chunks=[chunks[row] for row in best])

    return lambda question: answerer.answer(ranked(question))


def test_the_model_is_calibrated(embedder):
    assert 0.5 < embedder.calibration.background(PairKind.QUESTION_PASSAGE) < 0.9


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who founded Halden Instruments?", "The company was founded by Ingrid Solheim in 1984."),
        ("How many people work at Halden Instruments?", "It employs 240 people."),
        ("When did Tidewater Bank move its headquarters?", "Its headquarters moved to Stavanger in 2015."),
        ("Why does bread dough rise?", "Bread dough rises because yeast gives off carbon dioxide."),
        ("Where were the first compasses made?", "The first ones were made in China during the Han dynasty."),
        ("Quem é a prefeita de Rio Claro?", "A prefeita atual chama-se Helena Prado."),
        ("Em que ano foi fundada a cidade de Rio Claro?", "A cidade foi fundada em 1827."),
    ],
)  # fmt: skip
def test_the_right_sentence_is_quoted(ask, question, sentence):
    answer = ask(question)
    assert answer.answered
    assert sentence in {source.snippet for source in answer.sources}


def test_two_hops_are_quoted_in_order(ask):
    answer = ask("In which town was the founder of Halden Instruments born?")
    snippets = [source.snippet for source in answer.sources]
    first = snippets.index("The company was founded by Ingrid Solheim in 1984.")
    second = snippets.index("She was born in the town of Voss.")
    assert first < second
    assert "Ingrid Solheim: " in answer.text or "Ingrid Solheim is" in answer.text


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        ("What is the melting point of tungsten?", "The collection does not answer"),
        ("Which striker won the golden boot in the 1998 World Cup?", "The collection does not answer"),
        ("Quem pintou a Mona Lisa?", "A coleção não responde"),
    ],
)  # fmt: skip
def test_what_no_passage_says_is_not_answered(ask, question, opening):
    answer = ask(question)
    assert not answer.answered
    assert answer.text.startswith(opening)
    assert answer.sources
    assert answer.reasoning_path == ()


def test_confidence_tells_answers_from_guesses(ask):
    known = ask("Who founded Halden Instruments?").confidence
    unknown = ask("What is the melting point of tungsten?").confidence
    assert known > unknown + 0.2
