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

from benchmarks.options import add_common, common_options
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
    add_common(parser)
    parser.add_argument("--no-titles", action="store_true", help="index passages without titles")
    given = parser.parse_args(arguments)
    return common_options(given, titles=not given.no_titles)


if __name__ == "__main__":
    sys.exit(main())
