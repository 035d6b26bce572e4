"""The scores of the documents benchmark, by hand, and the benchmark on a small set of files."""

from __future__ import annotations

import io
import json

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from benchmarks.document_scores import OrderScore, openings_of, order_score, word_f1, words_of
from benchmarks.documents import main


def test_words_are_those_of_the_text_alone():
    marked = "# **Pl\u00e4ne** &amp; a\\_b <!-- image --> | of\ufb01ce | snake_case"
    assert words_of(marked) == ["pl\u00e4ne", "a", "b", "office", "snake", "case"]


def test_f1_counts_words_as_often_as_they_stand():
    assert word_f1("a a b", "a b b c") == pytest.approx(2 * 2 / 7)
    assert word_f1("same words", "words, same!") == 1.0
    assert word_f1("", "a") == 0.0
    assert word_f1("", "") == 1.0


def test_openings_are_the_first_words_of_paragraphs():
    reference = (
        "# Short\n\none two three four five six seven\n\nagain a line of more than six words"
    )
    assert openings_of(reference) == ["one two three four five six", "again a line of more than"]


PARTS = ["alpha beta", "gamma delta", "epsilon zeta", "eta theta"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("alpha beta x gamma delta x epsilon zeta x eta theta", OrderScore(1.0, 1.0)),
        ("eta theta epsilon zeta gamma delta alpha beta", OrderScore(-1.0, 1.0)),
        # of six pairs one is swapped: (5 - 1) / 6
        ("alpha beta epsilon zeta gamma delta eta theta", OrderScore(4 / 6, 1.0)),
        ("alpha beta gamma delta epsilon zeta", OrderScore(None, 0.75)),
        # what occurs twice is not found
        ("alpha beta alpha beta gamma delta epsilon zeta eta theta", OrderScore(None, 0.75)),
        ("", OrderScore(None, 0.0)),
    ],
)
def test_order_is_the_rank_correlation_of_places(text, expected):
    assert order_score(text, PARTS) == expected


def test_a_text_without_known_parts_has_no_order():
    assert order_score("text", []) is None


def pdf(text: str, password: str | None = None) -> bytes:
    buffer = io.BytesIO()
    lock = StandardEncryption(password, canPrint=1) if password else None
    canvas = Canvas(buffer, encrypt=lock)
    canvas.drawString(72, 700, text)
    canvas.save()
    return buffer.getvalue()


def test_the_benchmark_judges_files_by_what_add_says(tmp_path, capsys):
    files = {
        "a.txt": (b"one two three", "text", None),
        "blank.txt": (b" \n", "text", None),
        "b.pdf": (pdf("locked text", "secret"), "password", "secret"),
        "c.pdf": (pdf("open text"), "password", "secret"),
        "d.pdf": (b"%PDF-1.4", "may-fail", None),
        "e.pdf": (b"", "fail-cleanly", None),
        "f.xyz": (b"1", "text", None),
        "g.pdf": (b"%PDF-1.4", "text", None),
    }
    rows = []
    for name, (data, expect, password) in files.items():
        (tmp_path / name).write_bytes(data)
        rows.append({"file": name, "category": "any", "expect": expect, "password": password})
    rows[0]["reference_md"] = "a.md"
    (tmp_path / "a.md").write_text("one two four", encoding="utf-8")
    manifest = "\n".join(map(json.dumps, rows))
    (tmp_path / "manifest.jsonl").write_text(manifest, encoding="utf-8")
    written = tmp_path / "out.json"
    assert main(["--data", str(tmp_path), "--json", str(written)]) == 0
    found = json.loads(written.read_text(encoding="utf-8"))["files"]
    assert [(row["file"], row["outcome"], row["as_expected"]) for row in found] == [
        ("a.txt", "text", True),
        ("blank.txt", "empty", True),
        ("b.pdf", "text", True),
        ("c.pdf", "text", False),
        ("d.pdf", "damaged", True),
        ("e.pdf", "empty", True),
        ("f.xyz", "unsupported", False),
        ("g.pdf", "damaged", False),
    ]
    assert [row["f1"] for row in found] == [pytest.approx(2 / 3, abs=1e-4), *[None] * 7]
    assert found[2]["without_password"] == "password"
    assert all(row["seconds"] >= 0 for row in found)
    assert "secret" not in written.read_text(encoding="utf-8")
    assert "5 of 8 files end as expected (62.5%)" in capsys.readouterr().out
