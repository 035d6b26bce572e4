"""Language of a text, None where it is too short to tell."""

from __future__ import annotations

import pytest

from clew.ingest.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The old bridge was rebuilt after the war.", "en"),
        ("A velha ponte não resistiu à enchente, mas foi reconstruída depois da guerra.", "pt"),
        ("Die alte Brücke wurde nach dem Krieg wieder aufgebaut.", "de"),
        ("Le vieux pont a été reconstruit après la guerre.", "fr"),
        ("Старый мост был восстановлен после войны, и город снова ожил.", "ru"),
        ("今日は良い天気です。明日は雨です。", "ja"),
        (
            "# Title\n\n| The | bridge |\n\nSee https://example.org/ponte for the bridge that was rebuilt after the war.",
            "en",
        ),
    ],
)
def test_known_languages(text, language):
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text", ["", "Apple Inc.", "12345 678910 11 12 13", "https://example.org/a/long/path"]
)
def test_too_little_to_tell(text):
    assert detect_language(text) is None
