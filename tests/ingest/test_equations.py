"""Equations of Word documents as text: written by hand in Office Math, read in one line."""

from __future__ import annotations

import io

import docx
import pytest
from lxml import etree

from clew.ingest.parsers.office_math import equation_text
from clew.ingest.parsers.registry import parse_bytes

MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def run(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def power(base: str, exponent: str) -> str:
    return f"<m:sSup><m:e>{run(base)}</m:e><m:sup>{run(exponent)}</m:sup></m:sSup>"


def fraction(upper: str, lower: str, kind: str = "bar") -> str:
    return (
        f'<m:f><m:fPr><m:type m:val="{kind}"/></m:fPr><m:num>{run(upper)}</m:num>'
        f"<m:den>{run(lower)}</m:den></m:f>"
    )


def equation(inner: str, tag: str = "oMath") -> etree._Element:
    return etree.fromstring(f'<m:{tag} xmlns:m="{MATH}">{inner}</m:{tag}>')


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (run("E=m") + power("c", "2"), "E=mc^2"),
        (power("x", "k") + power("a", "n-k"), "x^k a^(n-k)"),
        (fraction("a+b", "2") + run("x"), "(a+b)/2 x"),
        (fraction("n", "k", "noBar"), "n¦k"),
        (f"<m:d><m:e>{run('x+1')}</m:e></m:d>", "(x+1)"),
        (
            f"<m:sSup><m:e><m:d><m:e>{run('x+a')}</m:e></m:d></m:e><m:sup>{run('n')}</m:sup></m:sSup>",
            "(x+a)^n",
        ),
        (
            (
                f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{run("k=0")}</m:sub>'
                f"<m:sup>{run('n')}</m:sup><m:e>{run('k')}</m:e></m:nary>"
            ),
            "∑_(k=0)^n k",
        ),
        (f"<m:rad><m:deg/><m:e>{run('2')}</m:e></m:rad>", "√(2)"),
        (
            (
                f"<m:func><m:fName><m:limLow><m:e>{run('lim')}</m:e><m:lim>{run('n→∞')}</m:lim>"
                f"</m:limLow></m:fName><m:e>{run('f')}</m:e></m:func>"
            ),
            "lim_(n→∞) f",
        ),
        (
            (
                f"<m:m><m:mr><m:e>{run('1')}</m:e><m:e>{run('0')}</m:e></m:mr>"
                f"<m:mr><m:e>{run('0')}</m:e><m:e>{run('1')}</m:e></m:mr></m:m>"
            ),
            "[1, 0; 0, 1]",
        ),
    ],
)
def test_an_equation_in_one_line(inner, expected):
    assert equation_text(equation(inner)) == expected


def test_equations_stand_where_they_stood():
    document = docx.Document()
    paragraph = document.add_paragraph("Energy is ")
    paragraph._p.append(equation(run("E=m") + power("c", "2")))
    paragraph.add_run(", as is known.")
    own = document.add_paragraph()
    own._p.append(equation(f"<m:oMath>{power('a', '2')}</m:oMath>", "oMathPara"))
    document.element.body.insert(0, equation(f"<m:oMath>{run('x=1')}</m:oMath>", "oMathPara"))
    buffer = io.BytesIO()
    document.save(buffer)
    parsed = parse_bytes(buffer.getvalue(), name="a.docx")
    assert parsed.text == "x=1\n\nEnergy is E=mc^2, as is known.\n\na^2"
    assert parsed.warnings == ()
