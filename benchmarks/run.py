"""One benchmark run: index a data set, ask every question in every mode, gather the figures."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.knowledge_base import KnowledgeBase, passages_by_document, rank, records
from benchmarks.machine import disk_megabytes, machine_facts, peak_memory
from benchmarks.progress import show_progress
from benchmarks.scoring import Ranking, figures
from clew import __version__
from clew.core.query import retrieval_mode
from clew.evaluate.datasets import Dataset, Passage, load_dataset
from clew.settings.load import load_settings

OpenStore = Callable[[Path], KnowledgeBase]
LoadData = Callable[[Path], Dataset]


@dataclass(frozen=True, slots=True)
class Options:
    """What to run. `fetch` chunks are asked for, so that ten distinct passages remain."""

    data: Path
    modes: tuple[str, ...]
    titles: bool = True
    limit: int | None = None
    json: Path | None = None
    store: Path | None = None
    rankings: Path | None = None
    fetch: int = 30


def run(
    options: Options, *, open_store: OpenStore, load: LoadData = load_dataset
) -> dict[str, Any]:
    """Index the data set, run every mode over its questions and return all figures."""
    modes = [str(retrieval_mode(mode)) for mode in options.modes]
    dataset = load(options.data)
    questions = dataset.questions[: options.limit]
    with tempfile.TemporaryDirectory(prefix="clew-benchmark-") as scratch:
        store = options.store or Path(scratch) / "benchmark.clew"
        index, passages = _index(dataset, store, titles=options.titles, open_store=open_store)
        by_mode: dict[str, list[Ranking]] = {}
        for mode in modes:
            with closing(open_store(store)) as base:
                by_mode[mode] = list(
                    rank(base, questions, passages=passages, mode=mode, fetch=options.fetch)
                )
        memory = peak_memory()
    if options.rankings:
        _write_rankings(options.rankings, by_mode)
    return {
        "dataset": dataset.name,
        "titles": options.titles,
        "questions": len(questions),
        "passages": len(dataset.passages),
        "modes": {mode: figures(rankings) for mode, rankings in by_mode.items()},
        "index": index,
        "peak_memory_mb": memory,
        "machine": machine_facts(),
        "settings": load_settings().redacted(),
        "version": __version__,
    }


def _index(
    dataset: Dataset, store: Path, *, titles: bool, open_store: OpenStore
) -> tuple[dict[str, Any], dict[int, Passage]]:
    """Index what is not yet in the store; return the figures and which document is what."""
    start = perf_counter()
    with closing(open_store(store)) as base:
        report = base.add(records(dataset, titles=titles), progress=show_progress())
    seconds = perf_counter() - start
    passages = passages_by_document(report, dataset)
    kept = store.with_name(f"{store.name}.index.json")
    reused = report.chunks == 0
    if reused and kept.is_file():
        return {**json.loads(kept.read_text(encoding="utf-8")), "reused": True}, passages
    index = {
        "seconds": round(seconds, 2),
        "seconds_by_stage": {name: round(value, 2) for name, value in report.seconds.items()},
        "passages_per_second": round(len(dataset.passages) / seconds, 2),
        "chunks": report.chunks,
        "nodes": report.nodes,
        "edges": report.edges,
        "claims": report.claims,
        "disk_mb": disk_megabytes(store),
        "peak_memory_mb": peak_memory(),
        "reused": reused,
    }
    kept.write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")
    return index, passages


def _write_rankings(file: Path, by_mode: dict[str, list[Ranking]]) -> None:
    with file.open("w", encoding="utf-8") as lines:
        for mode, rankings in by_mode.items():
            for ranking in rankings:
                row = {
                    "mode": mode,
                    "id": ranking.question.id,
                    "retrieved": ranking.passages[:10],
                    "missing": sorted(ranking.question.gold - set(ranking.passages[:5])),
                }
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
