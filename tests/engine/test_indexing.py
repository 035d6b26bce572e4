"""What `add` does, with cheap models, on the store in memory."""

from collections.abc import Mapping

import numpy as np
import pytest

from clew.core.documents import Stage
from clew.core.errors import IngestError, ModelMismatchError
from clew.core.ids import origin_id
from clew.core.jobs import FileOutcome, Progress
from clew.core.knowledge import MentionRole
from clew.settings.model import Settings
from clew.stores.memory import MemoryStore
from clew.testing.fakes import HashingEmbedder
from tests.engine.stand_ins import NOW, CountingEmbedder, PatternExtractor, open_clew

A: Mapping[str, object] = {
    "source": "a",
    "title": "Acme Corp",
    "text": "Acme Corp acquired Beta Labs. It went on.",
}
B: Mapping[str, object] = {
    "source": "b",
    "title": "Beta Labs",
    "text": "Beta Labs supplies Gamma Partners.",
}
SMALL = Settings.model_validate({"chunking": {"size": 40, "overlap": 0}})


def record(base: Mapping[str, object], **changes: object) -> Mapping[str, object]:
    return {**base, **changes}


@pytest.fixture
def store():
    return MemoryStore()


def test_a_run_takes_every_chunk_to_the_end_and_reports_it(store):
    report = open_clew(store).add(A, B)
    assert [(file.source, file.outcome, file.chunks) for file in report.files] == [
        ("a", FileOutcome.ADDED, 1),
        ("b", FileOutcome.ADDED, 1),
    ]
    assert report.chunks == 2
    # Acme Corp, Beta Labs, Gamma Partners and the pronoun's "It".
    assert report.nodes == 4
    assert report.claims == 3
    assert set(report.seconds) >= {"parse", "embed", "extract", "link", "nodes", "store", "total"}
    assert store.pending("default", Stage.LINKED) == []
    assert store.nodes_without_vectors("default", limit=9) == []
    assert all(held.recorded_at == NOW for held in store.documents("default"))


def test_seconds_of_stages_add_up_to_less_than_the_total(store):
    seconds = dict(open_clew(store).add(A, B).seconds)
    total = seconds.pop("total")
    assert all(value >= 0 for value in seconds.values())
    assert sum(seconds.values()) <= total


def test_chunks_are_embedded_with_their_title_and_bare_in_the_first_preset_of_the_paper(store):
    embedder = CountingEmbedder()
    open_clew(store, embedder=embedder).add(A)
    assert f"Acme Corp\n{A['text']}" in embedder.passages
    bare = CountingEmbedder()
    paper = Settings.model_validate({"chunking": {"preset": "paper_v1"}})
    open_clew(MemoryStore(), embedder=bare, settings=paper).add(A)
    assert A["text"] in bare.passages


def test_unchanged_sources_cost_nothing(store):
    open_clew(store).add(A, B)
    embedder, extractor = CountingEmbedder(), PatternExtractor()
    report = open_clew(store, embedder=embedder, extractor=extractor).add(A, B)
    assert [file.outcome for file in report.files] == [FileOutcome.UNCHANGED] * 2
    assert all(file.document is not None for file in report.files)
    assert (report.chunks, report.nodes, report.edges) == (0, 0, 0)
    assert (embedder.passages, embedder.questions, extractor.texts) == ([], [], [])


def test_a_changed_source_is_redone_only_where_it_changed(store):
    lines = [f"Acme Corp supplies Delta Works {name}." for name in ("One", "Two", "Six")]
    open_clew(store, settings=SMALL).add(record(A, text="\n\n".join(lines)))
    before = {chunk.text: chunk.id for chunk in _chunks(store)}
    assert len(before) == 3
    embedder, extractor = CountingEmbedder(), PatternExtractor()
    changed = [lines[0], "Acme Corp sued Zeta Mills.", lines[2]]
    report = open_clew(store, embedder=embedder, extractor=extractor, settings=SMALL).add(
        record(A, text="\n\n".join(changed))
    )
    assert [(file.outcome, file.chunks) for file in report.files] == [(FileOutcome.UPDATED, 1)]
    assert extractor.texts == [changed[1]]
    assert [text for text in embedder.passages if text.startswith("Acme Corp\n")] == [
        f"Acme Corp\n{changed[1]}"
    ]
    after = {chunk.text: chunk.id for chunk in _chunks(store)}
    assert set(after) == set(changed)
    assert after[lines[0]] == before[lines[0]]
    assert store.find_names("default", ["delta works two"]) == {}
    assert store.find_names("default", ["zeta mills", "delta works one"]).keys() == {
        "zeta mills",
        "delta works one",
    }


def test_statements_that_a_new_version_no_longer_makes_are_retired(store):
    open_clew(store).add(A)
    (edge,) = [held for held in _edges(store) if held.relation == "ACQUIRED"]
    assert edge.retired_at is None
    open_clew(store).add(record(A, text="Acme Corp sued Beta Labs."))
    (retired,) = store.edges("default", [edge.id])
    assert retired.retired_at == NOW
    assert {held.relation for held in _edges(store)} == {"SUED"}


def test_a_changed_title_is_embedded_and_extracted_again(store):
    open_clew(store).add(A)
    embedder, extractor = CountingEmbedder(), PatternExtractor()
    open_clew(store, embedder=embedder, extractor=extractor).add(record(A, title="Takeovers Inc"))
    assert f"Takeovers Inc\n{A['text']}" in embedder.passages
    assert extractor.texts == [A["text"]]
    roles = {(m.key, m.role) for m in _mentions(store) if m.role is MentionRole.TITLE}
    assert roles == {("takeovers", MentionRole.TITLE)}


def test_a_changed_acl_takes_effect_without_new_models_work(store):
    open_clew(store).add(A)
    embedder, extractor = CountingEmbedder(), PatternExtractor()
    report = open_clew(store, embedder=embedder, extractor=extractor).add(A, acl=["board"])
    assert [file.outcome for file in report.files] == [FileOutcome.UPDATED]
    assert store.documents("default")[0].acl == {"board"}
    assert (embedder.passages, extractor.texts) == ([], [])
    assert [chunk.document for chunk in _chunks(store)] == [store.documents("default")[0].id]


def test_what_add_says_of_all_sources_yields_to_what_a_source_says(store):
    open_clew(store).add(
        record(A, metadata={"year": 1999}),
        B,
        metadata={"year": 2001, "kind": "wiki"},
        authority=0.5,
        authors=["Ada"],
        published_at="2020",
    )
    first, second = store.documents("default")
    assert first.metadata == {"year": 1999, "kind": "wiki"}
    assert second.metadata == {"year": 2001, "kind": "wiki"}
    assert (first.authority, first.authors) == (0.5, ("Ada",))
    assert first.published_at is not None
    assert first.published_at.year == 2020


def test_titles_are_linked_where_other_documents_write_them_whatever_came_first(store):
    clew = open_clew(store)
    clew.add({"source": "n", "title": "Notes of May", "text": "we saw Quartz Mine there."})
    clew.add({"source": "q", "title": "Quartz Mine", "text": "It is deep."})
    nodes = store.find_names("default", ["quartz mine"])["quartz mine"]
    holder = [chunk.id for chunk in _chunks(store) if "we saw" in chunk.text]
    mentioned = {m.node for m in store.mentions("default", holder)}
    assert mentioned.issuperset(nodes)


def test_a_run_without_inputs_finishes_what_was_left(store):
    class Failing(PatternExtractor):
        def extract(self, texts, *, language, titles=()):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_clew(store, extractor=Failing()).add(A, B)
    status = open_clew(store).status()
    assert status.pending == {"embedded": 2}
    report = open_clew(store).add()
    assert [(file.source, file.outcome, file.chunks) for file in report.files] == [
        ("a", FileOutcome.RESUMED, 1),
        ("b", FileOutcome.RESUMED, 1),
    ]
    assert open_clew(store).status().pending == {}


def test_a_source_that_fails_does_not_stop_the_others(store, tmp_path):
    good, bad = tmp_path / "good.md", tmp_path / "bad.pdf"
    good.write_text("# Acme Corp\n\nAcme Corp sued Beta Labs.", encoding="utf-8")
    bad.write_bytes(b"%PDF-1.4 broken")
    report = open_clew(store).add(tmp_path)
    assert {file.source.rsplit("/", 1)[-1]: file.outcome for file in report.files} == {
        "good.md": FileOutcome.ADDED,
        "bad.pdf": FileOutcome.FAILED,
    }
    (failed,) = report.failed
    assert failed.reason
    assert failed.source.endswith("bad.pdf")


def test_a_path_that_does_not_exist_and_bad_arguments_are_errors_before_anything_is_written(store):
    clew = open_clew(store)
    with pytest.raises(IngestError, match=r"nowhere\.md"):
        clew.add(A, "nowhere.md")
    with pytest.raises(IngestError, match="authority is 7"):
        clew.add(A, authority=7)
    with pytest.raises(IngestError, match="field_mapping has the key 'texto'"):
        clew.add(A, field_mapping={"texto": "body"})
    assert store.collections() == []


def test_fields_of_records_are_mapped(store, tmp_path):
    file = tmp_path / "r.jsonl"
    file.write_text('{"id": 3, "corpo": "Acme Corp sued Beta Labs."}\n', encoding="utf-8")
    report = open_clew(store).add(file, field_mapping={"text": "corpo"})
    assert [held.outcome for held in report.files] == [FileOutcome.ADDED]
    assert report.files[0].source.endswith("r.jsonl#3")


def test_another_model_is_refused_by_name(store):
    open_clew(store).add(A)
    with pytest.raises(ModelMismatchError, match=r"hashing-256.*hashing-32"):
        open_clew(store, embedder=HashingEmbedder(32))


def test_another_chunking_touches_new_documents_only_and_is_noted(store):
    open_clew(store).add(A)
    extractor = PatternExtractor()
    report = open_clew(store, extractor=extractor, settings=SMALL).add(A)
    assert extractor.texts == []
    assert any("chunking was 1350/100 and is 40/0" in note for note in report.notes)


def test_progress_counts_up_to_the_total_in_every_stage(store):
    ticks: list[Progress] = []
    open_clew(store, window=1).add(A, B, progress=ticks.append)
    for stage in ("embed", "extract", "nodes", "link"):
        seen = [(tick.done, tick.total) for tick in ticks if tick.stage == stage]
        assert seen == [(1, 2), (2, 2)]
    assert [tick.done for tick in ticks if tick.stage == "parse"] == [1, 2]


def test_without_extraction_titles_are_the_only_names(store):
    settings = Settings.model_validate({"extraction": {"enabled": False}})
    clew = open_clew(store, settings=settings)
    clew._components._given_extractor = None
    clew.add(A, B)
    assert {m.role for m in _mentions(store)} == {MentionRole.TITLE, MentionRole.LINK}
    assert store.pending("default", Stage.LINKED) == []


def test_commits_are_cut_alike_whatever_the_window(store):
    many = [record(A, source=f"s{n}", title=f"Acme Corp {n}") for n in range(5)]
    other = MemoryStore()
    open_clew(store, window=1).add(many)
    open_clew(other, window=64).add(many)
    assert dict(store.counts("default")) == dict(other.counts("default"))


def _chunks(store):
    return [
        chunk
        for held in store.documents("default")
        for chunk in store.document_chunks("default", held.id)
    ]


def _mentions(store):
    return store.mentions("default", [chunk.id for chunk in _chunks(store)])


def _edges(store):
    nodes = sorted({mention.node for mention in _mentions(store)})
    batch = store.expand("default", np.array(nodes, np.int64))
    return store.edges("default", sorted(set(batch.edge.tolist())))


def test_a_document_that_is_removed_meanwhile_leaves_nothing(store):
    class Removing(PatternExtractor):
        def extract(self, texts, *, language, titles=()):
            found = list(super().extract(texts, language=language, titles=titles))
            for held in store.documents("default", sources=["a"]):
                store.remove_document("default", held.id)
                store.erase("default", origin_id("a"))
            return iter(found)

    open_clew(store, extractor=Removing()).add(A, B)
    assert [held.source for held in store.documents("default")] == ["b"]
    rows = store._collections["default"]
    assert {row.mention.chunk for row in rows.mentions.values()} == set(rows.chunks)
    assert {row.origin for row in rows.statements.values()} == {origin_id("b")}


def test_a_source_that_comes_twice_is_reported_once(store):
    report = open_clew(store).add(A, A)
    assert [(file.source, file.outcome) for file in report.files] == [("a", FileOutcome.ADDED)]
