"""Hostile text made harmless in XML and HTML."""

from __future__ import annotations

import re
from html import escape

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 (section 2.2) does not allow, not even escaped."""


def plain(value: object) -> str:
    """Return text for content and quoted attributes, in XML and HTML alike."""
    return escape(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", str(value)), quote=True)
