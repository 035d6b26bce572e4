"""`clew add` on protected and broken files: exit code, reasons, and secrets that do not show."""

import io
import json

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

SECRET = "open=sesame 48151623"


@pytest.fixture
def protected(tmp_path):
    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt=StandardEncryption(SECRET, canPrint=1))
    canvas.drawString(72, 700, "Beta Labs supplies Gamma Partners.")
    canvas.save()
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "locked.pdf").write_bytes(buffer.getvalue())
    (folder / "open.txt").write_text("Acme Corp won.", encoding="utf-8")
    return folder


def test_without_a_password_the_rest_is_added_and_the_exit_is_one(clew, protected):
    done = clew("add", protected, code=1)
    assert "1 added, 1 failed" in done.stdout
    assert done.stderr.count("\n") == 1
    assert "locked.pdf: the PDF is protected by a password" in done.stderr
    report = clew.json("add", protected, code=1)
    assert [(file["outcome"], file["code"]) for file in report["files"]] == [
        ("failed", "password"),
        ("unchanged", None),
    ]


def test_the_option_opens_the_file(clew, protected):
    done = clew("add", protected, "--password", f"locked.pdf={SECRET}")
    assert "2 added" in done.stdout
    assert SECRET not in done.stdout + done.stderr


def test_the_file_of_passwords_opens_it(clew, protected, tmp_path):
    held = tmp_path / "passwords.json"
    held.write_text(json.dumps({"*.pdf": SECRET}), encoding="utf-8")
    assert "2 added" in clew("add", protected, "--passwords-file", held).stdout


def test_the_option_wins_over_the_file(clew, protected, tmp_path):
    held = tmp_path / "passwords.json"
    held.write_text(json.dumps({"locked.pdf": "wrong"}), encoding="utf-8")
    done = clew(
        "add", protected, "--passwords-file", held, "--password", f"locked.pdf={SECRET}", code=0
    )
    assert "2 added" in done.stdout


@pytest.mark.parametrize(
    "written",
    ["[1]", '{"a.pdf": 48151623}', '{"a.pdf": "48151623"', "48151623", "[" * 100_000],
)
def test_a_malformed_file_of_passwords_is_refused_without_showing_it(
    clew, protected, tmp_path, written
):
    held = tmp_path / "passwords.json"
    held.write_text(written, encoding="utf-8")
    done = clew("add", protected, "--passwords-file", held, code=2)
    assert "passwords.json" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "48151623" not in done.stderr


def test_wrong_use_does_not_show_the_secret(clew, protected, tmp_path):
    done = clew("add", protected, "--password", "48151623", code=2)
    assert "--password number 1 is not written FILE=SECRET" in done.stderr
    assert "48151623" not in done.stderr
    done = clew("add", protected, "--passwords-file", tmp_path / "none.json", code=2)
    assert "cannot be read" in done.stderr
