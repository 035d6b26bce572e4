from __future__ import annotations

from collections.abc import Callable

from clew.core.extraction import Extraction
from clew.core.knowledge import NodeType

Extract = Callable[..., Extraction]


def test_portuguese_gives_capitalised_names_and_repeated_terms(extract: Extract) -> None:
    text = (
        "O escritor Machado de Assis nasceu no Rio de Janeiro. "
        "Depois o escritor viajou para São Paulo com Carolina."
    )

    extraction = extract(text, language="pt")

    entities = [n.surface for n in extraction.names if n.kind is NodeType.ENTITY]
    concepts = [n.surface for n in extraction.names if n.kind is NodeType.CONCEPT]
    assert entities == ["Machado de Assis", "Rio de Janeiro", "São Paulo", "Carolina"]
    assert concepts == ["escritor"]
    assert extraction.triples == ()
    assert extraction.note is not None
    assert "pt" in extraction.note


def test_capital_at_the_head_of_a_sentence_needs_support(extract: Extract) -> None:
    text = "Ontem choveu. Lisboa dormia. Eu amo Lisboa."

    extraction = extract(text, language="pt")

    assert [name.surface for name in extraction.names] == ["Lisboa", "Lisboa"]


def test_sao_opens_a_place_and_no_sentence_of_its_own(extract: Extract) -> None:
    text = "São Paulo cresceu. São muitas as pontes. Maria viu São Tomé."

    extraction = extract(text, language="pt")

    entities = [n.surface for n in extraction.names if n.kind is NodeType.ENTITY]
    assert entities == ["São Paulo", "São Tomé"]


def test_spans_reproduce_the_surface(extract: Extract) -> None:
    text = "Der Fluss Rhein fließt durch Köln, Bonn und Düsseldorf."

    for name in extract(text, language="de").names:
        assert text[name.span.start : name.span.end] == name.surface


def test_unknown_language_is_taken_for_the_annotators(extract: Extract) -> None:
    assert extract("Microsoft acquired GitHub.", language=None).triples
