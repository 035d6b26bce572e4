"""XML from strangers: entities are never expanded, nothing is fetched, nesting is bounded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.entities import html5

from lxml import etree

from clew.core.errors import ParseError
from clew.ingest.parsers.decoding import decode

_DECLARED = re.compile(rb"<\?xml[^>]*?\bencoding\s*=\s*[\"']([A-Za-z][\w.-]*)[\"']")
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_HEAD = 1024
_REFERENCE = re.compile(
    r"<!\[CDATA\[.*?\]\]>|&(#\d+;|#x[0-9a-fA-F]+;|[^\W\d][\w.:-]*;)?", re.DOTALL
)
_OWN = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})
_NESTED = re.compile(r"depth|nest|too (?:long|large|deep)|huge|amplification", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SafeXml:
    """The root of a document, and what was not read as it stands."""

    root: etree._Element
    warnings: tuple[str, ...] = ()


def parse_xml(data: bytes, *, name: str) -> SafeXml:
    """Return the tree of an XML document in any encoding, mended where it is not well-formed.

    References to entities that the document defines stay as text (`&name;`): they are taken out
    before the parser sees them, so that no setting of it matters.

    Raises:
        ParseError: reason "empty", "binary", "damaged" (no element in it) or "too-large" (nested
            deeper than 256 elements, or a text of more than 10 MB).
    """
    declared = _DECLARED.search(data[:_HEAD])
    decoded = decode(data, name=name, declared=declared[1].decode() if declared else None)
    if not decoded.text.strip():
        raise ParseError(f"{name}: the file holds only blanks; nothing to index", reason="empty")
    kept: set[str] = set()
    text = _REFERENCE.sub(lambda match: _without_entity(match, kept), decoded.text)
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    encoded = _DECLARATION.sub("", text, count=1).lstrip().encode("utf-8", "replace")
    try:
        root = etree.fromstring(encoded, parser=parser)
    except etree.XMLSyntaxError as error:
        raise _refusal(str(error), name=name) from error
    problem = next((entry for entry in parser.error_log if entry.level >= _ERROR), None)
    if problem is not None and _NESTED.search(problem.message):
        raise _refusal(problem.message, name=name)
    if root is None:
        raise _refusal("it holds no element", name=name)
    warnings = list(decoded.warnings)
    if kept:
        warnings.append(f"entities were not expanded: {', '.join(sorted(kept)[:5])}")
    if problem is not None:
        warnings.append(
            f"the XML is not well-formed (line {problem.line}: {problem.message.strip()}); what "
            "could be mended was read"
        )
    return SafeXml(root, tuple(warnings))


_ERROR = etree.ErrorLevels.ERROR


def _without_entity(match: re.Match[str], kept: set[str]) -> str:
    """Return a reference as it may stand: characters and XML's own as they are, HTML's names as
    their characters, every other as text."""
    whole, reference = match[0], match[1]
    if (
        whole.startswith("<")
        or (reference is not None and reference[0] == "#")
        or reference in _OWN
    ):
        return whole
    if reference is not None and reference in html5:
        return html5[reference].replace("&", "&amp;").replace("<", "&lt;")
    if reference is not None:
        kept.add(whole)
    return "&amp;" + whole[1:]


def _refusal(message: str, *, name: str) -> ParseError:
    if _NESTED.search(message):
        return ParseError(
            f"{name}: the XML is nested too deeply or holds too long a text ({message}); split it",
            reason="too-large",
        )
    return ParseError(f"{name}: the XML is damaged ({message}); mend it", reason="damaged")
