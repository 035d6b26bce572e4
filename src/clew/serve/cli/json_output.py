"""What commands write as JSON, in the form of `serve.json_form`."""

from __future__ import annotations

import json

import typer

from clew.serve.json_form import (
    answer_json,
    document_json,
    retrieval_json,
    sorted_ids,
    to_json,
)

__all__ = [
    "answer_json",
    "document_json",
    "retrieval_json",
    "sorted_ids",
    "to_json",
    "write_json",
    "write_json_line",
]


def write_json(value: object) -> None:
    """Write one JSON document to stdout."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def write_json_line(value: object) -> None:
    """Write one JSON document on one line to stdout, at once."""
    typer.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))
