"""The sample documents: their questions need several of them, and the right words are there."""

import re
from pathlib import Path

import pypdfium2
import pytest
from docx import Document

ROOT = Path(__file__).resolve().parents[2] / "examples"
DOCUMENTS = ROOT / "documents"


def read(file: Path) -> str:
    if file.suffix == ".pdf":
        with pypdfium2.PdfDocument(file) as document:
            text = "\n".join(page.get_textpage().get_text_range() for page in document)
    elif file.suffix == ".docx":
        text = "\n".join(paragraph.text for paragraph in Document(str(file)).paragraphs)
    else:
        text = file.read_text(encoding="utf-8")
    return " ".join(text.split())


@pytest.fixture(scope="module")
def texts():
    return {file.name: read(file) for file in sorted(DOCUMENTS.iterdir())}


def test_every_sentence_that_the_readme_quotes_stands_where_it_says(texts):
    rows = re.findall(
        r'\| `([\w-]+\.\w+)`[^|]*\| "(.+)" \|', (ROOT / "README.md").read_text("utf-8")
    )
    assert len(rows) == 9
    for name, quoted in rows:
        assert quoted in texts[name]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("Aurelia", "Castellan Holdings"),
        ("Aurelia", "Miriam Adeyemi"),
        ("Lantern Field", "Bergen"),
        ("Kestrel Observatory", "Hollis Institute"),
    ],
)
def test_no_document_joins_both_ends_of_a_question(texts, start, end):
    holds_both = [name for name, text in texts.items() if start in text and end in text]
    assert holds_both == []


def test_three_questions_and_the_readme_explains_each():
    questions = (ROOT / "questions.txt").read_text(encoding="utf-8").splitlines()
    assert len(questions) == 3
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(question in readme for question in questions)


def test_formats_of_the_documents():
    suffixes = {file.suffix for file in DOCUMENTS.iterdir()}
    assert suffixes == {".md", ".txt", ".html", ".docx", ".pdf", ".jsonl"}
