"""A trace as one HTML page: no script, nothing from the network, all text escaped.

The page's content security policy forbids scripts and every request, so that text which escaped
escaping could still do nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from clew.engine.trace.drawing import drawing
from clew.engine.trace.markup import plain
from clew.engine.trace.trace import Trace

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1c2530}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #d8dee6;padding:.3rem .5rem;
text-align:left;vertical-align:top}pre{white-space:pre-wrap;margin:0;font:inherit}
svg{width:100%;background:#f7f9fb;border:1px solid #d8dee6}svg text{font-size:12px;fill:#1c2530}
rect{stroke:#5b6b7d;fill:#fff}.seed rect{fill:#ffe9b8}.passage rect{fill:#e4effb}
.cited rect{fill:#cdeccd;stroke:#2a7a2a}path{fill:none;stroke:#8895a5;stroke-width:1.3}
path.best{stroke:#c2410c;stroke-width:2.6}path.mention{stroke:#b9c8da;stroke-dasharray:3 3}
.bar{background:#5b87b8;height:.7rem}.answer{border-left:4px solid #5b87b8;padding-left:1rem}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def trace_html(trace: Trace) -> str:
    """Return the page."""
    return "\n".join(_page(trace)) + "\n"


def _page(trace: Trace) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield f"<title>Trace: {plain(trace.question)}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{plain(trace.question)}</h1>"
    yield from _outcome(trace)
    svg, left_out = drawing(trace)
    yield f"<h2>Seeds, expansion, paths, passages</h2>{svg}"
    if left_out:
        yield f"<p>{left_out} more are named in the tables only.</p>"
    yield "<p>Seeds are yellow, cited passages green; the best path is drawn bold. Point at a box "
    yield "or a line to read more.</p>"
    yield from _section(
        "Paths",
        ("", "path", "relevance", "matching terms"),
        (
            (number, path.description, f"{path.relevance:.2f}", ", ".join(path.matching_terms))
            for number, path in enumerate(trace.paths, start=1)
        ),
    )
    yield from _section(
        "Passages",
        ("rank", "cited", "document", "score", "found by", "text"),
        (
            (
                passage.rank or "on a path",
                " ".join(f"[{marker}]" for marker in passage.markers),
                passage.title or passage.source,
                "" if passage.score is None else f"{passage.score:.3f}",
                ", ".join(passage.signals),
                passage.text,
            )
            for passage in trace.passages
        ),
    )
    yield from _section(
        "Things",
        ("name", "seed", "hop", "similarity", "degree", "found by"),
        (
            (
                node.name,
                "" if node.seed_rank is None else node.seed_rank,
                "" if node.hop is None else node.hop,
                "" if node.similarity is None else f"{node.similarity:.2f}",
                "" if node.degree is None else f"{node.degree}{' hub' if node.hub else ''}",
                ", ".join(node.signals),
            )
            for node in trace.nodes
        ),
    )
    yield from _timings(trace)
    yield from _section("Parameters", ("name", "value"), trace.parameters.items())
    yield "</body></html>"


def _outcome(trace: Trace) -> Iterator[str]:
    yield f"<p>Mode {plain(trace.mode)}, collection {plain(trace.collection)}.</p>"
    if trace.routing is not None:
        yield (
            f"<p>Chosen because {plain(trace.routing.reason)} "
            f"(confidence {trace.routing.confidence:.2f}).</p>"
        )
    if trace.answer is not None:
        state = "" if trace.answered else " (the documents do not answer)"
        yield f'<div class="answer"><pre>{plain(trace.answer)}</pre>'
        yield f"<p>Confidence {trace.confidence or 0.0:.2f}{state}</p></div>"
    for note in (*trace.notes, *(f"Cut short: {part}" for part in trace.partial)):
        yield f"<p>{plain(note)}</p>"


def _section(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    body = [
        "<tr>" + "".join(f"<td><pre>{plain(cell)}</pre></td>" for cell in row) + "</tr>"
        for row in rows
    ]
    if body:
        columns = "".join(f"<th>{plain(name)}</th>" for name in head)
        yield f"<h2>{plain(title)}</h2><table><tr>{columns}</tr>{''.join(body)}</table>"


def _timings(trace: Trace) -> Iterator[str]:
    longest = max(trace.timings.values(), default=0.0)
    if longest <= 0:
        return
    rows = "".join(
        f"<tr><td>{plain(stage)}</td><td>{value:.1f} ms</td>"
        f'<td width="60%"><div class="bar" style="width:{100 * value / longest:.1f}%"></div></td></tr>'
        for stage, value in trace.timings.items()
    )
    yield f"<h2>Timings</h2><table>{rows}</table>"
