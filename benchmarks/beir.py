"""Fact retrieval on SciFact: nDCG@10 of each mode, as BEIR measures it.

    python -m benchmarks.beir --data DIR --modes vector_only,keyword,kg_only,hybrid

DIR holds `corpus.jsonl.gz` (id, title, sentences) and `claims.jsonl.gz` (id, split, claim,
cited_doc_ids): AllenAI's SciFact. The questions are the claims of the development split, the gold
passages those that they cite, which is BEIR's test set (Thakur et al., BEIR: A Heterogeneous
Benchmark for Zero-shot Evaluation of Information Retrieval Models, 2021). A passage ranks where
the first of its chunks does.
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
from clew.evaluate.scifact import load_scifact

COLUMNS = (("ndcg@10", "nDCG@10"), ("recall@5", "recall@5"), ("recall@10", "recall@10"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    options = parse(arguments)
    try:
        outcome = run(options, open_store=Clew.open, load=load_scifact)
    except ClewError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(table(outcome, columns=COLUMNS, interval="ndcg@10"))
    if options.json:
        options.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


def parse(arguments: Sequence[str] | None) -> Options:
    """Return the options of a command line; argparse exits with 2 where it is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beir", description=__doc__)
    add_common(parser)
    return common_options(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
