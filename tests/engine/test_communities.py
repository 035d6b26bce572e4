"""When communities are built, what they cost, and what the facade tells of them."""

import asyncio

import pytest

from clew.core.query import Principal
from clew.engine.async_clew import AsyncClew
from clew.engine.clew import Clew
from clew.settings.model import CommunitySettings, Settings
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import CountingEmbedder, open_clew

SHIPS = {
    "source": "ships",
    "title": "Ships",
    "text": "Aurelia carries Blue Whale. Blue Whale fears Cargo Line. Cargo Line hired Aurelia.",
}
STARS = {
    "source": "stars",
    "title": "Stars",
    "text": "Kestrel Dome watches Lyra. Lyra circles Mira Star. Mira Star amazed Kestrel Dome.",
}
SECRET = {
    "source": "secret",
    "title": "Secret",
    "text": "Aurelia hides Quill Feather. Quill Feather paid Cargo Line.",
    "acl": ["staff"],
}
GUEST = Principal(frozenset({"guest"}))


@pytest.fixture(params=["memory", "embedded"])
def store(request, tmp_path):
    made = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "kb.clew")
    yield made
    made.close()


@pytest.fixture
def embedder():
    return CountingEmbedder()


@pytest.fixture
def clew(store, embedder):
    opened = open_clew(store, embedder=embedder)
    opened.add(SHIPS, STARS)
    embedder.passages.clear()
    return opened


def built_by(policy, store):
    return open_clew(store, settings=Settings(communities=CommunitySettings(build=policy)))


def test_add_builds_none(clew):
    assert clew.communities() == ()
    status = clew.status()
    assert (status.communities, status.communities_stale) == (0, False)


@pytest.mark.parametrize("mode", ["community", "global"])
def test_the_first_question_builds_them_and_the_next_uses_them(clew, embedder, mode):
    found = clew.search("Who fears Cargo Line?", mode=mode)
    assert found.communities
    assert found.notes == ()
    assert clew.status().communities == len(clew.communities()) > 0
    texts = {f"{one.title}\n{one.summary}" for one in clew.communities()}
    assert sorted(embedder.passages) == sorted(texts), "each text once"
    embedder.passages.clear()
    assert clew.search("Who fears Cargo Line?", mode=mode).communities == found.communities
    assert embedder.passages == []


def test_other_modes_build_none(clew):
    clew.search("Who fears Cargo Line?", mode="hybrid")
    assert clew.communities() == ()


def test_a_report_tells_what_was_done(clew):
    report = clew.build_communities()
    assert sum(report.communities) == report.summarised == len(clew.communities())
    assert 0 < report.embedded <= report.summarised
    assert len(report.communities) == 2
    assert report.removed == 0
    assert report.modularity is not None
    assert 0 < report.modularity < 1
    again = clew.build_communities()
    assert again.communities == report.communities
    assert (again.summarised, again.embedded, again.modularity) == (0, 0, None)


def test_a_change_makes_them_stale_and_only_its_part_is_redone(clew, embedder):
    clew.build_communities()
    clew.add(
        {"source": "more", "title": "More", "text": "Blue Whale met Ferry Swift. Ferry Swift sank."}
    )
    assert clew.status().communities_stale
    embedder.passages.clear()
    report = clew.build_communities()
    assert not clew.status().communities_stale
    assert report.embedded == len(embedder.passages) > 0
    assert not any("Lyra" in text for text in embedder.passages)


def test_adding_what_is_known_leaves_them_as_they_are(clew):
    clew.build_communities()
    clew.add(SHIPS, STARS)
    assert not clew.status().communities_stale


def test_nothing_of_a_removed_document_is_told_again(clew):
    clew.build_communities()
    clew.remove("stars")
    assert clew.status().communities_stale
    for found in (clew.communities(), clew.search("What circles Mira Star?", mode="global")):
        assert not any(name in str(found) for name in ("Lyra", "Mira Star amazed", "Kestrel"))
    assert "Blue Whale" in str(clew.communities())


def test_built_by_hand_only_the_answer_says_so(store):
    clew = built_by("manual", store)
    clew.add(SHIPS)
    found = clew.search("Who fears Cargo Line?", mode="community")
    assert found.communities == ()
    assert "no communities yet" in found.notes[0]
    clew.build_communities()
    found = clew.search("Who fears Cargo Line?", mode="community")
    assert found.communities
    assert found.notes == ()
    clew.add(STARS)
    found = clew.search("Who fears Cargo Line?", mode="community")
    assert "changed since" in found.notes[0]


def test_built_at_the_end_of_add(store):
    clew = built_by("add", store)
    report = clew.add(SHIPS)
    assert clew.communities()
    assert not clew.status().communities_stale
    assert "communities" in report.seconds


def test_other_settings_build_them_anew(store):
    clew = open_clew(store)
    clew.add(SHIPS, STARS)
    clew.build_communities()
    deeper = open_clew(store, settings=Settings(communities=CommunitySettings(levels=3)))
    deeper.search("Who fears Cargo Line?", mode="global")
    assert {one.level for one in deeper.communities()} == {0, 1, 2}


def test_a_level_is_listed_alone(clew):
    clew.build_communities()
    every = clew.communities()
    assert clew.communities(level=1) == tuple(one for one in every if one.level == 1)


def test_who_may_not_see_a_source_is_told_nothing_of_it(clew):
    clew.add(SECRET)
    clew.build_communities()
    assert "Quill Feather" in str(clew.communities())
    assert "Quill Feather" not in str(clew.communities(principal=GUEST))
    for mode in ("community", "global"):
        seen = clew.ask("Who hides Quill Feather?", mode=mode)
        assert "Quill Feather" in seen.text
        hidden = clew.ask("Who hides Quill Feather?", mode=mode, principal=GUEST)
        # An abstention may repeat what the question itself names.
        text = hidden.text.replace("does not mention: Quill Feather.", "")
        told = (text, hidden.sources, hidden.retrieval.results, hidden.retrieval.communities)
        assert "Quill Feather" not in str(told)
        assert "Aurelia hides" not in str(told)


def test_a_global_answer_is_cited(clew):
    answer = clew.ask("What are the main themes of the documents?", mode="global")
    assert answer.answered
    assert {source.source for source in answer.sources} == {"ships", "stars"}
    for source in answer.sources:
        assert f"[{source.marker}]" in answer.text


def test_presets_decide_mode_and_number(clew):
    first = clew.search("Who fears Cargo Line?", preset="paper_v1")
    assert (first.query.mode, first.query.top_k) == ("vector_only", 2)
    second = clew.search("Who fears Cargo Line?", preset="paper_v2")
    assert (second.query.mode, second.query.top_k) == ("community", 5)
    assert second.results
    assert second.communities
    assert len(second.results) + len(second.communities) <= 5
    assert clew.search("Who?", preset="paper_v1", top_k=1).query.top_k == 1


def test_an_empty_collection_has_nothing_to_build():
    clew = open_clew(MemoryStore())
    assert clew.build_communities().communities == ()
    assert clew.search("Who?", mode="global").communities == ()
    assert not clew.status().communities_stale


def test_the_facade_for_asyncio_does_the_same(tmp_path):
    async def run():
        async with AsyncClew(open_clew(MemoryStore())) as clew:
            await clew.add(SHIPS)
            report = await clew.build_communities(afresh=True)
            assert sum(report.communities) == len(await clew.communities())

    asyncio.run(run())


def test_the_samples_end_to_end(tmp_path):
    """Bundled E5, rules, embedded store: summaries of real documents answer and are cited."""
    with Clew.open(tmp_path / "kb.clew", settings=Settings()) as clew:
        clew.add("examples/documents")
        report = clew.build_communities()
        assert report.communities[0] >= 3
        assert report.modularity is not None
        assert report.modularity > 0.4
        for one in clew.communities(level=0):
            assert 1 <= len(one.evidence) <= 5
        assert any("Voss Optical" in one.title for one in clew.communities(level=0))
        answer = clew.ask("Which companies invest in energy and shipbuilding?", mode="global")
        assert answer.answered
        assert "invests in shipbuilding, energy" in answer.text
        overview = clew.ask("What are the main topics of these documents?", mode="global")
        assert len({source.source for source in overview.sources}) >= 4
        nothing = clew.ask("What is quantum chromodynamics?", mode="global")
        assert not nothing.answered
        captain = clew.ask("Who is the captain of the Aurelia?", mode="community")
        assert "Ingrid Solheim" in captain.text
        assert captain.retrieval.communities
