"""Global answers: points from summaries, reduced to cited sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.core.documents import Span
from clew.core.knowledge import Community, Evidence
from clew.core.query import RetrievalMode
from clew.core.results import RankedCommunity, Retrieval
from clew.reason.evidence import Passage, gather_passages
from clew.reason.overview import OverviewAnswerer, Point, reduce_points
from clew.testing.fakes import HashingEmbedder
from clew.testing.store_samples import GUEST, Filed
from tests.reason.conftest import World

SHIPS = "The Aurelia maps the sea floor. Its crew counts twenty people. Storms delay every voyage."
STARS = "The dome watches variable stars. Storms stop the telescope. A lens came from Graz."
GRAIN = "Merchants ship grain to the islands."
MAIN_THEMES = "What are the main themes?"


@pytest.fixture
def pages(world: World) -> list[Filed]:
    return [
        world.page(title, text)
        for title, text in (("Ships", SHIPS), ("Stars", STARS), ("Grain", GRAIN))
    ]


def summarised(
    world: World, question: str, *pages: Filed, calibrated: float = 0.5, **query: object
) -> Retrieval:
    """Return a retrieval in mode global: one community a page, of all of its sentences."""
    found = world.ask(question, chunks=[])
    communities = []
    for place, page in enumerate(pages):
        chunk = page.chunks[0]
        starts = [0, *(at + 2 for at in range(len(chunk.text) - 1) if chunk.text[at] == ".")]
        ends = [*(start - 1 for start in starts[1:]), len(chunk.text)]
        evidence = tuple(
            Evidence(chunk.id, Span(start, end), 1.0 - 0.1 * row)
            for row, (start, end) in enumerate(zip(starts, ends, strict=True))
        )
        community = Community(place, 0, f"level0_{place}", (1,), evidence=evidence)
        score = (len(pages) - place) / 10
        communities.append(RankedCommunity(community, score, calibrated=calibrated))
    asked = replace(found.query, mode=RetrievalMode.GLOBAL, **query)  # type: ignore[arg-type]
    return replace(found, query=asked, communities=tuple(communities))


def answerer(world: World, **settings: int) -> OverviewAnswerer:
    return OverviewAnswerer(
        chunks=world.store, graph=world.store, embedder=HashingEmbedder(), **settings
    )


def test_a_question_gathers_points_from_several_communities(
    world: World, pages: list[Filed]
) -> None:
    answer = answerer(world).answer(summarised(world, "What do storms delay or stop?", *pages))
    assert answer.answered
    assert set(answer.text.split("\n")) == {
        "Storms delay every voyage. [1]",
        "Storms stop the telescope. [2]",
    } or set(answer.text.split("\n")) == {
        "Storms delay every voyage. [2]",
        "Storms stop the telescope. [1]",
    }
    assert {source.snippet for source in answer.sources} == {
        "Storms delay every voyage.",
        "Storms stop the telescope.",
    }


def test_every_source_lies_where_it_says(world: World, pages: list[Filed]) -> None:
    answer = answerer(world).answer(summarised(world, MAIN_THEMES, *pages))
    texts = {page.document.id: page.document.text for page in pages}
    assert answer.sources
    for source in answer.sources:
        text = texts[source.doc_id]
        assert text[source.span.start : source.span.end] == source.snippet
        assert f"{source.snippet} [{source.marker}]" in answer.text


def test_an_overview_says_the_first_of_each_community(world: World, pages: list[Filed]) -> None:
    answer = answerer(world).answer(summarised(world, MAIN_THEMES, *pages[:2]))
    assert answer.answered
    lines = answer.text.split("\n")
    assert lines[0].startswith("The Aurelia maps the sea floor. [1]")
    assert any(line.startswith("The dome watches variable stars. [2]") for line in lines)


def test_a_subject_that_nobody_tells_of_is_not_answered(world: World, pages: list[Filed]) -> None:
    retrieval = summarised(world, "Who plays jazz trumpet?", *pages, calibrated=0.05)
    answer = answerer(world).answer(retrieval)
    assert not answer.answered
    assert answer.confidence <= 0.15


def test_without_summaries_there_is_no_answer(world: World, pages: list[Filed]) -> None:
    for question in (MAIN_THEMES, "Who plays jazz trumpet?"):
        answer = answerer(world).answer(summarised(world, question))
        assert not answer.answered
        assert answer.sources == ()
        assert answer.confidence == 0.0


def test_the_setting_bounds_the_points(world: World, pages: list[Filed]) -> None:
    answer = answerer(world, max_sentences=1).answer(summarised(world, MAIN_THEMES, *pages))
    assert len(answer.sources) == 2


def test_what_the_principal_may_not_see_is_no_point(world: World) -> None:
    page = world.page("Secret", "Storms hide the gold.", acl=("staff",))
    retrieval = summarised(world, "What do storms hide?", page)
    assert answerer(world).answer(retrieval).answered
    guest = replace(retrieval, query=replace(retrieval.query, principal=GUEST))
    answer = answerer(world).answer(guest)
    assert not answer.answered
    assert answer.sources == ()


def test_scores_by_hand(world: World, pages: list[Filed]) -> None:
    retrieval = summarised(world, "Which storms?", pages[0], calibrated=0.5)
    points = answerer(world).map_points(retrieval)
    embedder = HashingEmbedder()
    question = embedder.embed_questions(["Which storms?"])[0]
    for point in points:
        cosine = float(embedder.embed_passages([f"Ships\n{point.text}"])[0] @ question)
        holds = "Storms" in point.text
        expected = 0.6 * max(0.0, cosine) + 0.2 * holds + 0.2 * 0.5
        assert point.score == pytest.approx(expected, abs=1e-5)


class TestReducing:
    @pytest.fixture
    def passage(self, world: World, pages: list[Filed]) -> Passage:
        (passage, *_) = gather_passages(
            world.ask("x"), paths=(), chunks=world.store, graph=world.store, limit=1
        )
        return passage

    def point(self, passage: Passage, community: int, text: str, score: float) -> Point:
        return Point(community, passage, Span(0, 3), text, score)

    def test_each_point_halves_the_next_of_its_community(self, passage: Passage) -> None:
        points = [
            self.point(passage, 0, "alpha beta", 1.0),
            self.point(passage, 0, "gamma delta", 0.9),
            self.point(passage, 1, "epsilon zeta", 0.5),
        ]
        assert [one.text for one in reduce_points(points, limit=2)] == [
            "alpha beta",
            "epsilon zeta",
        ]

    def test_what_is_worth_less_than_half_is_left_out(self, passage: Passage) -> None:
        points = [
            self.point(passage, 0, "alpha beta", 0.8),
            self.point(passage, 1, "gamma delta", 0.39),
            self.point(passage, 2, "epsilon zeta", 0.4),
        ]
        assert [one.community for one in reduce_points(points, limit=9)] == [0, 2]

    def test_repetitions_are_left_out(self, passage: Passage) -> None:
        points = [
            self.point(passage, 0, "alpha beta gamma", 0.8),
            self.point(passage, 1, "gamma alpha beta", 0.8),
        ]
        assert len(reduce_points(points, limit=9)) == 1


def test_summaries_stand_for_their_passages_in_the_order_of_scores(
    world: World, pages: list[Filed]
) -> None:
    found = world.ask("storms", chunks=[pages[2].chunks[0]])
    retrieval = summarised(world, "storms", pages[0], pages[1])
    (first, second) = retrieval.communities
    both = replace(found, communities=(replace(first, score=2.0), replace(second, score=0.5)))
    passages = gather_passages(both, paths=(), chunks=world.store, graph=world.store, limit=10)
    assert [one.document.title for one in passages] == ["Ships", "Grain", "Stars"]
    assert passages[0].signals == ("community",)
