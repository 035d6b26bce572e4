"""Speed and size of the bundled embedders.

    python -m benchmarks.embedding [--models e5-original,e5-enpt,minilm] [--json FILE]

Passages have 230 tokens, names 5, the question 12; each figure is the median of some runs. Load time
is that of the first embedder in a fresh process, without the import of its libraries (given apart).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.machine import disk_megabytes, machine_facts
from clew.models.e5 import E5Embedder
from clew.models.minilm import MiniLMEmbedder

BundledModel = E5Embedder | MiniLMEmbedder
MAKERS: dict[str, Callable[[], BundledModel]] = {
    "e5-original": lambda: E5Embedder("original"),
    "e5-enpt": lambda: E5Embedder("enpt"),
    "minilm": MiniLMEmbedder,
}
_CALLS = {
    "e5-original": ("clew.models.e5", "E5Embedder('original')"),
    "e5-enpt": ("clew.models.e5", "E5Embedder('enpt')"),
    "minilm": ("clew.models.minilm", "MiniLMEmbedder()"),
}
_WORDS = "the river town held its market near an old stone bridge where people met".split()
_PASSAGE_TOKENS, _NAME_TOKENS, _QUESTION_TOKENS = 230, 5, 12
_LOAD = """
import json, resource, time
start = time.perf_counter()
from {module} import {name}
imported = time.perf_counter()
embedder = {call}
loaded = time.perf_counter()
embedder.embed_questions(["warm"])
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([imported - start, loaded - imported, memory]))
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("--models", default=",".join(MAKERS))
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args(arguments)
    outcome = {
        "machine": machine_facts(),
        "models": {name: measure(name) for name in given.models.split(",")},
    }
    sys.stdout.write(report(outcome))
    if given.json:
        given.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


def measure(name: str) -> dict[str, float]:
    """Return the figures of one model; it is converted first if it has not been."""
    embedder = MAKERS[name]()
    passages = _texts(embedder, _PASSAGE_TOKENS, 16)
    names = _texts(embedder, _NAME_TOKENS, 256)
    question = _texts(embedder, _QUESTION_TOKENS, 1)
    imported, loaded, memory = _load(name)
    return {
        "passages_per_second": len(passages) / _seconds(lambda: embedder.embed_passages(passages)),
        "names_per_second": len(names) / _seconds(lambda: embedder.embed_questions(names)),
        "question_ms_p50": 1000
        * _seconds(lambda: embedder.embed_questions(question), repetitions=50),
        "import_seconds": imported,
        "load_seconds": loaded,
        "memory_mb": memory,
        "file_mb": disk_megabytes(embedder.folder),
    }


def report(outcome: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    machine = outcome["machine"]
    lines = [
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}",
        "",
        "| model | passages/s | names/s | question ms | import s | load s | memory MB | file MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, row in outcome["models"].items():
        lines.append(
            f"| {name} | {row['passages_per_second']:.1f} | {row['names_per_second']:.0f} "
            f"| {row['question_ms_p50']:.1f} | {row['import_seconds']:.2f} "
            f"| {row['load_seconds']:.2f} | {row['memory_mb']:.0f} | {row['file_mb']:.0f} |"
        )
    return "\n".join(lines) + "\n"


def _texts(embedder: BundledModel, tokens: int, count: int) -> list[str]:
    """Return `count` different texts of about that many tokens."""
    words = list(islice(cycle(_WORDS), tokens))
    length = tokens
    while length > 1 and len(embedder.embed_question_tokens(" ".join(words[:length]))) > tokens:
        length -= 1
    return [" ".join(islice(cycle(_WORDS), at, at + length)) for at in range(count)]


def _seconds(call: Callable[[], object], repetitions: int = 5) -> float:
    call()
    times = []
    for _ in range(repetitions):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return median(times)


def _load(name: str) -> tuple[float, float, float]:
    module, call = _CALLS[name]
    program = _LOAD.format(module=module, name=call.partition("(")[0], call=call)
    runs = []
    for _ in range(3):
        done = subprocess.run(  # noqa: S603 - the program is ours
            [sys.executable, "-c", program], check=True, capture_output=True, text=True
        )
        runs.append(json.loads(done.stdout))
    imported, loaded, memory = (median(values) for values in zip(*runs, strict=True))
    return imported, loaded, memory / 1000


if __name__ == "__main__":
    sys.exit(main())
