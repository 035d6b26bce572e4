"""Numbering, answer text and sources."""

from __future__ import annotations

from clew.core.documents import Chunk, Document, Page, Span
from clew.core.knowledge import EdgeType, Mention, MentionRole
from clew.core.results import Path, PathStep
from clew.reason.citations import Quotation, answer_text, cited_sources, number_passages, page_at
from clew.reason.evidence import Passage

TEXT = "Head. Acme was founded by Jane Roe [9]. It makes anvils."


def passage(
    text: str = TEXT, *, chunk: int = 1, title: str = "Acme", start: int = 0, **more: object
) -> Passage:
    document = Document(10 * chunk, f"{title}.md", "1", title, "x" * start + text, pages=(Page(1, Span(0, 6)), Page(2, Span(6, 400))))  # fmt: skip
    found = Chunk(chunk, document.id, 0, text, Span(start, start + len(text)), page=1, **more)  # type: ignore[arg-type]
    return Passage(found, document, 1.0)


def quote(words: str, source: Passage, support: float = 0.5) -> Quotation:
    start = source.chunk.text.index(words)
    return Quotation(source, Span(start, start + len(words)), support)


def step(source: str, target: str, *, edge: int, chunk: int | None) -> PathStep:
    return PathStep(1, 2, source, target, edge, EdgeType.RELATED_TO, "knows", True, 1.0, chunk)


def test_markers_count_passages_by_first_appearance():
    assert number_passages([7, 3, 7, 5]) == {7: 1, 3: 2, 5: 3}


def test_a_passage_quoted_twice_keeps_its_number_and_a_pronoun_gets_its_title():
    first, second = passage(), passage("She lives in Oslo.", chunk=2, title="Jane Roe")
    quotations = [
        quote("Acme was founded by Jane Roe [9].", first),
        quote("It makes anvils.", first),
        quote("She lives in Oslo.", second),
    ]
    markers = number_passages(one.passage.chunk.id for one in quotations)
    assert answer_text(quotations, markers) == (
        "Acme was founded by Jane Roe (9). [1] It makes anvils. [1]\n"
        "Jane Roe: She lives in Oslo. [2]"
    )


def test_sources_point_into_the_document():
    quoted = passage(start=100)
    path = Path((step("Acme", "Jane Roe", edge=5, chunk=1), step("Jane Roe", "Oslo", edge=6, chunk=2)))  # fmt: skip
    [source] = cited_sources([quote("It makes anvils.", quoted, 1.7)], {1: 1}, paths=[path])
    assert source.span == Span(140, 156)
    assert quoted.document.text[140:156] == source.snippet == "It makes anvils."
    assert (source.marker, source.doc_id, source.chunk_id, source.page) == (1, 10, 1, 2)
    assert (source.title, source.source) == ("Acme", "Acme.md")
    assert source.confidence == 1.0
    assert source.edge_path == (5, 6)


def test_no_path_rests_on_it():
    path = Path((step("Acme", "Oslo", edge=5, chunk=3),))
    [source] = cited_sources([quote("It makes anvils.", passage())], {1: 1}, paths=[path])
    assert source.edge_path == ()
    assert source.node_id is None


def test_the_node_is_the_page_else_what_the_sentence_names():
    bare = passage()
    here = Mention(1, 77, "Jane Roe", "jane roe", Span(26, 34))
    page = Mention(1, 78, "Acme", "acme", Span(0, 0), role=MentionRole.TITLE)
    named = Passage(bare.chunk, bare.document, 1.0, mentions=(here,))
    titled = Passage(bare.chunk, bare.document, 1.0, mentions=(here, page))
    sentence = "Acme was founded by Jane Roe [9]."
    assert cited_sources([quote(sentence, named)], {1: 1}, paths=[])[0].node_id == 77
    assert cited_sources([quote("It makes anvils.", named)], {1: 1}, paths=[])[0].node_id is None
    assert cited_sources([quote(sentence, titled)], {1: 1}, paths=[])[0].node_id == 78


def test_a_translated_passage_is_cited_as_a_whole():
    translated = passage("It makes anvils.", start=50, original="Faz bigornas.")
    [source] = cited_sources([quote("It makes anvils.", translated)], {1: 1}, paths=[])
    assert source.span == translated.chunk.span


def test_pages():
    document = passage().document
    assert page_at(document, 5) == 1
    assert page_at(document, 6) == 2
    assert page_at(document, 400) is None
