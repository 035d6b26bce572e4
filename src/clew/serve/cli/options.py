"""Arguments and options that several commands share, and what they are turned into."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from clew.core.errors import QueryError
from clew.core.query import Scalar

DEFAULT_STORE = Path("kb.clew")

Store = Annotated[
    Path, typer.Option("--store", envvar="CLEW_STORE", help="The store, a folder NAME.clew.")
]
Collection = Annotated[str, typer.Option("--collection", help="The collection within the store.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write one JSON document to stdout.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]
Groups = Annotated[
    list[str] | None,
    typer.Option("--group", help="See only what this group may see; repeatable. Default: all."),
]
Mapping = Annotated[
    list[str] | None,
    typer.Option(
        "--map", metavar="OURS=THEIRS", help="Field of .jsonl records, as text=body; repeatable."
    ),
]
Metadata = Annotated[
    list[str] | None,
    typer.Option("--metadata", metavar="KEY=VALUE", help="For all sources; repeatable."),
]
SeenBy = Annotated[
    list[str] | None,
    typer.Option("--group", help="A group that may see the sources; repeatable. None: all."),
]
Ocr = Annotated[
    bool | None,
    typer.Option("--ocr/--no-ocr", help="Read scanned pages and pictures. Default: the settings."),
]
Language = Annotated[
    str | None, typer.Option("--language", help="Language of the sources. Default: detected.")
]
Authority = Annotated[
    float | None, typer.Option("--authority", help="How far to trust the sources, 0 to 1.")
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", metavar="PATTERN", help="Leave out, as in .gitignore (drafts/); repeatable."
    ),
]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="DATE", help="Keep to what held on that date."),
]
ReferenceDate = Annotated[
    str | None,
    typer.Option(
        "--reference-date",
        metavar="DATE",
        help="Today, for 'last year' and the like. Default: now.",
    ),
]
CausalGuardName = Annotated[
    str | None,
    typer.Option(
        "--causal-guard", help="Doubtful causes: strict (leave out), warn (report) or off."
    ),
]
KnownAsOf = Annotated[
    str | None,
    typer.Option(
        "--known-as-of", metavar="DATE", help="Read the collection as it was known at that moment."
    ),
]
Mode = Annotated[
    str | None,
    typer.Option(
        "--mode",
        help="vector_only, keyword, kg_only, dual, community, global, hybrid (the default) or adaptive.",
    ),
]
TopK = Annotated[int | None, typer.Option("--top-k", help="How many passages, 1 to 1000.")]
LatencyBudget = Annotated[
    int | None,
    typer.Option("--latency-budget-ms", help="Mode adaptive: what a search may take, in ms."),
]
TraceFile = Annotated[
    Path | None,
    typer.Option(
        "--trace", metavar="FILE", help="Write the trace to FILE.json, .graphml or .html."
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option("--label", help="Keep to things of this kind, such as ORG; repeatable."),
]
EdgeKinds = Annotated[
    list[str] | None,
    typer.Option("--kind", help="Keep to edges of this kind, such as causes; repeatable."),
]
Sources = Annotated[
    list[str] | None, typer.Option("--source", help="Keep to this source; repeatable.")
]
Languages = Annotated[
    list[str] | None,
    typer.Option("--language", help="Keep to documents in this language (en, pt ...); repeatable."),
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="DATE", help="Keep to documents published then or later."),
]
To = Annotated[
    str | None,
    typer.Option("--to", metavar="DATE", help="Keep to documents published before that date."),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="KEY=VALUE",
        help="Keep to this metadata; also != > >= < <= and ~ (contains). All must hold; "
        'repeatable. JSON says more: {"or": [{"year": 2024}, {"not": {"kind": "draft"}}]}.',
    ),
]
Projects = Annotated[
    list[str] | None,
    typer.Option("--project", help="Keep to documents of this project; repeatable."),
]
MaxHops = Annotated[int | None, typer.Option("--max-hops", help="Hops from a seed, 1 to 5.")]
SeedK = Annotated[int | None, typer.Option("--seed-k", help="Seeds of the expansion, 1 to 20.")]
MaxNodes = Annotated[
    int | None, typer.Option("--max-nodes", help="Nodes of the expansion, 5 to 200.")
]
FusionModeName = Annotated[
    str | None,
    typer.Option("--fusion-mode", help="balanced, graph_first or vector_first."),
]
FusionAlpha = Annotated[
    float | None, typer.Option("--fusion-alpha", help="Weight of the graph's ranks, 0 to 1.")
]
Level = Annotated[int | None, typer.Option("--level", help="Level of communities, 0 the coarsest.")]
Preset = Annotated[
    str | None,
    typer.Option("--preset", help="paper_v1 or paper_v2, in place of a mode."),
]
FusionStrategyName = Annotated[
    str | None,
    typer.Option(
        "--fusion-strategy",
        help="Mode dual: reciprocal_rank, weighted_average, max_score or learned.",
    ),
]
FusionWeights = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--fusion-weights",
        metavar="CHUNKS GRAPH",
        help="Mode dual: weights of the two stores; learned needs them.",
    ),
]
Rerank = Annotated[
    bool | None,
    typer.Option(
        "--rerank/--no-rerank", help="Reorder by the reranker of the settings [on if there is one]."
    ),
]
PathPruning = Annotated[
    bool | None,
    typer.Option("--path-pruning/--no-path-pruning", help="Prune irrelevant paths early."),
]
TimeLimit = Annotated[
    int | None,
    typer.Option("--time-limit", metavar="MS", help="Milliseconds that a graph search may take."),
]
Duplicates = Annotated[
    bool | None,
    typer.Option("--no-duplicates/--duplicates", help="Leave out passages that repeat another."),
]

LanguageModel = Annotated[
    str | None,
    typer.Option(
        "--llm",
        metavar="PATH_OR_URL",
        help="A GGUF file, or an address of the OpenAI API (http://localhost:11434/v1).",
    ),
]
Extractor = Annotated[
    str | None,
    typer.Option("--extractor", help="Who extracts knowledge: rules (the default), llm or both."),
]
BudgetText = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="AMOUNT",
        help="What the language model may cost: money (2.50) or tokens (200000t).",
    ),
]
Verify = Annotated[
    str | None,
    typer.Option(
        "--verify", help="Sentences of the model without support: off, mark (the default) or drop."
    ),
]

VerifierName = Annotated[
    str | None,
    typer.Option(
        "--verifier", help="Who says what is supported: alignment (the default) or model."
    ),
]

Stream = Annotated[
    bool,
    typer.Option("--stream/--no-stream", help="Show a model's draft while it is written."),
]


def moment(option: str, text: str | None) -> datetime | None:
    """Return the first moment of a date, or the date with time, in UTC where no zone is given.

    Raises:
        QueryError: `text` is no ISO date.
    """
    if text is None:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise QueryError(f"{option} {text!r} is no date; write it as 2026-01-31") from None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def pairs(option: str, texts: Sequence[str] | None) -> dict[str, str]:
    """Return what is written KEY=VALUE, by key.

    Raises:
        QueryError: the equals sign or the key is missing, or a key comes twice.
    """
    result: dict[str, str] = {}
    for text in texts or ():
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise QueryError(f"{option} {text!r} is not written KEY=VALUE")
        if key.strip() in result:
            raise QueryError(f"{option} gives {key.strip()!r} twice")
        result[key.strip()] = value.strip()
    return result


def scalar(text: str) -> Scalar:
    """Return the number, truth value or text that `text` is, since metadata keep their types.

    What a number would not be written as again, such as 007 or 1.50, stays text.
    """
    truth = {"true": True, "false": False}.get(text.casefold())
    if truth is not None:
        return truth
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text and math.isfinite(number):
            return number
    return text
