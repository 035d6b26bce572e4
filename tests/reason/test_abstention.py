"""An abstention says what is missing, in the question's language."""

from clew.reason.abstention import abstention_text, missing_names
from clew.reason.extractive import ExtractiveAnswerer
from clew.reason.language import AnswerLanguage
from clew.testing.fakes import HashingEmbedder


def test_names_of_which_a_word_stands_nowhere_are_missing():
    texts = ["Ada Moreau leads Acme.", "The Oslo tram is old."]
    assert missing_names("Does Acme own the Oslo Metro?", texts) == ("Oslo Metro",)
    assert missing_names("Who leads Acme?", texts) == ()
    assert missing_names("Does Acme own Beta or Gamma Labs?", texts) == ("Beta", "Gamma Labs")
    assert missing_names("Does Acme own Beta?", []) == ()


def test_the_words_are_those_of_the_language():
    assert abstention_text(AnswerLanguage.ENGLISH, evidence=True, missing=["Oslo", "Beta"]) == (
        "The collection does not answer this question. The evidence found does not mention: Oslo, "
        "Beta. The nearest evidence is listed as sources."
    )
    assert abstention_text(AnswerLanguage.PORTUGUESE, evidence=False, missing=["Oslo"]) == (
        "A coleção não responde a esta pergunta. As evidências encontradas não mencionam: Oslo."
    )


def test_an_answerer_that_abstains_says_so(world):
    world.page("Acme", "Acme sells ropes.")
    embedder = HashingEmbedder()
    answerer = ExtractiveAnswerer(chunks=world.store, graph=world.store, embedder=embedder)
    answer = answerer.answer(world.ask("Quanto custa um bilhete do metro de Oslo?"))
    assert not answer.answered
    assert "As evidências encontradas não mencionam: Oslo." in answer.text
