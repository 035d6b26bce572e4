"""Bytes to text: byte order marks, UTF-8, UTF-16 without a mark, and detected legacy encodings."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from clew.core.errors import ParseError
from clew.ingest.language import detect_language

_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 65_536
_MOSTLY = 0.3
_FEW = 0.01
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r\x08\x0b\x0c\x1b"})
_MANY_CONTROLS = 0.03
_MANY_BROKEN = 0.3
_FALLBACK = "cp1252"
_CODE_PAGES = {
    language: page
    for page, languages in (
        ("cp1250", "pl cs sk hu ro sl hr bs"),
        ("cp1254", "tr az"),
        ("cp1257", "lt lv et"),
    )
    for language in languages.split()
}
_LAST_ASCII = 0x7F
_ACCENTED = 0.35
_SEVEN_BITS = re.compile(r"iso-?2022|hz|utf-?7", re.IGNORECASE)
"""Encodings whose bytes are all ASCII, so that only the declaration tells them from UTF-8."""
_ASCII_LETTER = re.compile(rb"[A-Za-z]")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_ASCII_RUN = re.compile(rb"[\t\n\r\x20-\x7e]")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text, the encoding it was read with, and what had to be replaced or left out."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, *, name: str, declared: str | None = None) -> DecodedText:
    """Return the text of `data`; `declared` is the encoding that the file itself names.

    Raises:
        ParseError: reason "empty" for no bytes, "binary" for what is not text.
    """
    if not data:
        raise ParseError(f"{name}: the file is empty; there is nothing to index", reason="empty")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_as(data, encoding, name=name)
    wide = _wide_encoding(data[:_SAMPLE])
    if wide is not None:
        return _decode_as(data, wide, name=name)
    sample = data[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if sample.count(0) > _FEW * len(sample) or controls > _MANY_CONTROLS * len(sample):
        raise _not_text(name, "it holds control bytes")
    order = (declared, "utf-8") if _SEVEN_BITS.match(declared or "") else ("utf-8", declared)
    for candidate in order:
        if candidate is not None and _decodes(data, candidate):
            return _decode_as(data, candidate, name=name)
    return _decode_as(data, _detected(data) or _FALLBACK, name=name)


def _not_text(name: str, why: str) -> ParseError:
    return ParseError(
        f"{name}: the file is not text ({why}); convert it to a known format", reason="binary"
    )


def _wide_encoding(sample: bytes) -> str | None:
    """Return the UTF-16 that a sample without a mark is in, by where its zero bytes stand."""
    half = max(1, len(sample) // 2)
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if odd > _MOSTLY and even < _FEW and _ASCII_RUN.search(sample[0::2]):
        return "utf-16-le"
    if even > _MOSTLY and odd < _FEW and _ASCII_RUN.search(sample[1::2]):
        return "utf-16-be"
    return None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeError, LookupError, ValueError):
        return False
    return True


def _detected(data: bytes) -> str | None:
    """Return the legacy encoding of `data`, judged by the stretch where it is not ASCII.

    In Latin script the language shows in the ASCII letters and decides the code page, which
    statistics on the few accented letters do not; other scripts are left to charset-normalizer.
    """
    first = next((index for index, byte in enumerate(data) if byte > _LAST_ASCII), 0)
    start = max(0, first - _SAMPLE // 4)
    sample = data[start : start + _SAMPLE]
    if _is_mostly_latin(sample):
        language = detect_language(sample.decode(_FALLBACK, errors="replace"))
        encoding: str | None = _CODE_PAGES.get(language or "", _FALLBACK)
    else:
        best = from_bytes(sample).best()
        encoding = best.encoding if best is not None else None
    return encoding if encoding is not None and _decodes(data, encoding) else None


def _is_mostly_latin(sample: bytes) -> bool:
    letters = len(_ASCII_LETTER.findall(sample))
    return len(_NOT_ASCII.findall(sample)) < _ACCENTED * letters


def _decode_as(data: bytes, encoding: str, *, name: str) -> DecodedText:
    text = data.decode(encoding, errors="replace")
    warnings: list[str] = []
    if "\x00" in text:
        warnings.append(f"{text.count(chr(0))} zero characters were left out")
        text = text.replace("\x00", "")
    broken = text.count("\ufffd") - (data.count(b"\xef\xbf\xbd") if encoding == "utf-8" else 0)
    if broken > _MANY_BROKEN * len(text):
        raise _not_text(name, f"most of it cannot be read as {encoding}")
    if broken > 0:
        warnings.append(f"{broken} characters could not be read as {encoding}")
    return DecodedText(text.lstrip("\ufeff"), encoding, tuple(warnings))
