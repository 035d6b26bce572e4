"""Is a claim supported by its passages? Alignment alone, and with a language model's yes or no.

    python -m benchmarks.verification --data DIR [DIR ...] [--llm GGUF_OR_URL] [--work FILE]

DIR is `scifact` or `climate-fever`. Balanced accuracy is the mean of the shares of true and of false
claims that are judged rightly. Thresholds are chosen on claims that are not reported on. What has
been judged stands in the file `--work`, and the same command goes on from there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks.machine import machine_facts
from benchmarks.verification_claims import REPORT, TUNE, Claim, load_claims
from clew.core.errors import ClewError
from clew.core.ports import YesNoModel
from clew.evaluate.bootstrap import bootstrap_mean
from clew.models.bundled import bundled_embedder
from clew.models.local_llm import LocalLLM
from clew.models.openai_llm import OpenAILLM
from clew.reason.alignment import Alignment, WrittenSentence, align
from clew.reason.model_verification import ModelVerifier

Row: TypeAlias = dict[str, Any]
_WINDOW = 2048


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verification", description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of claims")
    parser.add_argument("--llm", help="a GGUF file or the address of an endpoint")
    parser.add_argument("--work", type=Path, help="keep verdicts here, and go on from them")
    parser.add_argument("--tune", type=int, default=100, help="claims to choose thresholds on")
    parser.add_argument("--report", type=int, default=200, help="claims to report on")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args(arguments)
    try:
        with _model(given.llm) as model:
            figures = {
                folder.resolve().name: _measured(folder, model, given) for folder in given.data
            }
    except ClewError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    outcome = {"machine": machine_facts(), "model": given.llm, "sets": figures}
    if given.json:
        given.json.write_text(json.dumps(outcome, indent=2), encoding="utf-8")
    sys.stdout.write(table(figures))
    return 0


def balanced_accuracy(truth: Sequence[bool], judged: Sequence[bool]) -> float:
    """Return the mean of the shares of true and of false that are judged rightly.

    Raises:
        ValueError: `truth` holds one kind alone.
    """
    right: dict[bool, list[bool]] = {True: [], False: []}
    for true, said in zip(truth, judged, strict=True):
        right[true].append(true is said)
    if not right[True] or not right[False]:
        raise ValueError("balanced accuracy needs true claims and false ones")
    return sum(sum(each) / len(each) for each in right.values()) / 2.0


def best_threshold(truth: Sequence[bool], scores: Sequence[float]) -> float:
    """Return the score from which on to say true for the best balanced accuracy, the lowest one."""
    candidates = sorted(set(scores))
    accuracies = [
        balanced_accuracy(truth, [score >= least for score in scores]) for least in candidates
    ]
    return candidates[int(np.argmax(accuracies))]


SCORES: Mapping[str, Callable[[Row], float]] = {
    "alignment": lambda row: row["support"],
    "model": lambda row: row["probability"],
    "mean of both": lambda row: (row["support"] + row["probability"]) / 2.0,
}


def figures_of(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the figures of each way to judge, with thresholds from the rows of part `tune`."""
    tuning = [row for row in rows if row["part"] == TUNE]
    reported = [row for row in rows if row["part"] == REPORT]
    truth = [row["label"] for row in reported]
    figures: dict[str, Any] = {
        "alignment, as shipped": _figure(truth, [row["supported"] for row in reported], None)
    }
    asked = all(row["probability"] is not None for row in rows)
    for name, score in SCORES.items():
        if name != "alignment" and not asked:
            continue
        least = best_threshold([row["label"] for row in tuning], [score(row) for row in tuning])
        judged = [score(row) >= least for row in reported]
        figures[f"{name}, threshold chosen"] = _figure(truth, judged, least)
        if name == "model":
            figures["model, from .5"] = _figure(truth, [score(row) >= 0.5 for row in reported], 0.5)
    return figures


def _figure(truth: Sequence[bool], judged: Sequence[bool], threshold: float | None) -> Row:
    shares = [
        bootstrap_mean(
            [float(true is said) for true, said in zip(truth, judged, strict=True) if true is kind]
        )
        for kind in (True, False)
    ]
    return {
        "balanced_accuracy": balanced_accuracy(truth, judged),
        "true_found": shares[0].mean,
        "false_found": shares[1].mean,
        # Claims are half true and half false, so that the plain share right is the balanced one.
        "interval": _interval(truth, judged),
        "threshold": threshold,
        "claims": len(truth),
    }


def _interval(truth: Sequence[bool], judged: Sequence[bool]) -> list[float]:
    found = bootstrap_mean([float(true is said) for true, said in zip(truth, judged, strict=True)])
    return [found.low, found.high]


def table(figures: Mapping[str, Mapping[str, Row]]) -> str:
    """Return the figures as a Markdown table, in per cent."""
    lines = ["| set | judged by | balanced accuracy | true found | false found | from |"]
    lines.append("|---|---|---|---|---|---|")
    for name, ways in figures.items():
        for way, row in ways.items():
            low, high = row["interval"]
            least = "" if row["threshold"] is None else f"{row['threshold']:.3f}"
            lines.append(
                f"| {name} ({row['claims']}) | {way} | {100 * row['balanced_accuracy']:.1f} "
                f"({100 * low:.1f}-{100 * high:.1f}) | {100 * row['true_found']:.1f} | "
                f"{100 * row['false_found']:.1f} | {least} |"
            )
    return "\n".join(lines) + "\n"


def _measured(folder: Path, model: YesNoModel | None, given: argparse.Namespace) -> dict[str, Any]:
    claims = load_claims(folder, tune=given.tune, report=given.report)
    name = folder.resolve().name
    known = {
        row["id"]: row
        for row in (_read(given.work) if given.work else [])
        if row["set"] == name and (row["probability"] is not None or model is None)
    }
    embedder = bundled_embedder()
    rows: list[Row] = []
    for number, claim in enumerate(claims, start=1):
        if claim.id not in known:
            sentence = WrittenSentence(claim.text, frozenset())
            [aligned] = align([sentence], claim.passages, embedder=embedder)
            row = _row(name, claim, aligned, model)
            if given.work:
                with given.work.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
            known[claim.id] = row
        rows.append(known[claim.id])
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{name} {number}/{len(claims)}")
    return figures_of(rows)


def _row(name: str, claim: Claim, aligned: Alignment, model: YesNoModel | None) -> Row:
    judged = ModelVerifier(model).verify([aligned])[0] if model is not None else aligned
    return {
        "set": name,
        "id": claim.id,
        "part": claim.part,
        "label": claim.supported,
        "support": aligned.support,
        "supported": aligned.supported,
        # Where no sentence comes near there is nothing to ask about.
        "probability": 0.0 if model is not None and not aligned.nearest else judged.probability,
    }


def _read(file: Path) -> Iterator[Row]:
    if not file.exists():
        return
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


@contextmanager
def _model(place: str | None) -> Iterator[YesNoModel | None]:
    if place is None:
        yield None
        return
    made: LocalLLM | OpenAILLM = (
        OpenAILLM(base_url=place)
        if "://" in place
        else LocalLLM(Path(place).expanduser(), context_window=_WINDOW)
    )
    try:
        yield made
    finally:
        made.close()


if __name__ == "__main__":
    sys.exit(main())
