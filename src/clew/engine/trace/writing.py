"""Writing a trace to a file whose name says the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from clew.core.errors import QueryError
from clew.core.ports import Store
from clew.core.results import Answer, Retrieval
from clew.engine.trace.building import build_trace
from clew.engine.trace.graphml import trace_graphml
from clew.engine.trace.html_page import trace_html
from clew.engine.trace.json_text import trace_json
from clew.engine.trace.trace import Trace

FORMATS: Mapping[str, Callable[[Trace], str]] = {
    ".json": trace_json,
    ".graphml": trace_graphml,
    ".html": trace_html,
}


def trace_of(store: Store, found: Retrieval | Answer, file: str | Path | None) -> Trace:
    """Return the trace of what was found, and write it where a file is given.

    Raises:
        QueryError: the file's name says no known format, or it cannot be written.
        StoreError: the store cannot be read.
    """
    if file is not None:
        require_format(Path(file))
    trace = build_trace(store, found)
    if file is not None:
        write_trace(trace, Path(file))
    return trace


def require_format(path: Path) -> None:
    """Check the ending of a file's name.

    Raises:
        QueryError: it is none of `FORMATS`.
    """
    if path.suffix.lower() not in FORMATS:
        raise QueryError(f"a trace cannot be written to {path}; end it in {', '.join(FORMATS)}")


def write_trace(trace: Trace, path: Path) -> None:
    """Write a trace as JSON, GraphML or HTML, in UTF-8; a file that is there is replaced.

    Raises:
        QueryError: the file's name says no known format, or it cannot be written.
    """
    require_format(path)
    text = FORMATS[path.suffix.lower()](trace)
    try:
        # A lone surrogate, which a broken file name may hold, has no form in UTF-8.
        path.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    except OSError as error:
        raise QueryError(f"the trace cannot be written to {path}: {error}") from error
