"""What docs/sources.md shows can be used as it stands there."""

import re
import tomllib
from pathlib import Path

from clew.core.jobs import FileOutcome
from clew.core.watching import WatchEventKind
from clew.ingest.schema_files import read_schema
from clew.settings.model import Settings, WebSettings

_PAGE = (Path(__file__).parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")
_BLOCKS = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", _PAGE, re.DOTALL)]


def test_the_settings_shown_are_the_defaults():
    (web,) = [block["web"] for block in _BLOCKS if "web" in block]
    assert Settings(web=web).web == WebSettings()
    assert set(web) == set(WebSettings.model_fields) - {"proxy"}


def test_the_schema_shown_is_one():
    (written,) = [block for block in _BLOCKS if "fields" in block]
    schema = read_schema(written)
    assert schema.refuse_unknown
    assert schema.fields["department"].required
    assert {rule.kind.value for rule in schema.fields.values()} == {
        "text",
        "integer",
        "date",
        "list",
    }


def test_every_event_is_named():
    assert all(f"`{kind.value}`" in _PAGE for kind in WatchEventKind)
    assert FileOutcome.EXCLUDED.value in _PAGE
