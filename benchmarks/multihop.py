"""Multi-hop retrieval: how well and how fast each mode finds every passage an answer needs.

    python -m benchmarks.multihop --data DIR --modes vector_only,keyword,kg_only,hybrid

DIR holds `corpus.jsonl.gz` and `questions.jsonl.gz` (see `clew.evaluate.datasets`). Every mode
runs on a freshly opened store with the defaults; latency is the wall time of one search.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report import table
from benchmarks.run import Options, run
from clew import Clew
from clew.core.errors import ClewError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    options = parse(arguments)
    try:
        outcome = run(options, open_store=Clew.open)
    except ClewError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(table(outcome))
    if options.json:
        options.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


def parse(arguments: Sequence[str] | None) -> Options:
    """Return the options of a command line; argparse exits with 2 where it is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.multihop", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data set")
    parser.add_argument("--modes", default="vector_only,keyword,kg_only,hybrid")
    parser.add_argument("--no-titles", action="store_true", help="index passages without titles")
    parser.add_argument("--limit", type=int, help="ask the first N questions only")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--store", type=Path, help="keep the index here, or use it again")
    parser.add_argument("--rankings", type=Path, help="write each question's passages (.jsonl)")
    parser.add_argument("--fetch", type=int, default=30, help="chunks to ask for (30)")
    given = parser.parse_args(arguments)
    return Options(
        data=given.data,
        modes=tuple(mode.strip() for mode in given.modes.split(",") if mode.strip()),
        titles=not given.no_titles,
        limit=given.limit,
        json=given.json,
        store=given.store,
        rankings=given.rankings,
        fetch=given.fetch,
    )


if __name__ == "__main__":
    sys.exit(main())
