"""Measures when two names are taken for one thing: plain cosine, calibrated cosine, the resolver.

    python -m benchmarks.entities --data DIR [--model e5-original] [--json FILE]

DIR holds `entity-matching` (labelled pairs of records of the Magellan project; their names or titles
are compared) and `nicknames` (given names and their nicknames; as many pairs of unrelated given
names are drawn against them). A pair belongs to the half `choice` or `report` by the hash of its
names: whatever is chosen (a threshold, a rule) is chosen on the one, and what is reported is
measured on the other. The resolver is the shipped one: each pair stands in two documents of an empty
collection, and counts as one thing if both names get one node.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration import MODELS
from clew.core.arrays import Booleans, Floats
from clew.core.calibration import PairKind
from clew.core.documents import Chunk, Document, Span
from clew.core.extraction import Extraction, FoundName
from clew.core.ids import chunk_id, document_id, stable_id
from clew.core.knowledge import NodeType
from clew.core.ports import Embedder
from clew.engine.indexing.name_memory import NameMemory
from clew.knowledge.resolution import Resolver
from clew.stores.memory import MemoryStore

THRESHOLD = 0.90
CURVE = (0.25, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.99)
FIELDS = {
    "abt-buy": "name",
    "amazon-google": "title",
    "beer": "Beer_Name",
    "dblp-acm": "title",
    "dblp-acm-dirty": "title",
    "dblp-scholar": "title",
    "fodors-zagats": "name",
    "itunes-amazon": "Song_Name",
    "walmart-amazon": "title",
}
NICKNAMES = "nicknames"
ALL_RECORDS = "all record pairs"
HALVES = ("choice", "report")
_RESAMPLES = 2000
_SEED = 1
_BATCH = 512


@dataclass(frozen=True, slots=True)
class Pair:
    """Two names and whether they name one thing, as the data set has it."""

    left: str
    right: str
    same: bool

    @property
    def half(self) -> str:
        """Return the half that the pair belongs to."""
        return HALVES[stable_id("pair", self.left, self.right) % 2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entities", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--model", choices=list(MODELS), default="e5-original")
    parser.add_argument("--half", choices=HALVES, default="report")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args(arguments)
    outcome = measure(NameMemory(MODELS[given.model]()), read_pairs(given.data), half=given.half)
    sys.stdout.write(report(outcome))
    if given.json:
        given.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


def measure(embedder: Embedder, sets: Mapping[str, Sequence[Pair]], *, half: str) -> dict[str, Any]:
    """Return precision, recall and F1 of each method on each set, and the curve over thresholds."""
    tables = {}
    pooled: list[tuple[Booleans, dict[str, Booleans]]] = []
    curves: dict[str, list[tuple[Floats, Booleans]]] = {each: [] for each in HALVES}
    for name, pairs in sets.items():
        cosines = pair_cosines(embedder, pairs)
        calibrated = embedder.calibration.apply(cosines, PairKind.NAME_NAME)
        truth = np.array([pair.same for pair in pairs])
        halves = np.array([pair.half for pair in pairs])
        if name != NICKNAMES:
            for each in HALVES:
                curves[each].append((calibrated[halves == each], truth[halves == each]))
        chosen = halves == half
        resolved = resolve_pairs(
            embedder,
            [pair for pair in pairs if pair.half == half],
            label="PERSON" if name == NICKNAMES else None,
        )
        methods = {
            "plain": cosines[chosen] >= THRESHOLD,
            "calibrated": calibrated[chosen] >= THRESHOLD,
            "resolver": resolved,
        }
        tables[name] = _table(truth[chosen], methods)
        if name != NICKNAMES:
            pooled.append((truth[chosen], methods))
    tables[ALL_RECORDS] = _table(
        np.concatenate([truth for truth, _ in pooled]),
        {
            method: np.concatenate([methods[method] for _, methods in pooled])
            for method in pooled[0][1]
        },
    )
    return {
        "half": half,
        "model": embedder.fingerprint,
        "sets": tables,
        "curve": {each: curve(parts) for each, parts in curves.items()},
    }


def _table(truth: Booleans, methods: Mapping[str, Booleans]) -> dict[str, Any]:
    return {
        "pairs": len(truth),
        "same": int(truth.sum()),
        "methods": {name: scores(predicted, truth) for name, predicted in methods.items()},
    }


def scores(predicted: Booleans, truth: Booleans) -> dict[str, Any]:
    """Return precision, recall and F1, each with its 95% percentile bootstrap interval over pairs.

    Precision is 1 where nothing is predicted. To draw pairs with replacement is to draw how many of
    each of the four outcomes there are.
    """
    counts = np.array(
        [
            (predicted & truth).sum(),
            (predicted & ~truth).sum(),
            (~predicted & truth).sum(),
            (~predicted & ~truth).sum(),
        ],
        np.int64,
    )
    total = int(counts.sum())
    random = np.random.default_rng(_SEED)
    drawn = random.multinomial(total, counts / total, size=_RESAMPLES)
    point = _ratios(counts[None, :])
    low, high = np.quantile(_ratios(drawn), (0.025, 0.975), axis=1)
    found: dict[str, Any] = {
        name: {"value": float(point[row, 0]), "low": float(low[row]), "high": float(high[row])}
        for row, name in enumerate(("precision", "recall", "f1"))
    }
    return found | {"merged": int(counts[0] + counts[1]), "wrong": int(counts[1])}


def _ratios(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return precision, recall and F1, shape (3, n), of rows (tp, fp, fn, tn)."""
    right, wrong, missed = counts[:, 0], counts[:, 1], counts[:, 2]
    precision = np.where(right + wrong > 0, right / np.maximum(right + wrong, 1), 1.0)
    recall = np.where(right + missed > 0, right / np.maximum(right + missed, 1), 1.0)
    f1 = 2 * right / np.maximum(2 * right + wrong + missed, 1)
    return np.stack([precision, recall, f1])


def curve(parts: Sequence[tuple[Floats, Booleans]]) -> list[dict[str, float]]:
    """Return precision and recall of the calibrated cosine over all record pairs, by threshold."""
    values = np.concatenate([part[0] for part in parts])
    truth = np.concatenate([part[1] for part in parts])
    rows = []
    for threshold in CURVE:
        found = scores(values >= threshold, truth)
        rows.append(
            {"threshold": threshold}
            | {name: found[name]["value"] for name in ("precision", "recall", "f1")}
        )
    return rows


def pair_cosines(embedder: Embedder, pairs: Sequence[Pair]) -> Floats:
    """Return the cosine of both names of each pair."""
    found = [
        np.einsum(
            "ij,ij->i",
            embedder.embed_questions([pair.left for pair in batch]),
            embedder.embed_questions([pair.right for pair in batch]),
        )
        for batch in _batches(pairs)
    ]
    return np.concatenate(found).astype(np.float32)


def resolve_pairs(embedder: Embedder, pairs: Sequence[Pair], *, label: str | None) -> Booleans:
    """Return for each pair whether the resolver gives both names one node."""
    return np.array([_resolved(embedder, pair, label) for pair in pairs], np.bool_)


def _resolved(embedder: Embedder, pair: Pair, label: str | None) -> bool:
    resolver = Resolver(MemoryStore(), embedder, threshold=THRESHOLD)
    nodes = []
    for source, name in (("left", pair.left), ("right", pair.right)):
        document = Document(document_id(source, name), source, name, "", name)
        span = Span(0, len(name))
        chunk = Chunk(chunk_id(source, name), document.id, 0, name, span)
        found = Extraction((FoundName(name, span, NodeType.ENTITY, label),))
        resolved = resolver.resolve("kb", document=document, chunks=[chunk], extractions=[found])
        nodes.append({mention.node for mention in resolved.batch.mentions})
    return bool(nodes[0] & nodes[1])


def read_pairs(data: Path) -> dict[str, list[Pair]]:
    """Return the pairs of every set."""
    sets = {name: list(_records(data, name, field)) for name, field in FIELDS.items()}
    return sets | {NICKNAMES: list(_nicknames(data))}


def _records(data: Path, name: str, field: str) -> Iterator[Pair]:
    path = data / "entity-matching" / f"{name}_valid.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            left, right = row["left"][field].strip(), row["right"][field].strip()
            if left and right:
                yield Pair(left, right, bool(row["label"]))


def _nicknames(data: Path) -> Iterator[Pair]:
    """Yield the nicknames, and as many pairs of given names that nothing joins."""
    with (data / NICKNAMES / "names.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["relationship"] == "has_nickname"]
    joined = {(row["name1"], row["name2"]) for row in rows}
    for first, second in sorted(joined):
        yield Pair(first.title(), second.title(), same=True)
    names = sorted({name for pair in joined for name in pair})
    random = np.random.default_rng(_SEED)
    drawn: set[tuple[str, str]] = set()
    while len(drawn) < len(joined):
        first, second = (names[at] for at in random.choice(len(names), 2, replace=False))
        if not {(first, second), (second, first)} & (joined | drawn):
            drawn.add((first, second))
    for first, second in sorted(drawn):
        yield Pair(first.title(), second.title(), same=False)


def report(outcome: Mapping[str, Any]) -> str:
    """Return the figures as Markdown tables."""
    lines = [
        f"half: {outcome['half']}, model: {outcome['model']}",
        "",
        "| set | pairs | same | method | precision | recall | F1 | wrong |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, row in outcome["sets"].items():
        for method, found in row["methods"].items():
            values = " | ".join(_interval(found[each]) for each in ("precision", "recall", "f1"))
            lines.append(
                f"| {name} | {row['pairs']} | {row['same']} | {method} | {values} "
                f"| {found['wrong']} |"
            )
    for half, rows in outcome["curve"].items():
        lines += [
            "",
            f"calibrated cosine over all record pairs, half: {half}",
            "",
            "| threshold | precision | recall | F1 |",
            "|---|---|---|---|",
        ]
        for row in rows:
            values = " | ".join(f"{100 * row[each]:.1f}" for each in ("precision", "recall", "f1"))
            lines.append(f"| {row['threshold']} | {values} |")
    return "\n".join(lines) + "\n"


def _interval(found: Mapping[str, float]) -> str:
    value, low, high = (100 * found[each] for each in ("value", "low", "high"))
    return f"{value:.1f} ({low:.1f} to {high:.1f})"


def _batches(pairs: Sequence[Pair]) -> Iterable[Sequence[Pair]]:
    return (pairs[start : start + _BATCH] for start in range(0, len(pairs), _BATCH))


if __name__ == "__main__":
    sys.exit(main())
