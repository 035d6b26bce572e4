"""Normalised names, remembered: rules ask for the key of one surface many times."""

from __future__ import annotations

from functools import lru_cache

from clew.text.names import name_key

cached_key = lru_cache(maxsize=4096)(name_key)
