"""What models answered about a text goes with the text."""

from clew.core.model_calls import ModelRequest, text_subject
from clew.engine.model_calls.forgetting import SUMMARIES
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import open_clew

TEXT = "Acme Corp owns Quartz Mine. Bob Vale leads Acme Corp."
OTHER = "Cleo Ray founded Delta Bank."


def kept_answer(kb, text, stage="extract"):
    """Keep an answer about a text; return the question, and what is kept of it."""
    responses = kb._components.responses()
    asked = ModelRequest(stage, f"{stage} {text}", "v-1", text_subject(text), 10)
    responses.put("default", asked, model="m", answer={"of": text})
    return lambda: responses.get("default", asked.key("m"))


def opened():
    kb = open_clew(MemoryStore())
    kb.add({"text": TEXT, "source": "a"}, {"text": OTHER, "source": "b"})
    return kb


def test_with_a_document_go_the_answers_about_it_and_all_summaries():
    kb = opened()
    mine, other, summary = (
        kept_answer(kb, TEXT),
        kept_answer(kb, OTHER),
        kept_answer(kb, "both", SUMMARIES),
    )
    kb.remove("a")
    assert mine() is None
    assert other() == {"of": OTHER}
    assert summary() is None
    kb.close()


def test_with_a_new_version_go_the_answers_about_what_it_no_longer_says():
    kb = opened()
    mine, other = kept_answer(kb, TEXT), kept_answer(kb, OTHER)
    kb.add({"text": TEXT, "source": "a", "title": "Acme"})
    assert mine() == {"of": TEXT}
    kb.add({"text": "Acme Corp sold Quartz Mine.", "source": "a"})
    assert mine() is None
    assert other() == {"of": OTHER}
    kb.close()
