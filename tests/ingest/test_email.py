"""E-mail: headers, alternatives, encodings, attachments within attachments."""

from __future__ import annotations

from datetime import UTC, datetime
from email.message import EmailMessage

import pytest

from clew.core.errors import ParseError
from clew.ingest.parsers.registry import parse_bytes


def mail(subject="Plans", text="Hello Bo.") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ann Lee <ann@example.org>"
    message["To"] = "Bo Berg <bo@example.org>"
    message["Subject"] = subject
    message["Date"] = "Mon, 06 Jan 2020 10:00:00 +0100"
    message.set_content(text)
    return message


HEAD = (
    "# Plans\n\nFrom: Ann Lee <ann@example.org>\nTo: Bo Berg <bo@example.org>\n"
    "Date: Mon, 06 Jan 2020 10:00:00 +0100"
)


def test_headers_become_title_authors_and_date():
    parsed = parse_bytes(mail().as_bytes(), name="a.eml")
    assert parsed.text == f"{HEAD}\n\nHello Bo."
    assert (parsed.title, parsed.authors) == ("Plans", ("Ann Lee",))
    assert parsed.published_at == datetime(2020, 1, 6, 9, tzinfo=UTC)


def test_plain_text_goes_before_html():
    message = mail()
    message.add_alternative("<p>Hello <b>HTML</b>.</p>", subtype="html")
    assert parse_bytes(message.as_bytes(), name="a.eml").text == f"{HEAD}\n\nHello Bo."


def test_html_alone_is_read_as_a_page():
    message = mail()
    message.set_content("<h2>Hi</h2><ul><li>one<li>two</ul>", subtype="html")
    assert parse_bytes(message.as_bytes(), name="a.eml").text == f"{HEAD}\n\n## Hi\n\n- one\n- two"


@pytest.mark.parametrize("charset", ["utf-8", "iso-2022-jp", "shift_jis"])
def test_text_and_subject_in_the_encoding_that_is_stated(charset):
    message = EmailMessage()
    message["Subject"] = "日本の会議"
    message["From"] = "山田 <y@example.org>"
    message.set_content("明日の会議は東京です。", charset=charset, cte="base64")
    parsed = parse_bytes(message.as_bytes(), name="a.eml")
    assert parsed.title == "日本の会議"
    assert parsed.authors == ("山田",)
    assert parsed.text.endswith("明日の会議は東京です。")


def test_bare_bytes_in_headers():
    data = "From: Jürgen Groß <j@example.org>\nSubject: Grüße\n\nText".encode("cp1252")
    parsed = parse_bytes(data, name="a.eml")
    assert (parsed.title, parsed.authors) == ("Grüße", ("Jürgen Groß",))


def test_attachments_are_read_by_their_kind():
    message = mail()
    message.add_attachment(
        b"Name;Age\nAnn;40\nBo;41\n", maintype="text", subtype="csv", filename="a b.csv"
    )
    message.add_attachment(b'{"k": "v"}', maintype="application", subtype="json", filename="data")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png")
    message.add_attachment(b"zip", maintype="application", subtype="x-odd", filename="x.odd")
    parsed = parse_bytes(message.as_bytes(), name="a.eml")
    assert parsed.text == (
        f"{HEAD}\n\nHello Bo.\n\n"
        "## Attachment: a b.csv\n\n| Name | Age |\n| --- | --- |\n| Ann | 40 |\n| Bo | 41 |\n\n"
        "## Attachment: data.json\n\nk: v"
    )
    assert [warning[:20] for warning in parsed.warnings] == [
        "attachment logo.png:",
        "attachment x.odd: no",
    ]


def test_mails_within_mails_are_bounded():
    message = mail("Level 0", "text of 0")
    for level in range(1, 8):
        outer = mail(f"Level {level}", f"text of {level}")
        outer.add_attachment(message)
        message = outer
    parsed = parse_bytes(message.as_bytes(), name="a.eml")
    assert [level for level in range(8) if f"text of {level}" in parsed.text] == [3, 4, 5, 6, 7]
    assert "nested too deeply" in parsed.warnings[0]


def test_parts_nested_without_end_are_refused_or_read():
    head = b"Subject: x\nContent-Type: multipart/mixed; boundary=b0\n\n"
    body = b"".join(
        b"--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n" % (n, n + 1) for n in range(3_000)
    )
    with pytest.raises(ParseError) as caught:
        parse_bytes(head + body, name="a.eml")
    assert caught.value.reason == "too-large"


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "empty"), (b"just a text\n\nno mail", "damaged"), (b"Received: x\n\n", "empty")],
)
def test_what_is_no_mail_fails_with_a_reason(data, reason):
    with pytest.raises(ParseError) as caught:
        parse_bytes(data, name="a.eml")
    assert caught.value.reason == reason
