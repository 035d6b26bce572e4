"""Writes the two binary sample documents again: the shipyard's .docx and the holding's .pdf.

python examples/make_documents.py
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import docx
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table

FOLDER = Path(__file__).resolve().parent / "documents"

SHIPYARD = (
    (
        "Dorrance Shipyard builds and repairs ships of up to 120 metres in Port Selwyn. Silas "
        "Dorrance founded the yard in 1888 as a repair shop for fishing boats."
    ),
    (
        "Castellan Holdings has owned Dorrance Shipyard since 2009. The new owner kept all 310 "
        "workers and replaced the slipway."
    ),
    (
        "On 6 December 2011 a fire destroyed the large crane of Dorrance Shipyard. The fire was caused "
        "by a heater in the paint store. The fire led to a delay of five months for every ship in the "
        "yard."
    ),
)
SHIPS = (
    ("Ship", "Launched", "Built for"),
    ("Grey Heron", "1967", "Port Selwyn Ferries"),
    ("Northern Star", "1983", "Harbour Pilots"),
    ("Santa Clara", "2015", "Island Lines"),
)

LETTER = (
    (
        "Castellan Holdings was founded in 1996 by Miriam Adeyemi. She started the company with the "
        "sale of a patent for ship propellers and two rented rooms above a bakery."
    ),
    (
        "The company invests in shipbuilding, energy and instruments. It keeps what it buys: since "
        "1996 Castellan Holdings has sold one of its fourteen firms."
    ),
)
RESULTS = (
    (
        "In 2021 the firms of Castellan Holdings had sales of 412 million euros, 9 per cent more than "
        "in 2020. The profit rose to 37 million euros."
    ),
    (
        "Henrik Baum became managing director of Castellan Holdings on 1 January 2022. Miriam Adeyemi "
        "remains the chair of the board."
    ),
)
SALES = (
    ("Part of the business", "2020", "2021"),
    ("Shipbuilding", "188", "201"),
    ("Energy", "122", "140"),
    ("Instruments", "68", "71"),
)


def write_shipyard(file: Path) -> None:
    """Write a Word document with headings, paragraphs and a table."""
    document = docx.Document()
    document.core_properties.title = "Dorrance Shipyard"
    document.core_properties.author = "Dorrance Shipyard"
    document.core_properties.created = datetime(2022, 3, 1, tzinfo=UTC)
    document.add_heading("Dorrance Shipyard", level=1)
    for paragraph in SHIPYARD:
        document.add_paragraph(paragraph)
    document.add_heading("Some ships from the yard", level=2)
    table = document.add_table(rows=0, cols=3)
    for row in SHIPS:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.save(str(file))


def write_letter(file: Path) -> None:
    """Write a PDF of two pages."""
    styles = getSampleStyleSheet()
    template = SimpleDocTemplate(
        str(file),
        pagesize=A4,
        title="Castellan Holdings",
        author="Castellan Holdings",
        invariant=1,
    )
    first = [Paragraph("Castellan Holdings: letter to the owners", styles["Title"])]
    first += [Paragraph(text, styles["BodyText"]) for text in LETTER]
    second = [Paragraph("The year 2021", styles["Heading1"])]
    second += [Paragraph(text, styles["BodyText"]) for text in RESULTS]
    template.build([*first, PageBreak(), *second, Spacer(1, 12), Table(SALES)])


if __name__ == "__main__":
    write_shipyard(FOLDER / "dorrance-shipyard.docx")
    write_letter(FOLDER / "castellan-holdings.pdf")
