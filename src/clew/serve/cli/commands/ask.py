"""`clew ask`: a cited answer and the path that leads to it."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.engine.trace.writing import require_format
from clew.serve.cli import options
from clew.serve.cli.answer_streaming import DraftPrinter
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import answer_json, write_json
from clew.serve.cli.language_model import model_settings
from clew.serve.cli.parameters import principal_of, query_parameters
from clew.settings.load import load_settings

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def ask(
    question: Annotated[str, typer.Argument(help="The question, in any language.")],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    mode: options.Mode = None,
    top_k: options.TopK = None,
    label: options.Labels = None,
    source: options.Sources = None,
    language: options.Languages = None,
    published_from: options.From = None,
    published_to: options.To = None,
    where: options.Where = None,
    as_of: options.AsOf = None,
    known_as_of: options.KnownAsOf = None,
    reference_date: options.ReferenceDate = None,
    causal_guard: options.CausalGuardName = None,
    group: options.Groups = None,
    max_hops: options.MaxHops = None,
    seed_k: options.SeedK = None,
    max_nodes: options.MaxNodes = None,
    fusion_mode: options.FusionModeName = None,
    fusion_alpha: options.FusionAlpha = None,
    level: options.Level = None,
    preset: options.Preset = None,
    fusion_strategy: options.FusionStrategyName = None,
    fusion_weights: options.FusionWeights = None,
    project: options.Projects = None,
    rerank: options.Rerank = None,
    path_pruning: options.PathPruning = None,
    time_limit: options.TimeLimit = None,
    no_duplicates: options.Duplicates = None,
    latency_budget_ms: options.LatencyBudget = None,
    trace: options.TraceFile = None,
    llm: options.LanguageModel = None,
    verify: options.Verify = None,
    verifier: options.VerifierName = None,
    stream: options.Stream = True,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show provenance and timings too.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Answer a question from the documents, with numbered sources and the path in words.

    Where the documents do not support an answer, says so, shows the nearest evidence and exits
    with 4. With a language model (--llm, or the settings) the answer is written by it, shown as it
    comes, then cited and verified by code.
    """
    with guarded():
        if trace is not None:
            require_format(trace)
        parameters = query_parameters(
            labels=label,
            sources=source,
            languages=language,
            published_from=published_from,
            published_to=published_to,
            where=where,
            as_of=as_of,
            known_as_of=known_as_of,
            reference_date=reference_date,
            causal_guard=causal_guard,
            max_hops=max_hops,
            seed_k=seed_k,
            max_nodes=max_nodes,
            fusion_mode=fusion_mode,
            fusion_alpha=fusion_alpha,
            level=level,
            preset=preset,
            fusion_strategy=fusion_strategy,
            fusion_weights=fusion_weights,
            projects=project,
            rerank=rerank,
            path_pruning=path_pruning,
            time_limit=time_limit,
            deduplicate=no_duplicates,
            latency_budget_ms=latency_budget_ms,
        )
        settings = load_settings(model_settings(llm, verify, verifier))
        with Clew.open(store, collection, settings=settings, create=False) as clew:
            draft = DraftPrinter()
            written = stream and not as_json and settings.llm.is_configured
            answer = clew.ask(
                question,
                mode=mode,
                top_k=top_k,
                principal=principal_of(group),
                on_text=draft if written else None,
                **parameters,
            )
            if trace is not None:
                clew.trace(answer, file=trace)
        if as_json:
            write_json(answer_json(answer))
        else:
            write_lines(draft.lines(answer, verbose=verbose))
        if not answer.answered:
            raise typer.Exit(ExitCode.NOTHING_FOUND)
