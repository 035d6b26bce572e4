"""The arithmetic of `benchmarks.extraction`, against counts made by hand."""

import gzip
import json

import pytest

from benchmarks.extraction import Counts, main, pairs_counted, scores, things_counted
from benchmarks.extraction_sets import Sentence, redocred, sample, text2kg, written
from clew.core.documents import Span
from clew.core.extraction import Extraction, FoundName, Triple
from clew.core.knowledge import EdgeType, NodeType

SENTENCE = Sentence(
    "1",
    "Ada Moreau and Bob lead Acme Corp in Porto.",
    (frozenset({"ada moreau"}), frozenset({"acme"}), frozenset({"porto"})),
    frozenset({(0, 1), (1, 2)}),
)


def extraction(names, triples):
    span = Span(0, 1)
    return Extraction(
        tuple(FoundName(name, span, NodeType.ENTITY) for name in names),
        tuple(Triple(one, "R", other, EdgeType.RELATED_TO, span, 1.0) for one, other in triples),
    )


def test_things_and_pairs_are_counted():
    found = extraction(
        ["Ada Moreau", "Moreau", "Bob", "Acme Corp"],
        [("Acme Corp", "Moreau"), ("Ada Moreau", "Acme"), ("Bob", "Acme"), ("Ada Moreau", "Porto")],
    )
    # Bob is no thing of the set; Moreau is Ada Moreau.
    assert things_counted(SENTENCE, found) == Counts(4, 3, 3, 2)
    # The first two are one gold pair, found under two names.
    assert pairs_counted(SENTENCE, found) == Counts(4, 2, 2, 1)
    figures = scores([SENTENCE], [found])["pairs"]
    assert [figures[name]["value"] for name in ("precision", "recall", "f1")] == [0.5, 0.5, 0.5]
    empty = scores([SENTENCE], [extraction([], [])])["things"]
    assert [one["value"] for one in empty.values()] == [0, 0, 0]


def write(file, rows):
    file.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(file, "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)


def text2kg_rows():
    triples = [("Acme_Corp_(firm)", "city", "Porto"), ("Acme_Corp_(firm)", "age", "12")]
    triples += [("Acme_Corp_(firm)", "owner", "Ada"), ("Acme_Corp_(firm)", "name", '"Acme Corp"')]
    told = [{"sub": one, "rel": relation, "obj": other} for one, relation, other in triples]
    return [
        {"id": "a", "sent": "Acme Corp, aged 12, sits in Porto.", "triples": told},
        {"id": "b", "sent": "Nothing.", "triples": told},
    ]


def redocred_rows():
    def mention(name, sentence, kind="ORG"):
        return {"name": name, "sent_id": sentence, "type": kind}

    labels = [
        {"h": 0, "t": 1, "evidence": [0]},
        {"h": 0, "t": 2, "evidence": [0]},
        {"h": 1, "t": 0, "evidence": [0, 1]},
        {"h": 1, "t": 0, "evidence": [1]},
    ]
    sentences = [["Acme", "sits", "in", "Porto", "(", "1990", ")", "."], ["It", "does", "."]]
    things = [[mention("Acme", 0), mention("it", 1)], [mention("Porto", 0, "LOC")]]
    things.append([mention("1990", 0, "TIME")])
    return [{"sents": sentences, "vertexSet": things, "labels": labels}]


def test_values_and_what_the_sentence_does_not_hold_are_left_out(tmp_path):
    write(tmp_path / "part" / "ground_truth" / "x.jsonl.gz", text2kg_rows())
    (one,) = text2kg(tmp_path)
    assert one.things == (frozenset({"acme"}), frozenset({"porto"}))
    assert one.pairs == {(0, 1)}


def test_relations_of_other_sentences_are_left_out(tmp_path):
    write(tmp_path / "dev.jsonl.gz", redocred_rows())
    (one,) = redocred(tmp_path / "dev.jsonl.gz")
    assert one.text == "Acme sits in Porto (1990)."
    assert one.pairs == {(0, 1)}
    assert written(["The", '"', "Big", "One", '"', "is", "Ann", "'s", "."]) == (
        'The "Big One" is Ann\'s.'
    )


def test_the_sample_does_not_depend_on_the_order():
    made = [Sentence(str(number), "", (), frozenset()) for number in range(50)]
    assert sample(made, 7) == sample(made[::-1], 7)
    assert len(sample(made, 7)) == 7


@pytest.mark.slow
def test_it_runs_from_the_command_line(tmp_path, capsys):
    write(tmp_path / "text2kgbench" / "part" / "ground_truth" / "x.jsonl.gz", text2kg_rows())
    write(tmp_path / "re-docred" / "dev_revised.jsonl.gz", redocred_rows())
    assert main(["--data", str(tmp_path), "--json", str(tmp_path / "out.json")]) == 0
    assert "| text2kgbench | rules |" in capsys.readouterr().out
    outcome = json.loads((tmp_path / "out.json").read_text())
    assert outcome["sets"]["re-docred"]["scores"]["rules"]["things"]["recall"]["value"] == 1.0
