"""The command line that the benchmarks of retrieval share."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.run import Options


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the options of every run."""
    parser.add_argument("--data", type=Path, required=True, help="folder of the data set")
    parser.add_argument("--modes", default="vector_only,keyword,kg_only,hybrid")
    parser.add_argument("--limit", type=int, help="ask the first N questions only")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--store", type=Path, help="keep the index here, or use it again")
    parser.add_argument("--rankings", type=Path, help="write each question's passages (.jsonl)")
    parser.add_argument("--fetch", type=int, default=30, help="chunks to ask for (30)")


def common_options(given: argparse.Namespace, *, titles: bool = True) -> Options:
    """Return what was given."""
    return Options(
        data=given.data,
        modes=tuple(mode.strip() for mode in given.modes.split(",") if mode.strip()),
        titles=titles,
        limit=given.limit,
        json=given.json,
        store=given.store,
        rankings=given.rankings,
        fetch=given.fetch,
    )
