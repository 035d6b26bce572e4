"""E-mail: who wrote what to whom and when, the text of the mail, and its attachments."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime

from clew.core.documents import ParsedText
from clew.core.errors import IngestError, ParseError
from clew.ingest.parsers import html
from clew.ingest.parsers.decoding import decode
from clew.ingest.parsers.options import DEFAULT_OPTIONS, ParseOptions
from clew.ingest.parsers.registry import is_known, parse_bytes
from clew.ingest.timestamps import read_timestamp
from clew.ingest.whitespace import tidy

_DEEPEST = 4
_MOST_ATTACHMENTS = 200
_HEADERS = ("From", "To", "Cc", "Date")
_WESTERN = "cp1252"
_SPACES = re.compile(r"\s+")
_HEADER_ERRORS = (
    AssertionError,
    AttributeError,
    IndexError,
    LookupError,
    MessageError,
    TypeError,
    ValueError,
)
"""What the standard library raises over headers that no one should write."""


@dataclass(slots=True)
class _Content:
    """What was found in a mail."""

    texts: list[str] = field(default_factory=list[str])
    attachments: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])
    warnings: list[str] = field(default_factory=list[str])


def parse(data: bytes, *, name: str, options: ParseOptions = DEFAULT_OPTIONS) -> ParsedText:
    """Return the mail: its subject as heading, sender, recipients and date, text, attachments.

    Of alternatives plain text goes before HTML. Attachments are read by the parser of their kind,
    mails within mails four deep; what cannot be read is named in the warnings.

    Raises:
        ParseError: reason "empty", "damaged" (no header that a mail has) or "too-large".
    """
    if not data.strip():
        raise ParseError(f"{name}: the file is empty; there is nothing to index", reason="empty")
    try:
        message = message_from_bytes(data.lstrip(b"\r\n\xef\xbb\xbf"), policy=policy.compat32)
        content = _Content()
        _collect(message, content, name=name)
    except RecursionError as error:
        raise ParseError(
            f"{name}: the mail is nested too deeply to be read", reason="too-large"
        ) from error
    if not any(message.get(key) for key in ("From", "To", "Subject", "Date", "Received")):
        raise ParseError(
            f"{name}: this is no mail (it has neither sender nor subject nor date)",
            reason="damaged",
        )
    subject = _header(message, "Subject")
    head = [f"{key}: {text}" for key in _HEADERS if (text := _header(message, key))]
    blocks = [f"# {subject}"] if subject else []
    blocks += ["\n".join(head), *content.texts, *_attached(content, options=options)]
    text = tidy("\n\n".join(block for block in blocks if block.strip()))
    if not text:
        raise ParseError(f"{name}: the mail holds no text; nothing to index", reason="empty")
    return ParsedText(
        text=text,
        title=subject or None,
        authors=_authors(message),
        published_at=_date(message),
        warnings=tuple(content.warnings),
    )


def _collect(part: Message, content: _Content, *, name: str) -> None:
    """Gather texts and attachments of a part and of all that it holds."""
    kind = part.get_content_type()
    if kind == "message/rfc822":
        for each in _messages_in(part):
            subject = _header(each, "Subject") or "message"
            try:
                content.attachments.append((f"{subject}.eml", each.as_bytes()))
            except _HEADER_ERRORS as error:
                content.warnings.append(f"attachment {subject}.eml is damaged ({error})")
        return
    if part.is_multipart():
        children = _messages_in(part)
        if kind == "multipart/alternative":
            _collect_best(children, content, name=name)
        else:
            for child in children:
                _collect(child, content, name=name)
        return
    data = _payload(part)
    file_name = _file_name(part)
    if kind in ("text/plain", "text/html") and not file_name and not _is_attached(part):
        text, warnings = _body(data, kind, part, name=name)
        content.texts += [text] if text else []
        content.warnings += warnings
    elif data.strip():
        content.attachments.append((_with_suffix(file_name or "part", kind), data))


def _collect_best(children: list[Message], content: _Content, *, name: str) -> None:
    """Take of alternatives the first plain one that holds text, else the first that does."""
    ordered = sorted(children, key=lambda child: child.get_content_type() != "text/plain")
    for child in ordered:
        found = _Content()
        _collect(child, found, name=name)
        if found.texts or child is ordered[-1]:
            content.texts += found.texts
            content.attachments += found.attachments
            content.warnings += found.warnings
            return


def _body(data: bytes, kind: str, part: Message, *, name: str) -> tuple[str, list[str]]:
    """Return the text of a part that is text, and what was wrong with it."""
    if not data.strip():
        return "", []
    try:
        decoded = decode(data, name=name, declared=_charset(part))
        if kind == "text/plain":
            return tidy(decoded.text), list(decoded.warnings)
        page = html.parse(decoded.text.encode("utf-8"), name=name)
    except ParseError as error:
        return "", [] if error.reason == "empty" else [str(error)]
    return page.text, [*decoded.warnings, *page.warnings]


def _attached(content: _Content, *, options: ParseOptions) -> Iterator[str]:
    """Yield the texts of the attachments under headings; note those that cannot be read."""
    for file_name, data in content.attachments[_MOST_ATTACHMENTS:]:
        content.warnings.append(
            f"attachment {file_name} was left out: more than 200 ({len(data)} bytes)"
        )
    for file_name, data in content.attachments[:_MOST_ATTACHMENTS]:
        if options.depth >= _DEEPEST:
            content.warnings.append(f"attachment {file_name} was left out: nested too deeply")
            continue
        try:
            inner = replace(options, depth=options.depth + 1)
            parsed = parse_bytes(data, name=file_name, options=inner)
        except ParseError as error:
            content.warnings.append(f"attachment {error}")
            continue
        content.warnings += [f"attachment {file_name}: {warning}" for warning in parsed.warnings]
        yield f"## Attachment: {file_name}\n\n{parsed.text}"


def _messages_in(part: Message) -> list[Message]:
    payload = part.get_payload()
    held = payload if isinstance(payload, list) else []
    return [each for each in held if isinstance(each, Message)]


def _with_suffix(file_name: str, kind: str) -> str:
    """Return the name of an attachment, ended as its stated kind asks where its own end is none."""
    return file_name if is_known(file_name) else file_name + (mimetypes.guess_extension(kind) or "")


def _payload(part: Message) -> bytes:
    try:
        data = part.get_payload(decode=True)
    except _HEADER_ERRORS:
        return b""
    return data if isinstance(data, bytes) else b""


def _charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except _HEADER_ERRORS:
        return None


def _file_name(part: Message) -> str:
    try:
        written = part.get_filename() or ""
    except _HEADER_ERRORS:
        return ""
    return (
        _SPACES.sub(" ", _decoded(written, _charset(part)))
        .strip()
        .replace("\\", "/")
        .rpartition("/")[2]
    )


def _is_attached(part: Message) -> bool:
    try:
        return part.get_content_disposition() == "attachment"
    except _HEADER_ERRORS:
        return False


def _header(message: Message, key: str) -> str:
    """Return a header as text: encoded words decoded, bare bytes in the encoding of the body."""
    for name, value in message.raw_items():
        if name.casefold() == key.casefold():
            return _SPACES.sub(" ", _decoded(str(value), _charset(message))).strip()
    return ""


def _decoded(written: str, charset: str | None) -> str:
    raw = written.encode("utf-8", "surrogateescape")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = _word(raw, charset if charset != "utf-8" else _WESTERN)
    if "=?" not in text:
        return text
    try:
        return "".join(
            part if isinstance(part, str) else _word(part, charset)
            for part, charset in decode_header(text)
        )
    except _HEADER_ERRORS:
        return text


def _word(part: bytes, charset: str | None) -> str:
    try:
        return part.decode(charset or _WESTERN, "replace")
    except LookupError:
        return part.decode(_WESTERN, "replace")


def _authors(message: Message) -> tuple[str, ...]:
    """Return the names in From, the address where one has no name."""
    try:
        pairs = getaddresses([_header(message, "From")])
    except _HEADER_ERRORS:
        return ()
    return tuple(dict.fromkeys(name or address for name, address in pairs if name or address))


def _date(message: Message) -> datetime | None:
    try:
        return read_timestamp(parsedate_to_datetime(_header(message, "Date")))
    except (*_HEADER_ERRORS, IngestError, OverflowError):
        return None
