import json

import pytest
from typer.testing import CliRunner

from clew.engine import components
from clew.serve.cli.main import application
from clew.testing.fakes import HashingEmbedder
from tests.engine.stand_ins import PatternExtractor


class CommandLine:
    """Runs `clew` in this process on a store of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.store = folder / "kb.clew"

    def __call__(self, *arguments, code=0):
        done = CliRunner().invoke(
            application, list(map(str, arguments)), env={"CLEW_STORE": str(self.store)}
        )
        assert done.exit_code == code, (done.exit_code, done.stdout, done.stderr, done.exception)
        return done

    def json(self, *arguments, code=0):
        return json.loads(self(*arguments, "--json", code=code).stdout)


@pytest.fixture
def clew(tmp_path, monkeypatch):
    monkeypatch.setattr(components, "_bundled_embedder", lambda settings: HashingEmbedder())
    monkeypatch.setattr(
        components.Components, "_configured_extractor", lambda self: PatternExtractor()
    )
    monkeypatch.chdir(tmp_path)
    return CommandLine(tmp_path)


@pytest.fixture
def documents(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "acme.md").write_text(
        "# Acme Corp\n\nAcme Corp acquired Beta Labs. Ada Moreau leads Acme Corp.\n",
        encoding="utf-8",
    )
    (folder / "beta.txt").write_text("Beta Labs supplies Gamma Partners.\n", encoding="utf-8")
    return folder
