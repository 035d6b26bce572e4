"""`clew search`: ranked passages without an answer."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.engine.clew import Clew
from clew.engine.trace.writing import require_format
from clew.serve.cli import options
from clew.serve.cli.display import retrieval_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import retrieval_json, write_json
from clew.serve.cli.parameters import principal_of, query_parameters

application = typer.Typer()


@application.command(epilog=EXIT_CODES_HELP)
def search(
    question: Annotated[str, typer.Argument(help="What to look for.")],
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
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show provenance and timings too.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Find the passages that bear on a question, best first. Exits with 4 if there is none."""
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
        principal = principal_of(group)
        with Clew.open(store, collection, create=False) as clew:
            retrieval = clew.search(
                question, mode=mode, top_k=top_k, principal=principal, **parameters
            )
            if trace is not None:
                clew.trace(retrieval, file=trace)
            found = sorted({result.document for result in retrieval.results})
            held = clew.documents(
                ids=found, known_as_of=retrieval.query.known_as_of, principal=principal
            )
            documents = {document.id: document for document in held}
        if as_json:
            write_json(retrieval_json(retrieval))
        else:
            write_lines(retrieval_lines(retrieval, documents, verbose=verbose))
        if not retrieval.results and not retrieval.communities:
            raise typer.Exit(ExitCode.NOTHING_FOUND)
