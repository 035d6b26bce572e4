"""Equations of Word documents as text in one line, such as `e^x = 1+x/1!+x^2/2!`."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping

from lxml import etree

from clew.ingest.parsers.zip_members import READ_ERRORS

_BODY = "word/document.xml"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MARK = b"oMath"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def with_equations_as_text(data: bytes) -> bytes:
    """Return a package whose equations stand as text where they stood, in which other readers
    find them; `data` itself where it holds none or its body cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            body = package.read(_BODY)
            if _MARK not in body:
                return data
            parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
            changed = _rewritten(etree.fromstring(body, parser=parser))
            return _repacked(package, changed)
    except (*READ_ERRORS, etree.XMLSyntaxError, RecursionError):
        return data


def _rewritten(root: etree._Element) -> bytes:
    for tag in (f"{_M}oMathPara", f"{_M}oMath"):
        for equation in list(root.iter(tag)):
            _replace(equation)
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return written


def _replace(equation: etree._Element) -> None:
    """Put a run of text in the place of an equation, in a paragraph where it stands in none."""
    parent = equation.getparent()
    if parent is None:
        return
    run = etree.Element(f"{_W}r")
    text = etree.SubElement(run, f"{_W}t")
    text.set(_SPACE, "preserve")
    text.text = equation_text(equation)
    if not any(each.tag == f"{_W}p" for each in equation.iterancestors()):
        paragraph = etree.Element(f"{_W}p")
        paragraph.append(run)
        run = paragraph
    run.tail = equation.tail
    parent.replace(equation, run)


def _repacked(package: zipfile.ZipFile, body: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as changed:
        for member in package.infolist():
            content = body if member.filename == _BODY else package.read(member)
            changed.writestr(member.filename, content)
    return buffer.getvalue()


def equation_text(element: etree._Element) -> str:
    """Return an equation, or a part of one, in one line; parts of several signs in brackets."""
    if not isinstance(element.tag, str):
        return ""
    if element.tag == f"{_M}t":
        return element.text or ""
    write = _WRITERS.get(element.tag.removeprefix(_M))
    if write is not None:
        return write(element)
    if element.tag == f"{_M}oMathPara":
        return "; ".join(text for each in element if (text := equation_text(each)))
    written = ""
    built = False
    for child in element:
        text = equation_text(child)
        written += f" {text}" if built and text[:1].isalnum() else text
        built = isinstance(child.tag, str) and child.tag.removeprefix(_M) in _WRITERS
    return written


def _part(element: etree._Element, name: str) -> str:
    found = element.find(f"{_M}{name}")
    return equation_text(found).strip() if found is not None else ""


def _bound(element: etree._Element, name: str) -> str:
    """Return a part that stays together: in brackets where it is more than a name or number."""
    text = _part(element, name)
    kept = len(text) < 2 or text.isalnum() or (text[0] == "(" and text.find(")") == len(text) - 1)
    return text if kept else f"({text})"


def _marked(mark: str, text: str) -> str:
    return f"{mark}{text}" if text else ""


def _sign(element: etree._Element, properties: str, name: str, default: str) -> str:
    """Return a sign that the properties name, `default` where they do not."""
    found = element.find(f"{_M}{properties}/{_M}{name}")
    return default if found is None else found.get(f"{_M}val") or ""


def _fraction(element: etree._Element) -> str:
    line = "¦" if _sign(element, "fPr", "type", "bar") == "noBar" else "/"
    return f"{_bound(element, 'num')}{line}{_bound(element, 'den')}"


def _scripts(element: etree._Element) -> str:
    sub, upper = _bound(element, "sub"), _bound(element, "sup")
    return _bound(element, "e") + _marked("_", sub) + _marked("^", upper)


def _sum(element: etree._Element) -> str:
    sign = _sign(element, "naryPr", "chr", "∫")
    limits = _marked("_", _bound(element, "sub")) + _marked("^", _bound(element, "sup"))
    return f"{sign}{limits} {_part(element, 'e')}"


def _delimited(element: etree._Element) -> str:
    between = _sign(element, "dPr", "sepChr", "|")
    held = between.join(equation_text(each) for each in element.findall(f"{_M}e"))
    return _sign(element, "dPr", "begChr", "(") + held + _sign(element, "dPr", "endChr", ")")


def _limit(mark: str) -> Callable[[etree._Element], str]:
    return lambda element: _part(element, "e") + _marked(mark, _bound(element, "lim"))


def _rows(element: etree._Element) -> str:
    rows = element.findall(f"{_M}mr")
    if not rows:
        return "; ".join(equation_text(each) for each in element.findall(f"{_M}e"))
    texts = (", ".join(equation_text(each) for each in row.findall(f"{_M}e")) for row in rows)
    return f"[{'; '.join(texts)}]"


_WRITERS: Mapping[str, Callable[[etree._Element], str]] = {
    "f": _fraction,
    "rad": lambda element: f"√{_marked('^', _bound(element, 'deg'))}({_part(element, 'e')})",
    "sSup": _scripts,
    "sSub": _scripts,
    "sSubSup": _scripts,
    "nary": _sum,
    "d": _delimited,
    "func": lambda element: f"{_part(element, 'fName')} {_part(element, 'e')}",
    "limLow": _limit("_"),
    "limUpp": _limit("^"),
    "m": _rows,
    "eqArr": _rows,
}
