"""The image cannot be built here: what it is built of is checked against the repository."""

import json
import re
import tomllib
from pathlib import Path

import yaml  # type: ignore[import-untyped]
from typer.testing import CliRunner

from clew.serve.cli.commands.serve import application
from clew.settings.model import ServeSettings

ROOT = Path(__file__).resolve().parents[2]
LINES = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "").splitlines()
STEPS = [tuple(line.split(maxsplit=1)) for line in LINES if line]
KNOWN = set(
    "FROM WORKDIR RUN COPY ENV USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD ARG LABEL".split()
)


def of(kind):
    return [rest for name, rest in STEPS if name == kind]


def test_every_step_is_an_instruction_and_the_last_user_is_not_root():
    assert {name for name, _ in STEPS} <= KNOWN
    assert of("USER")[-1] == "clew"
    assert all(image.split()[0].count(":") == 1 for image in of("FROM"))


def test_what_is_copied_is_there_and_not_ignored():
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for step in of("COPY"):
        if step.startswith("--from"):
            continue
        for name in step.split()[:-1]:
            assert (ROOT / name).exists()
            assert f"!{name}" in kept


def test_the_extras_exist_and_the_command_can_be_read():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (extras,) = re.findall(r"\[([\w,]+)\]\"", " ".join(of("RUN")))
    assert set(extras.split(",")) <= set(project["project"]["optional-dependencies"])
    assert json.loads(of("ENTRYPOINT")[0]) == ["clew"]
    command, *options = json.loads(of("CMD")[-1])
    assert command == "serve"
    assert CliRunner().invoke(application, [*options, "--help"]).exit_code == 0


def test_compose_serves_the_port_of_the_settings_to_this_machine_alone():
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    service = compose["services"]["clew"]
    port = ServeSettings().port
    assert service["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert of("EXPOSE") == [str(port)]
    (volume,) = service["volumes"]
    name, place = volume.split(":")
    assert name in compose["volumes"]
    assert of("VOLUME") == [place]
