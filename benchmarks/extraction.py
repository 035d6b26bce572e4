"""Measures what extractors find in single sentences: the rules, a language model, both.

    python -m benchmarks.extraction --data DIR [--llm FILE_OR_URL --answers DIR] [--json FILE]

DIR holds `text2kgbench` and `re-docred`; a fixed sample of 100 sentences of each is taken. Counted
are things (a name, by any of its names in the sentence) and related pairs of them, in either
direction: the data sets name relations by their own vocabularies, so relations are not compared.
Two names are one where their normal forms are equal or one holds the other as whole words. The sets
list relations of their vocabularies alone, and a sentence states more: precision is a lower bound.
Answers of the model are kept in `--answers`, where an interrupted run goes on. Nothing is written
before the last sentence is read.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.extraction_sets import Sentence, redocred, sample, text2kg
from benchmarks.machine import machine_facts
from clew.core.errors import ClewError
from clew.core.extraction import Extraction
from clew.core.ports import Extractor
from clew.core.usage import Prices
from clew.engine.components import Components
from clew.engine.extractors import model_extractor
from clew.engine.model_calls.recorded import RecordedCalls
from clew.engine.model_calls.spending import Spending
from clew.knowledge.model.combined import combined
from clew.serve.cli.language_model import model_settings
from clew.settings.load import load_settings
from clew.stores.memory import MemoryStore
from clew.stores.responses import ResponseFile
from clew.text.names import name_key

_SAMPLE = 100
_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Counts:
    """Found and right, expected and found again, of one sentence."""

    found: int
    right: int
    expected: int
    again: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--size", type=int, default=_SAMPLE, help="sentences of each set")
    parser.add_argument("--llm", help="a GGUF file, or an address of the OpenAI API")
    parser.add_argument("--answers", type=Path, help="folder that keeps the model's answers")
    parser.add_argument("--passes", type=int, default=0, help="second looks of the model")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    try:
        outcome = run(given)
    except (ClewError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(table(outcome))
    if given.json:
        given.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


def run(given: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of every set and extractor."""
    sets = {
        "text2kgbench": sample(list(text2kg(given.data / "text2kgbench")), given.size),
        "re-docred": sample(
            list(redocred(given.data / "re-docred" / "dev_revised.jsonl.gz")), given.size
        ),
    }
    outcome: dict[str, Any] = {"machine": machine_facts(), "size": given.size, "sets": {}}
    with ExitStack() as stack:
        overrides = model_settings(given.llm, None)
        overrides["extraction"] = {"reflection_passes": given.passes}
        settings = load_settings(overrides)
        components = Components(
            MemoryStore(),
            "default",
            settings=settings,
            embedder=None,
            extractor=None,
            owns_store=True,
        )
        stack.callback(components.close)
        model, kept = None, None
        llm = components.llm() if given.llm else None
        if llm is not None:
            if given.answers:
                given.answers.mkdir(parents=True, exist_ok=True)
            kept = ResponseFile(given.answers / "responses.db" if given.answers else None)
            stack.callback(kept.close)
            calls = RecordedCalls(
                llm, responses=kept, collection="default", spending=Spending(prices=Prices())
            )
            model = model_extractor(calls, settings)
            outcome["model"] = model.fingerprint
        for name, sentences in sets.items():
            rules, seconds = extracted(components.extractor(), sentences)
            read = {"rules": rules}
            outcome["sets"][name] = {"seconds": {"rules": seconds}, "scores": {}}
            if model is not None:
                read["model"], seconds = extracted(model, sentences)
                outcome["sets"][name]["seconds"]["model"] = seconds
                read["both"] = [
                    combined(one, other) for one, other in zip(rules, read["model"], strict=True)
                ]
                outcome["sets"][name]["skipped"] = sum(
                    one.skipped is not None for one in read["model"]
                )
            for extractor, found in read.items():
                outcome["sets"][name]["scores"][extractor] = scores(sentences, found)
        if kept is not None:
            outcome["ledger"] = [
                {"calls": entry.usage.calls, "prompt": entry.usage.prompt_tokens}
                | {"answer": entry.usage.answer_tokens, "reused": entry.reused}
                for entry in kept.ledger("default")
            ]
    return outcome


def extracted(
    extractor: Extractor, sentences: Sequence[Sentence]
) -> tuple[list[Extraction], float]:
    """Return what an extractor finds in each sentence, and the seconds that it took."""
    start = time.perf_counter()
    found = []
    stream = extractor.extract([one.text for one in sentences], language="en")
    for number, extraction in enumerate(stream, start=1):
        found.append(extraction)
        sys.stderr.write(f"\r{number}/{len(sentences)}")
    sys.stderr.write("\n")
    return found, round(time.perf_counter() - start, 1)


def scores(sentences: Sequence[Sentence], found: Sequence[Extraction]) -> dict[str, Any]:
    """Return precision, recall and F1 of things and pairs, over all sentences together."""
    counted = [
        (things_counted(one, extraction), pairs_counted(one, extraction))
        for one, extraction in zip(sentences, found, strict=True)
    ]
    return {
        "things": _ratios([things for things, _ in counted]),
        "pairs": _ratios([pairs for _, pairs in counted]),
    }


def things_counted(sentence: Sentence, found: Extraction) -> Counts:
    """Count the names of an extraction, each key once, against the things of a sentence."""
    keys = {name_key(name.surface) for name in found.names}
    hits = {key: _thing(key, sentence) for key in keys}
    right = [key for key, thing in hits.items() if thing is not None]
    again = {thing for thing in hits.values() if thing is not None}
    return Counts(len(keys), len(right), len(sentence.things), len(again))


def pairs_counted(sentence: Sentence, found: Extraction) -> Counts:
    """Count the related pairs of an extraction, each once in either direction."""
    stated = {
        frozenset((name_key(triple.subject), name_key(triple.object))) for triple in found.triples
    }
    again: set[tuple[int, int]] = set()
    right = 0
    for ends in stated:
        things = [thing for key in ends if (thing := _thing(key, sentence)) is not None]
        pair = (min(things), max(things)) if len(things) == 2 else None
        if pair in sentence.pairs:
            right += 1
            again.add(pair)
    return Counts(len(stated), right, len(sentence.pairs), len(again))


def _thing(key: str, sentence: Sentence) -> int | None:
    """Return the thing that a name stands for: an equal name first, else one that holds it."""
    for same in (str.__eq__, _holds):
        for number, names in enumerate(sentence.things):
            if any(same(key, name) for name in names):
                return number
    return None


def _holds(one: str, other: str) -> bool:
    return f" {one} " in f" {other} " or f" {other} " in f" {one} "


def _ratios(counts: Sequence[Counts]) -> dict[str, Any]:
    """Return the ratios with their 95% intervals (percentile bootstrap over sentences)."""
    table = np.array([(one.found, one.right, one.expected, one.again) for one in counts], float)
    drawn = np.random.default_rng(0).integers(0, len(table), (_DRAWS, len(table)))
    whole, resampled = _f1(table.sum(axis=0)[None]), _f1(table[drawn].sum(axis=1))
    return {
        name: {
            "value": round(float(whole[0, column]), 4),
            "low": round(float(np.percentile(resampled[:, column], 2.5)), 4),
            "high": round(float(np.percentile(resampled[:, column], 97.5)), 4),
        }
        for column, name in enumerate(("precision", "recall", "f1"))
    }


def _f1(sums: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    found, right, expected, again = sums.T
    precision = right / np.maximum(found, 1)
    recall = again / np.maximum(expected, 1)
    return np.stack(
        [precision, recall, 2 * precision * recall / np.maximum(precision + recall, 1e-12)], axis=1
    )


def table(outcome: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = ["| set | extractor | things P / R / F1 | pairs P / R / **F1** (95%) | seconds |"]
    lines.append("|---|---|---|---|---|")
    for name, figures in outcome["sets"].items():
        for extractor, score in figures["scores"].items():
            things = " / ".join(f"{100 * one['value']:.1f}" for one in score["things"].values())
            pairs = [f"{100 * one['value']:.1f}" for one in score["pairs"].values()]
            best = score["pairs"]["f1"]
            between = f"{100 * best['low']:.1f} to {100 * best['high']:.1f}"
            seconds = figures["seconds"].get(extractor, "")
            lines.append(
                f"| {name} | {extractor} | {things} | {pairs[0]} / {pairs[1]} / **{pairs[2]}** "
                f"({between}) | {seconds} |"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
