"""Whether files are read with text recognition: what `add` says goes before the settings."""

import pytest

from clew.engine.sources import file_reader
from clew.settings.model import IngestSettings


@pytest.mark.parametrize(
    ("setting", "said", "expected"),
    [(False, None, False), (True, None, True), (False, True, True), (True, False, False)],
)
def test_what_add_says_goes_before_the_settings(setting, said, expected):
    reader = file_reader(None, IngestSettings(ocr=setting), ocr=said)
    assert (".png" in reader.suffixes) is expected
    assert {".pptx", ".xlsx", ".csv", ".json", ".xml", ".epub", ".eml"} <= reader.suffixes
