"""Where models load their third parties: the helper of `core.lazy`."""

from __future__ import annotations

from clew.core.lazy import load

__all__ = ["load"]
