"""The ingest pipeline: named steps over one run, each of which takes up what is pending."""

from __future__ import annotations

from collections.abc import Callable

from clew.core.jobs import IngestReport, ModelUse
from clew.engine.indexing.embedding import embed_chunks
from clew.engine.indexing.knowledge import extract_knowledge
from clew.engine.indexing.links import link_pending
from clew.engine.indexing.node_vectors import embed_new_nodes, embed_nodes_without_vectors
from clew.engine.indexing.run import Run
from clew.engine.indexing.titles import embed_titles

Step = Callable[[Run], None]

STEPS: tuple[tuple[str, Step], ...] = (
    ("embed", embed_chunks),
    ("titles", embed_titles),
    ("extract", extract_knowledge),
    ("nodes", embed_new_nodes),
    ("link", link_pending),
    ("remaining nodes", embed_nodes_without_vectors),
)
"""In order. Documents and chunks are written before (`gather`); every step finishes all pending
documents, in the order of their sources, before the next begins: resolution then knows the titles
of all, and links find the names of all, in a resumed run as in an undisturbed one."""


def run_steps(run: Run) -> None:
    """Take every pending document to the end."""
    for _, step in STEPS:
        step(run)


def report_of(run: Run, total_seconds: float, *, model: str | None) -> IngestReport:
    """Return the report of a finished run; `model` is the language model that was asked."""
    tally = run.tally
    return IngestReport(
        files=tuple(tally.files.values()),
        chunks=tally.chunks,
        nodes=len(tally.nodes),
        edges=len(tally.edges),
        claims=tally.claims,
        merges=tally.merges,
        seconds={**tally.seconds, "total": total_seconds},
        notes=tuple(tally.notes),
        model=None if model is None else _model_use(run, model),
        stopped=tally.stopped,
    )


def _model_use(run: Run, model: str) -> ModelUse:
    spending, prices = run.spending, run.spending.prices
    return ModelUse(
        model,
        spending.spent,
        spending.reused,
        prices.cost(spending.spent),
        prices.currency if prices.known else "",
        dict(run.tally.dropped),
        tuple(run.tally.skipped),
    )
