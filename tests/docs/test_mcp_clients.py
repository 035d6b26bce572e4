"""The configurations in docs/mcp.md can be read, and start the command as it is."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clew.serve.cli.commands.mcp import application
from clew.serve.mcp.running import PATH
from clew.serve.mcp.tools.table import TOOLS

TEXT = (Path(__file__).resolve().parents[2] / "docs/mcp.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(json|toml)\n(.*?)```", TEXT, re.DOTALL)


def servers():
    for language, text in BLOCKS:
        read = json.loads(text) if language == "json" else tomllib.loads(text)
        (named,) = read.values()
        yield named["clew"]


def test_there_is_one_for_each_kind_of_client():
    assert len(list(servers())) == 4


@pytest.mark.parametrize("server", list(servers()))
def test_it_names_the_command_or_the_path(server):
    if "url" in server:
        assert server["url"].endswith(PATH)
        return
    assert server["command"] == "clew"
    assert server["args"][0] == "mcp"
    # `--help` comes last, so that all before it is read.
    shown = CliRunner().invoke(application, [*server["args"][1:], "--help"])
    assert shown.exit_code == 0, shown.output


def test_every_tool_is_described():
    assert set(TOOLS) == set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| `.*?\|", TEXT, re.M))))
