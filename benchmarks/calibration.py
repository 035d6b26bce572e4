"""Measures the background cosines of the bundled embedders, and what calibrated values mean.

    python -m benchmarks.calibration --data DIR [--models e5-original,e5-enpt,minilm] [--json FILE]

DIR holds the public data sets. Only training sets are read: hotpotqa-train100 and
musique-train100-openie for the backgrounds, nicknames and the validation part of entity-matching to
show what the thresholds do. The means go into the model files of `clew.models` as CALIBRATION.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clew.core.arrays import Floats, Ids, Matrix
from clew.core.calibration import Calibration, PairKind
from clew.core.ports import Embedder
from clew.knowledge.node_vectors import search_vectors
from clew.models.e5 import E5Embedder
from clew.models.minilm import MiniLMEmbedder
from clew.text.names import name_key

MODELS: dict[str, Callable[[], Embedder]] = {
    "e5-original": lambda: E5Embedder("original"),
    "e5-enpt": lambda: E5Embedder("enpt"),
    "minilm": MiniLMEmbedder,
}
EXPANSION, MATCHING = 0.25, 0.90
_SEED = 1
_PASSAGES, _NAMES, _RECORDS = 300, 1_500, 150
_MATCHING_SETS = {"fodors-zagats": "name", "dblp-acm": "title", "beer": "Beer_Name"}


@dataclass(frozen=True, slots=True)
class Sample:
    """Questions, passages and nodes, with (question, row) pairs that belong together."""

    questions: list[str]
    passages: list[str]
    titles: list[str]
    names: list[str]
    gold_passages: Ids
    gold_nodes: Ids


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args(arguments)
    sample = read_sample(given.data)
    outcome = {}
    for name in given.models.split(","):
        outcome[name] = measure(MODELS[name](), sample, given.data)
        sys.stdout.write(report(name, outcome[name]))
    if given.json:
        given.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


def measure(embedder: Embedder, sample: Sample, data: Path) -> dict[str, Any]:
    """Return the backgrounds of a model, and calibrated values of pairs by what they are."""
    questions = embedder.embed_questions(sample.questions)
    passages = questions @ embedder.embed_passages(sample.passages).T
    titles = embedder.embed_questions(sample.titles)
    nodes = questions @ search_vectors(titles, embedder.embed_passages(sample.passages)).T
    names = embedder.embed_questions(sample.names)
    name_cosines = names @ names.T
    other = ~np.eye(len(names), dtype=bool)
    far_passages = _without(passages, sample.gold_passages)
    far_nodes = _without(nodes, sample.gold_nodes)
    found = Calibration(
        question_passage=float(far_passages.mean()),
        question_node=float(far_nodes.mean()),
        name_name=float(name_cosines[other].mean()),
    )
    groups: dict[str, tuple[PairKind, Floats]] = {
        "gold passage": (PairKind.QUESTION_PASSAGE, passages[tuple(sample.gold_passages.T)]),
        "other passage": (PairKind.QUESTION_PASSAGE, far_passages),
        "node of gold passage": (PairKind.QUESTION_NODE, nodes[tuple(sample.gold_nodes.T)]),
        "other node": (PairKind.QUESTION_NODE, far_nodes),
        "other name": (PairKind.NAME_NAME, name_cosines[other]),
        "nearest other name": (
            PairKind.NAME_NAME,
            np.where(other, name_cosines, -1).max(axis=1).astype(np.float32),
        ),
    }
    for label, left, right in name_pairs(data, sample.names):
        cosines = _row_cosines(embedder.embed_questions(left), embedder.embed_questions(right))
        groups[label] = (PairKind.NAME_NAME, cosines)
    return {
        "fingerprint": embedder.fingerprint,
        "background": {kind.value: found.background(kind) for kind in PairKind},
        "pairs": {
            label: _distribution(found.apply(cosines, kind))
            for label, (kind, cosines) in groups.items()
        },
    }


def report(name: str, outcome: dict[str, Any]) -> str:
    """Return the figures of one model as text."""
    background = ", ".join(f"{kind} {value:.3f}" for kind, value in outcome["background"].items())
    lines = [
        f"\n{name}: background cosine {background}",
        f"| pair, calibrated | n | 5% | median | 95% | at least {EXPANSION} | {MATCHING} |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for label, row in outcome["pairs"].items():
        lines.append(
            f"| {label} | {row['count']} | {row['low']:.2f} | {row['median']:.2f} "
            f"| {row['high']:.2f} | {row['expansion']:.1%} | {row['matching']:.2%} |"
        )
    return "\n".join(lines) + "\n"


def read_sample(data: Path) -> Sample:
    """Return all questions of the two training sets with gold and random passages and nodes."""
    random = np.random.default_rng(_SEED)
    texts: list[tuple[str, str]] = []
    entities: list[list[str]] = []
    questions: list[str] = []
    gold: list[tuple[int, int]] = []
    for folder in ("hotpotqa-train100", "musique-train100-openie"):
        start = len(texts)
        corpus = list(_rows(data / folder / "corpus.jsonl.gz"))
        texts += [(row["title"], row["text"]) for row in corpus]
        place = {row["title"]: start + at for at, row in enumerate(corpus)}
        for row in _rows(data / folder / "questions.jsonl.gz"):
            rows = (
                [place[title] for title in row["gold_titles"] if title in place]
                if "gold_titles" in row
                else [start + at for at in row["gold_ids"]]
            )
            gold += [(len(questions), at) for at in rows]
            questions.append(row["question"])
        found = data / folder / "openie_gpt-3.5-turbo-1106.jsonl.gz"
        entities += (
            [row["entities"] for row in _rows(found)] if found.exists() else [[]] * len(corpus)
        )
    golden = sorted({at for _, at in gold})
    others = np.setdiff1d(np.arange(len(texts)), golden)
    chosen = golden + sorted(random.choice(others, _PASSAGES, replace=False).tolist())
    row_of = {at: row for row, at in enumerate(chosen)}
    keys: dict[str, str] = {}
    for at in range(len(texts)):
        for name in [texts[at][0], *entities[at]]:
            keys.setdefault(name_key(name), name)
    names = [name for key, name in sorted(keys.items()) if key]
    pairs = np.array([(question, row_of[at]) for question, at in gold], np.int64)
    return Sample(
        questions=questions,
        passages=[f"{texts[at][0]}\n{texts[at][1]}" for at in chosen],
        titles=[texts[at][0] for at in chosen],
        names=[names[at] for at in sorted(random.choice(len(names), _NAMES, replace=False))],
        gold_passages=pairs,
        gold_nodes=pairs,
    )


def name_pairs(data: Path, names: Sequence[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield (label, names, names) of pairs that do or do not name the same thing."""
    some = list(names[:: max(1, len(names) // _RECORDS)])
    yield "possessive", some, [f"{name}'s" for name in some]
    yield "article", some, [f"the {name}" for name in some]
    yield "capitals", some, [name.upper() for name in some]
    yield "comma and words turned", *_turned(names)
    with (data / "nicknames" / "names.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["relationship"] == "has_nickname"]
    nicknames = rows[:: max(1, len(rows) // _RECORDS)]
    yield (
        "given name, nickname",
        [row["name1"].title() for row in nicknames],
        [row["name2"].title() for row in nicknames],
    )
    for folder, field in _MATCHING_SETS.items():
        records = list(_rows(data / "entity-matching" / f"{folder}_valid.jsonl.gz"))
        for label, wording in ((1, "same"), (0, "different")):
            chosen = [row for row in records if row["label"] == label][:_RECORDS]
            yield (
                f"{folder} {wording}",
                [row["left"][field] for row in chosen],
                [row["right"][field] for row in chosen],
            )


def _turned(names: Sequence[str]) -> tuple[list[str], list[str]]:
    people = [name for name in names if len(name.split()) == 2][:_RECORDS]
    return people, [", ".join(reversed(name.split())) for name in people]


def _without(cosines: Matrix, pairs: Ids) -> Floats:
    keep = np.ones(cosines.shape, bool)
    keep[tuple(pairs.T)] = False
    return cosines[keep]


def _row_cosines(left: Matrix, right: Matrix) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", left, right), dtype=np.float32)


def _distribution(values: Floats) -> dict[str, float]:
    low, median, high = np.quantile(values, [0.05, 0.5, 0.95])
    return {
        "count": len(values),
        "low": float(low),
        "median": float(median),
        "high": float(high),
        "expansion": float((values >= EXPANSION).mean()),
        "matching": float((values >= MATCHING).mean()),
    }


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


if __name__ == "__main__":
    sys.exit(main())
