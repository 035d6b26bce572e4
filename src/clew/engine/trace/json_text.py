"""A trace as JSON; ids are sixteen hexadecimal digits, as everywhere outside."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from clew.core.ids import format_id
from clew.engine.trace.trace import Trace

_IDS = frozenset({"id", "source", "target", "chunk", "document"})
_ID_LISTS = frozenset({"nodes", "edges"})


def trace_json(trace: Trace) -> str:
    """Return the trace as one JSON document."""
    record = asdict(trace)
    for part in ("nodes", "edges", "paths", "passages"):
        record[part] = [_with_ids(item) for item in record[part]]
    return json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _with_ids(item: dict[str, Any]) -> dict[str, Any]:
    result = dict(item)
    for name, value in item.items():
        if name in _IDS and isinstance(value, int):
            result[name] = format_id(value)
        elif name in _ID_LISTS:
            result[name] = [format_id(identifier) for identifier in value]
    return result
