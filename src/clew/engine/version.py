"""The version of Clew; `pyproject.toml` states the same."""

from __future__ import annotations

VERSION = "0.1.0"
