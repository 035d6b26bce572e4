"""Every public document of a supported kind: the outcome that its manifest expects."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from clew.core.errors import ParseError
from clew.ingest.chunker import CHUNKING_PRESETS
from clew.ingest.documents import build_chunks, build_document
from clew.ingest.parsers.registry import is_known, parse_bytes

pytestmark = pytest.mark.data("documents")

BLANK = {"fake-text-all-whitespace.txt"}
LEAST_F1 = {
    "right_to_left_02.pdf": 0.8,
    "equations.docx": 0.85,
    "html_rich_table_cells.html": 0.8,
    "nested.md": 0.85,
    # the reference leaves out "Slide n" and the figures of one of the two charts
    "powerpoint_malformed_pictures.pptx": 0.8,
    "pptx_chart.pptx": 0.8,
}
USUAL_F1 = 0.9


def rows(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "documents" / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if is_known(row["file"])]


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


def outcome(path: Path) -> str:
    """Return "text" or the reason why there is none."""
    try:
        parsed = parse_bytes(path.read_bytes(), name=path.name)
    except ParseError as error:
        return error.reason
    document = build_document(parsed, source=path.name)
    chunks = build_chunks(document, CHUNKING_PRESETS["default"])
    assert chunks
    for page in parsed.pages:
        assert parsed.text[page.span.start : page.span.end].strip()
    return "text"


def test_every_file_has_the_expected_outcome(data_folder):
    unexpected = {}
    files = rows(data_folder)
    assert len(files) == 86
    for row in files:
        path = data_folder / "documents" / row["file"]
        got = outcome(path)
        allowed = {
            "text": {"empty"} if path.name in BLANK else {"text"},
            "no-text-layer": {"no-text-layer"},
            "password": {"password"} if row["password"] else {"text", "no-text-layer"},
            "may-fail": {"text", "damaged", "no-text-layer", "password"},
            "fail-cleanly": {"empty"},
        }[row["expect"]]
        if got not in allowed:
            unexpected[path.name] = got
    assert unexpected == {}


def test_text_agrees_with_the_reference(data_folder):
    low = {}
    compared = [row for row in rows(data_folder) if row.get("reference_md")]
    assert len(compared) == 25
    for row in compared:
        path = data_folder / "documents" / row["file"]
        ours = words(parse_bytes(path.read_bytes(), name=path.name).text)
        reference = words((data_folder / "documents" / row["reference_md"]).read_text("utf-8"))
        both = sum((ours & reference).values())
        f1 = 2 * both / (sum(ours.values()) + sum(reference.values()))
        if f1 < LEAST_F1.get(path.name, USUAL_F1):
            low[path.name] = round(f1, 3)
    assert low == {}


@pytest.mark.parametrize(
    ("name", "first", "then"),
    [
        (
            "tracemonkey.pdf",
            "In this domain, in order to provide a fluid user",
            "Compilers for stat",
        ),
        (
            "multi-column.pdf",
            "Open-domain question answering relies on efficient",
            "1 Introduction",
        ),
    ],
)
def test_columns_are_read_in_order(data_folder, name, first, then):
    data = (data_folder / "documents" / "files" / name).read_bytes()
    text = parse_bytes(data, name=name).text
    assert 0 <= text.find(first) < text.find(then)
    assert "fluid user experience" in text or name != "tracemonkey.pdf"


def test_broken_words_of_a_paper_are_whole_again(data_folder):
    data = (data_folder / "documents" / "files" / "tracemonkey.pdf").read_bytes()
    text = parse_bytes(data, name="tracemonkey.pdf").text
    assert "more difficult to compile than statically typed ones" in text
    assert "We present an alternative compilation technique" in text


def test_letters_of_right_to_left_ligatures_stand_in_their_order(data_folder):
    """Commodity (kala) and to standardise (al-isti...) are written with lam-alef."""
    files = data_folder / "documents" / "files"
    name = "right_to_left_03.pdf"
    text = parse_bytes((files / name).read_bytes(), name=name).text
    assert "\u06a9\u0627\u0644\u0627\u06cc" in text
    assert "\u06a9\u0627\u0627\u0644\u06cc" not in text


def test_ligatures_of_tex_are_whole(data_folder):
    name = "layout-parser-paper-with-empty-pages.pdf"
    text = parse_bytes((data_folder / "documents" / "files" / name).read_bytes(), name=name).text
    for word in ("efforts", "difficulties", "efficient", "off-the-shelf"):
        assert word in text
    assert "\u21b5" not in text


def read(data_folder: Path, name: str) -> str:
    data = (data_folder / "documents" / "files" / name).read_bytes()
    return parse_bytes(data, name=name).text


def test_tables_and_charts_of_slides_are_tables(data_folder):
    slides = read(data_folder, "powerpoint_sample.pptx")
    assert "| R4 | True | False | True | False | True | False |" in slides
    assert "\n- With foo\n- Bar\n- And baz things\n" in slides
    chart = read(data_folder, "pptx_chart.pptx")
    assert (
        "|  | Freshwater Ducks | Saltwater Ducks |\n| --- | --- | --- |\n| 2019 | 120 | 80 |"
        in chart
    )


def test_a_sheet_with_a_title_above_its_table(data_folder):
    assert read(data_folder, "xlsx_05_table_with_title.xlsx").startswith(
        "## Duck Observations\n\nNumber of freshwater ducks per year\n\n"
        "| Year | Freshwater Ducks |\n| --- | --- |\n| 2019 | 120 |"
    )


def test_a_mail_with_its_attachment(data_folder):
    text = read(data_folder, "eml_with_attachment.eml")
    assert text.startswith("# Email with Attachment\n\nFrom: Alice Example <alice@example.com>")
    assert "## Attachment: test.txt\n\nThis is a test attachment file." in text


@pytest.mark.data("nicknames")
def test_a_real_csv(data_folder):
    data = (data_folder / "nicknames" / "names.csv").read_bytes()
    text = parse_bytes(data, name="names.csv").text
    lines = data.decode("utf-8").split("\n")
    assert text.startswith("| " + " | ".join(lines[0].strip().split(",")) + " |\n| --- |")
    last = [line for line in lines if line.strip()][-1]
    assert text.endswith("| " + " | ".join(last.strip().split(",")) + " |")
