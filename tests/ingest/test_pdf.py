"""PDF: pages, paragraphs, hyphens, headings, lists and failures, on files made on the fly."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from clew.core.documents import Page
from clew.core.errors import ParseError
from clew.ingest.parsers import pdf
from clew.ingest.parsers.hyphenation import join_broken, vocabulary
from clew.ingest.timestamps import read_pdf_timestamp

TOP, LEADING, MARGIN = 780.0, 14.0, 72


class Sheet:
    """Writes lines down a page."""

    def __init__(self, **settings: object) -> None:
        self.buffer = io.BytesIO()
        self.canvas = Canvas(self.buffer, pagesize=A4, **settings)
        self.canvas.setTitle("Tubes")
        self.canvas.setAuthor("Ann Lee")
        self.y = TOP

    def write(
        self, *lines: str, size: int = 11, font: str = "Helvetica", left: int = MARGIN
    ) -> None:
        self.canvas.setFont(font, size)
        for line in lines:
            self.canvas.drawString(left, self.y, line)
            self.y -= LEADING * size / 11

    def gap(self) -> None:
        self.y -= LEADING

    def page(self) -> None:
        self.canvas.showPage()
        self.y = TOP

    def data(self) -> bytes:
        self.canvas.save()
        return self.buffer.getvalue()


BODY = (
    "Acme was founded by Ann Lee in Oslo in the spring of the year 1984 and",
    "grew into the largest maker of glass tubes, for exam-",
    "ple for lamps and thermo-",
    "meters of every kind.",
)


def sample() -> bytes:
    sheet = Sheet()
    sheet.write("Glass tubes", size=20)
    sheet.gap()
    sheet.write(*BODY)
    sheet.gap()
    sheet.write("Beta bought it later. The two firms then merged their works and moved")
    sheet.write("all of the staff.")
    sheet.gap()
    sheet.write("• lamps and bulbs", "• thermometers")
    sheet.page()
    sheet.page()
    sheet.write("Year Tubes Lamps", "1984 12 30", "1985 14 31")
    return sheet.data()


def test_paragraphs_headings_lists_and_pages():
    parsed = pdf.parse(sample(), name="a.pdf")
    assert parsed.text == (
        "# Glass tubes\n\n"
        "Acme was founded by Ann Lee in Oslo in the spring of the year 1984 and grew into the "
        "largest maker of glass tubes, for example for lamps and thermometers of every kind.\n\n"
        "Beta bought it later. The two firms then merged their works and moved all of the staff."
        "\n\n- lamps and bulbs\n- thermometers\n\n"
        "Year Tubes Lamps\n1984 12 30\n1985 14 31"
    )
    first, third = parsed.pages
    assert (first.number, third.number) == (1, 3)
    assert parsed.text[first.span.start : first.span.end].startswith("# Glass tubes")
    assert (
        parsed.text[third.span.start : third.span.end] == "Year Tubes Lamps\n1984 12 30\n1985 14 31"
    )
    assert parsed.warnings == ("page 2 is blank",)
    assert parsed.title == "Tubes"
    assert parsed.authors == ("Ann Lee",)
    assert parsed.published_at is not None


def test_a_sentence_runs_over_the_end_of_a_page():
    sheet = Sheet()
    sheet.write("The council of the old town met in the hall and")
    sheet.page()
    sheet.write("voted for the bridge.")
    parsed = pdf.parse(sheet.data(), name="a.pdf")
    assert parsed.text == "The council of the old town met in the hall and voted for the bridge."
    assert [parsed.text[p.span.start : p.span.end][:5] for p in parsed.pages] == ["The c", "voted"]


def test_two_columns_are_read_one_after_the_other():
    sheet = Sheet()
    sheet.write(
        "The left column tells of the old",
        "works by the river, and it ends in",
        "the year of the flood.",
    )
    sheet.y = TOP
    sheet.write("The right column tells of the new", "works on the hill.", left=320)
    text = pdf.parse(sheet.data(), name="a.pdf").text
    assert text == (
        "The left column tells of the old works by the river, and it ends in the year of the flood."
        "\n\nThe right column tells of the new works on the hill."
    )


def test_bold_lines_are_headings():
    sheet = Sheet()
    sheet.write("Early years", font="Helvetica-Bold")
    sheet.write("It was a small firm at first, and nobody knew it.")
    assert pdf.parse(sheet.data(), name="a.pdf").text == (
        "# Early years\n\nIt was a small firm at first, and nobody knew it."
    )


def failing(data: bytes) -> str:
    with pytest.raises(ParseError) as caught:
        pdf.parse(data, name="dir/a.pdf")
    assert "dir/a.pdf" in str(caught.value)
    return caught.value.reason


def test_failures_have_reasons():
    locked = Sheet(encrypt=StandardEncryption("secret", canPrint=0))
    locked.write("hidden")
    empty = Sheet()
    empty.page()
    assert failing(locked.data()) == "password"
    assert failing(empty.data()) == "no-text-layer"
    assert failing(b"") == "empty"
    assert failing(b"%PDF-1.4\nnothing") == "damaged"


def test_an_empty_user_password_opens():
    sheet = Sheet(encrypt=StandardEncryption("", ownerPassword="owner", canCopy=0))
    sheet.write("readable")
    assert pdf.parse(sheet.data(), name="a.pdf").text == "readable"


def test_a_cut_file_gives_text_or_one_error():
    data = sample()
    for end in range(0, len(data), 97):
        try:
            parsed = pdf.parse(data[:end], name="a.pdf")
        except ParseError as error:
            assert error.reason in {"empty", "damaged", "no-text-layer", "password"}  # noqa: PT017
        else:
            assert parsed.pages
            assert isinstance(parsed.pages[0], Page)


def test_broken_words_are_joined_by_what_the_document_knows():
    known = vocabulary(["A well-known bridge, not a gateway.", "Long term plans for the exam-"])
    assert join_broken("for exam-", "ple it is", known) == "for example it is"
    assert join_broken("a well-", "known bridge", known) == "a well-known bridge"
    assert join_broken("the gate-", "way", known) == "the gateway"
    assert join_broken("the long-", "term plan", known) == "the long-term plan"
    assert join_broken("in Alsace-", "Lorraine", known) == "in Alsace-Lorraine"
    assert join_broken("pages 12-", "14", known) == "pages 12-14"
    assert "exam" not in known


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("D:20240131120000+01'00'", datetime(2024, 1, 31, 11, tzinfo=UTC)),
        ("D:20240131120000-02'30", datetime(2024, 1, 31, 14, 30, tzinfo=UTC)),
        ("D:2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("D:20240131120000Z", datetime(2024, 1, 31, 12, tzinfo=UTC)),
        ("D:20249931", None),
        ("yesterday", None),
    ],
)
def test_pdf_dates(written, moment):
    assert read_pdf_timestamp(written) == moment
