"""Listing, showing, merging and taking apart entities, on both stores with cheap models."""

import inspect
import random

import pytest

from clew.core.decisions import Different, Same
from clew.core.entities import ConflictKind
from clew.core.errors import NotFoundError, QueryError
from clew.core.ids import format_id, node_id
from clew.core.knowledge import MentionRole
from clew.core.query import Principal
from clew.engine.async_clew import AsyncClew
from clew.engine.entities.async_entities import AsyncEntities
from clew.engine.entities.decided import FACT
from clew.engine.entities.entities import Entities
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.corpus import corpus
from tests.engine.dump import differences, dump
from tests.engine.stand_ins import open_clew

STAFF = Principal(frozenset({"staff"}))
DOCUMENTS = (
    {"source": "a", "title": "Notes 1", "text": "Acme Corp sued Beta Labs. Ada Roe leads Acme."},
    {"source": "b", "title": "Notes 2", "text": "Big Rock supplies Gamma Mills. Big Rock grew."},
    {
        "source": "c",
        "title": "Notes 3",
        "text": "Big Rock met Acme Corp in Ghent.",
        "acl": ["board"],
    },
)
LATER = {"source": "d", "title": "Notes 4", "text": "Big Rock sold Delta Works. Acme Corp paid."}
ACME, ROCK = node_id("acme"), node_id("big rock")


@pytest.fixture(params=["memory", "embedded"])
def make_store(request, tmp_path):
    stores: list[MemoryStore | EmbeddedStore] = []

    def make():
        number = len(stores)
        stores.append(
            MemoryStore()
            if request.param == "memory"
            else EmbeddedStore(tmp_path / f"{number}.clew")
        )
        return stores[-1]

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def clew(make_store):
    with open_clew(make_store()) as opened:
        opened.add(*DOCUMENTS)
        yield opened


def held(clew) -> dict[str, object]:
    """Return everything in the collection but the memory of decisions that were withdrawn."""
    found = dump(clew._components.store)
    found["facts"].pop(FACT, None)
    return found


def test_entities_are_listed_most_mentioned_first(clew):
    found = clew.entities.list(limit=2)
    assert [(item.node.name, item.mentions) for item in found.nodes] == [
        ("Acme Corp", 2),
        ("Big Rock", 2),
    ]
    assert found.total == len(("Acme", "Beta", "Ada", "Rock", "Gamma", "Ghent", "1", "2", "3"))


def test_the_list_is_searched_and_paged(clew):
    names = [item.node.name for item in clew.entities.list(search="ROCK").nodes]
    assert names == ["Big Rock"]
    assert [item.node.name for item in clew.entities.list(prefix="be").nodes] == ["Beta Labs"]
    assert [item.node.name for item in clew.entities.list(prefix="labs").nodes] == []
    people = clew.entities.list(labels=["PERSON"])
    assert [item.node.name for item in people.nodes] == ["Ada Roe"]
    pages = [
        item.node.name
        for offset in (0, 2, 4)
        for item in clew.entities.list(kinds=["entity"], order="name", limit=2, offset=offset).nodes
    ]
    assert pages == ["Acme Corp", "Ada Roe", "Beta Labs", "Big Rock", "Gamma Mills", "Ghent"]


def test_the_list_keeps_to_what_the_principal_sees(clew):
    seen = {item.node.name: item.mentions for item in clew.entities.list(principal=STAFF).nodes}
    assert "Ghent" not in seen
    assert (seen["Big Rock"], seen["Acme Corp"]) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kinds": ["thing"]}, "unknown NodeType 'thing'"),
        ({"order": "age"}, "choose one of: mentions, name"),
        ({"limit": -1}, "limit must lie"),
        ({"offset": -1}, "offset not below 0"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(clew, arguments, message):
    with pytest.raises(QueryError, match=message):
        clew.entities.list(**arguments)


def test_an_entity_is_shown_with_its_evidence(clew):
    shown = clew.entities.show("acme corporation")
    assert shown.node.id == ACME
    assert [(count.value, count.passages) for count in shown.names] == [
        ("Acme Corp", 2),
        ("Acme", 1),
    ]
    assert [(count.value, count.passages) for count in shown.labels] == [("ORG", 2)]
    assert {passage.source for passage in shown.passages} == {"a", "c"}
    assert all(passage.role is MentionRole.TEXT for passage in shown.passages)
    told = {(edge.edge.relation, edge.forward, edge.other_name) for edge in shown.edges}
    assert ("SUED", True, "Beta Labs") in told
    assert ("LEADS", False, "Ada Roe") in told
    sued = next(edge for edge in shown.edges if edge.edge.relation == "SUED")
    assert sued.quotation == "Acme Corp sued Beta Labs."
    assert (shown.mentions, shown.documents, shown.degree) == (2, 2, len(shown.edges))
    assert len(clew.entities.show("Acme", limit=1).passages) == 1


def test_an_entity_is_shown_as_the_principal_sees_it(clew):
    shown = clew.entities.show("Acme", principal=STAFF)
    assert {passage.source for passage in shown.passages} == {"a"}
    assert {edge.other_name for edge in shown.edges} == {"Beta Labs", "Ada Roe"}
    with pytest.raises(NotFoundError, match="Ghent"):
        clew.entities.show("Ghent", principal=STAFF)


def test_merged_names_are_one_everywhere(clew):
    report = clew.entities.merge("Acme", "Big Rock")
    assert (report.node.id, report.decision.name) == (ACME, "Big Rock")
    assert report.decision.keys == ("big rock",)
    assert clew.node("Big Rock").id == ACME
    assert clew.node("Big Rock").aliases == ("Acme", "Acme Corp")
    best = clew.path("Acme", "Gamma Mills")[0]
    assert [step.relation for step in best.steps] == ["SUPPLIES"]
    shown = clew.entities.show("Acme")
    assert shown.same == (report.decision,)
    assert shown.mentions == 3
    with pytest.raises(QueryError, match="are one already"):
        clew.entities.merge("Big Rock", "Acme")


def test_unmerging_restores_everything(clew):
    before = held(clew)
    clew.entities.merge("Acme", "Big Rock")
    assert differences(before, held(clew))
    report = clew.entities.unmerge("Acme", "Big Rock")
    assert (report.node.id, report.other.id) == (ACME, ROCK)
    assert differences(before, held(clew)) == []


@pytest.mark.parametrize(
    "names",
    [("Big Rock",), ("Big Rock", "Acme"), (format_id(ROCK), "acme"), (ROCK, ACME)],
)
def test_a_merge_is_found_by_either_side(clew, names):
    clew.entities.merge("Acme", "Big Rock")
    assert clew.entities.unmerge(*names).decision.node == ROCK
    assert clew.node("Big Rock").id == ROCK


def test_the_newest_merge_of_an_entity_is_taken_back_first(clew):
    clew.entities.merge("Acme", "Big Rock")
    clew.entities.merge("Beta Labs", "Acme")
    assert clew.node("Big Rock").id == node_id("beta labs")
    clew.entities.unmerge("Beta Labs")
    assert clew.node("Big Rock").id == ACME
    clew.entities.unmerge("Acme")
    with pytest.raises(NotFoundError, match="nobody merged anything into 'Acme'"):
        clew.entities.unmerge("Acme")


@pytest.mark.parametrize("seed", range(6))
def test_random_merges_and_unmerges_restore_everything(make_store, seed):
    chance = random.Random(seed)
    with open_clew(make_store()) as clew:
        clew.add(*corpus(8))
        before = held(clew)
        undone: list[Same] = []
        names = ["Acme Corp", "Beta Labs", "Gamma Partners", "Delta Works", "Lisbon", "Ghent"]
        for _ in range(12):
            if undone and chance.random() < 0.4:
                decision = undone.pop(chance.randrange(len(undone)))
                clew.entities.unmerge(decision.node, decision.into)
                continue
            first, second = chance.sample(names, 2)
            if clew.node(first).id != clew.node(second).id:
                undone.append(clew.entities.merge(first, second).decision)
        chance.shuffle(undone)
        for decision in undone:
            clew.entities.unmerge(decision.node, decision.into)
        assert differences(before, held(clew)) == []


def test_a_merge_holds_for_what_is_added_later_and_unmerging_sorts_it_out(make_store):
    with open_clew(make_store()) as clew, open_clew(make_store()) as untouched:
        for each in (clew, untouched):
            each.add(*DOCUMENTS)
        clew.entities.merge("Acme", "Big Rock")
        for each in (clew, untouched):
            each.add(LATER)
        assert clew.path("Acme", "Delta Works")[0].steps[0].relation == "SOLD"
        clew.entities.unmerge("Acme", "Big Rock")
        assert differences(held(untouched), held(clew)) == []


def test_a_merge_outlives_the_documents(make_store):
    with open_clew(make_store()) as clew, open_clew(make_store()) as untouched:
        for each in (clew, untouched):
            each.add(*DOCUMENTS)
        clew.entities.merge("Acme", "Big Rock")
        for source in ("a", "b", "c"):
            clew.remove(source)
        with pytest.raises(NotFoundError):
            clew.node("Acme")
        clew.add(*DOCUMENTS)
        assert clew.node("Big Rock").id == ACME
        clew.entities.unmerge("Big Rock")
        assert differences(held(untouched), held(clew)) == []


def test_a_merge_can_be_taken_back_when_its_documents_are_gone(clew):
    clew.entities.merge("Acme", "Big Rock")
    for source in ("a", "b", "c"):
        clew.remove(source)
    report = clew.entities.unmerge("Big Rock")
    assert (report.node, report.other) == (None, None)


ALIAS = (
    {"source": "x", "title": "Notes 5", "text": "Harbour Safety Board (HSB) met. HSB sued Ghent."},
    {"source": "y", "title": "Notes 6", "text": "HSB paid Ghent. Beta Labs left."},
)
BOARD, HSB = node_id("harbour safety board"), node_id("hsb")


def test_a_name_that_resolution_gave_can_be_taken_away(make_store):
    with open_clew(make_store()) as clew:
        clew.add(*ALIAS)
        assert clew.node("HSB").id == BOARD
        report = clew.entities.unmerge("Harbour Safety Board", "HSB")
        assert report.sources == ("x", "y")
        assert isinstance(report.decision, Different)
        assert [each and each.id for each in (report.node, report.other)] == [BOARD, HSB]
        assert clew.node("HSB").id == HSB
        assert clew.node("Harbour Safety Board").aliases == ()
        sued = [edge for edge in clew.entities.show("HSB").edges if edge.edge.relation == "SUED"]
        assert [edge.other_name for edge in sued] == ["Ghent"]
        relations = {e.edge.relation for e in clew.entities.show("Harbour Safety Board").edges}
        assert "SUED" not in relations


def test_a_name_that_was_taken_away_stays_away(make_store):
    with open_clew(make_store()) as clew:
        clew.add(*ALIAS)
        clew.entities.unmerge("Harbour Safety Board", "HSB")
        for record in ALIAS:
            clew.remove(record["source"])
        clew.add(*ALIAS)
        assert clew.node("HSB").id == HSB
        clew.add({"source": "z", "title": "Notes 7", "text": "HSB won. Turku lost."})
        assert clew.node("HSB").id == HSB
        assert clew.entities.show("HSB").different[0].key == "hsb"


def test_merging_again_ends_the_separation(make_store):
    with open_clew(make_store()) as clew:
        clew.add(*ALIAS)
        clew.entities.unmerge("Harbour Safety Board", "HSB")
        clew.entities.merge("Harbour Safety Board", "HSB")
        shown = clew.entities.show("HSB")
        assert (shown.node.id, shown.different) == (BOARD, ())


def test_names_that_cannot_be_taken_away_are_refused(clew):
    clew.add({"source": "t", "title": "Quartz Mine", "text": "Quartz Mine closed."})
    with pytest.raises(NotFoundError, match=r"its names: 'Acme Corp', 'Acme'"):
        clew.entities.unmerge("Acme", "Beta Labs")
    with pytest.raises(QueryError, match="first known by"):
        clew.entities.unmerge("Acme", "Acme Corp")
    with pytest.raises(QueryError, match="title of a document"):
        clew.entities.unmerge("Quartz Mine", "quartz mine")


def test_a_merge_reports_what_contradicts_itself(clew):
    report = clew.entities.merge("Ada Roe", "Gamma Mills")
    (conflict,) = report.conflicts
    assert conflict.kind is ConflictKind.LABEL
    assert {value.value for value in conflict.values} == {"PERSON", "ORG"}
    assert clew.entities.show("Ada Roe").conflicts == report.conflicts


def test_both_facades_have_the_same_methods_with_the_same_signatures():
    names = {name for name in vars(Entities) if not name.startswith("_")}
    assert names == {name for name in vars(AsyncEntities) if not name.startswith("_")}
    assert names == {"list", "show", "merge", "unmerge"}
    for name in names:
        assert inspect.signature(getattr(Entities, name)) == inspect.signature(
            getattr(AsyncEntities, name)
        )


@pytest.mark.asyncio
async def test_the_awaited_ones_do_what_the_plain_ones_do():
    plain = open_clew(MemoryStore())
    plain.add(*DOCUMENTS)
    async with AsyncClew(plain) as clew:
        assert await clew.entities.list(limit=3) == plain.entities.list(limit=3)
        assert await clew.entities.show("Acme") == plain.entities.show("Acme")
        await clew.entities.merge("Acme", "Big Rock")
        assert plain.node("Big Rock").id == ACME
        await clew.entities.unmerge("Acme")
        assert plain.node("Big Rock").id == ROCK
