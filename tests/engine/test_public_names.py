import tomllib
from pathlib import Path

import pytest

import clew
from clew.engine.version import VERSION


def test_the_version_is_that_of_the_project():
    project = tomllib.loads(
        (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    )
    assert project["project"]["version"] == VERSION == clew.__version__


@pytest.mark.parametrize("name", clew.__all__)
def test_every_public_name_can_be_had(name):
    assert getattr(clew, name) is not None
    assert name in dir(clew)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'clew' has no attribute 'nothing'"):
        _ = clew.nothing
