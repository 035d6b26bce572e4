"""How latency, index rate, memory and disk grow with the number of passages.

    python -m benchmarks.scale --data DIR [--data DIR ...] [--store STORE ...] [--cache DIR]
        [--sizes 1000,10000,100000] [--json FILE]

Data sets (see `clew.evaluate.datasets`) are embedded and extracted once, or read from the stores
given in their order. They are then written again and again, with entities renamed and vectors
perturbed, until there are so many passages; questions are changed alike, so that they hit. What was
made is kept in the cache folder and used again. Settings are the defaults, without the cache of
answers. Beside the latencies stand two floors of the same run: an exact search of FAISS over the
passages' vectors alone, and the embedding of one question.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.machine import machine_facts
from benchmarks.scale import building, measuring
from benchmarks.scale.source import Source, index, read_source
from clew.core.arrays import Matrix
from clew.core.errors import ClewError
from clew.models.bundled import bundled_embedder
from clew.settings.load import load_settings

_FIGURES = (
    "hybrid_p50_ms",
    "hybrid_p95_ms",
    "vector_only_p50_ms",
    "faiss_flat_p50_ms",
    "open_ms",
    "add_one_ms",
    "index_passages_per_s",
    "peak_mb",
    "disk_mb",
    "hybrid_recall_at_5",
)
_ASKED = 220


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", required=True)
    parser.add_argument("--store", type=Path, action="append", help="an index of the data set")
    parser.add_argument("--cache", type=Path, default=Path("scale-cache"))
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args(arguments)
    if given.store and len(given.store) != len(given.data):
        parser.error("--store is given once for each --data, or not at all")
    try:
        outcome = run(
            given.data,
            given.store,
            cache=given.cache,
            sizes=[int(size) for size in given.sizes.split(",")],
        )
    except ClewError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(table(outcome))
    if given.json:
        given.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


def run(
    data: Sequence[Path],
    stores: Sequence[Path] | None,
    *,
    cache: Path,
    sizes: Sequence[int],
) -> dict[str, Any]:
    """Return the figures of every size; what the cache folder holds is not made again."""
    cache.mkdir(parents=True, exist_ok=True)
    if stores is None:
        stores = [cache / f"{folder.resolve().name}.clew" for folder in data]
        for folder, store in zip(data, stores, strict=True):
            index(folder, store)
    sources = _sources(data, stores, cache)
    model, vectors, embed_ms = _questions(sources, cache)
    rows = []
    for size in sizes:
        store = cache / f"scale-{size}-{_name(sources)}.clew"
        kept = store.with_suffix(".json")
        if not kept.is_file():
            building.build(sources, passages=size, store=store)
        figures = json.loads(kept.read_text(encoding="utf-8"))
        asked = building.questions(sources, vectors, passages=size)
        random = np.random.default_rng(5)
        chosen = random.permutation(len(asked))[:_ASKED].tolist()
        rows.append(figures | _measured(store, model, [asked[place] for place in chosen]))
    return {
        "sizes": rows,
        "query_embedding_p50_ms": embed_ms,
        "data": [source.name for source in sources],
        "machine": machine_facts(),
        "settings": load_settings().redacted(),
    }


def table(outcome: dict[str, Any]) -> str:
    """Return the figures as a Markdown table, one size a row."""
    lines = [
        f"query embedding p50: {outcome['query_embedding_p50_ms']:.1f} ms",
        "",
        "| passages | " + " | ".join(_FIGURES) + " |",
        "|---" * (1 + len(_FIGURES)) + "|",
    ]
    for row in outcome["sizes"]:
        cells = [f"{row[name]:.2f}" for name in _FIGURES]
        lines.append(f"| {row['passages']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _name(sources: Sequence[Source]) -> str:
    """Return a name that changes with the corpora."""
    parts = [f"{source.name}:{len(source.passages)}" for source in sources]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


def _sources(data: Sequence[Path], stores: Sequence[Path], cache: Path) -> list[Source]:
    found: list[Source] = []
    for folder, store in zip(data, stores, strict=True):
        kept = cache / f"{folder.resolve().name}.rows"
        if not kept.is_file():
            kept.write_bytes(pickle.dumps(read_source(folder, store)))
        found.append(pickle.loads(kept.read_bytes()))  # noqa: S301 - written here
    return found


def _questions(
    sources: Sequence[Source], cache: Path
) -> tuple[measuring.Model, list[Matrix], float]:
    """Return the embedder's facts, the vectors of all questions, and the time that one takes."""
    embedding = load_settings().embedding
    embedder = bundled_embedder(
        embedding.cache_folder, variant=embedding.variant, threads=embedding.threads
    )
    vectors: list[Matrix] = []
    for source in sources:
        kept = cache / f"{source.name}.questions.npy"
        if not kept.is_file():
            np.save(kept, embedder.embed_questions([asked.text for asked in source.questions]))
        vectors.append(np.load(kept))
    spent: list[float] = []
    for asked in sources[0].questions[:40]:
        start = perf_counter()
        embedder.embed_questions([asked.text])
        spent.append((perf_counter() - start) * 1000)
    model = measuring.Model(embedder.fingerprint, embedder.dimensions, embedder.calibration)
    return model, vectors, float(np.median(spent))


def _measured(
    store: Path, model: measuring.Model, asked: Sequence[building.Query]
) -> dict[str, Any]:
    """Return the figures of a store, measured by a process that did nothing before."""
    with tempfile.TemporaryDirectory(prefix="clew-scale-") as scratch:
        task, answer = Path(scratch) / "task", Path(scratch) / "answer.json"
        task.write_bytes(pickle.dumps((store, model, asked)))
        script = (
            "import json, sys; from pathlib import Path; from benchmarks.scale.measuring import run;"
            "Path(sys.argv[2]).write_text(json.dumps(run(Path(sys.argv[1]))))"
        )
        subprocess.run([sys.executable, "-c", script, str(task), str(answer)], check=True)  # noqa: S603
        measured: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        return measured


if __name__ == "__main__":
    sys.exit(main())
