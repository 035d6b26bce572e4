"""Reads settings: arguments win over the environment, that over `clew.toml`, that over defaults.

Environment variables name a section and a key, `CLEW_RETRIEVAL__TOP_K=20`; lists are JSON. Other
`CLEW_*` variables (such as `CLEW_STORE`) are no settings.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_settings import EnvSettingsSource
from pydantic_settings import SettingsError as SourceError

from clew.core.errors import SettingsError
from clew.settings.model import Settings

FILE_NAME = "clew.toml"
_PREFIX = "CLEW_"
_ARGUMENTS = "the arguments"
_ENVIRONMENT = "the environment"
_NO_ARGUMENTS: Mapping[str, Any] = MappingProxyType({})

Values = dict[str, Any]


def load_settings(
    arguments: Mapping[str, Any] = _NO_ARGUMENTS,
    *,
    path: Path | None = None,
    folder: Path | None = None,
) -> Settings:
    """Return the settings in force.

    `arguments` is nested, `{"retrieval": {"top_k": 20}}`. Without `path` the nearest `clew.toml`
    in `folder` (default: the working folder) or above it is read, if there is one.

    Raises:
        SettingsError: a key is unknown or a value invalid (each is named with the place it came
            from and near matches), or the file cannot be read.
    """
    file = path or find_file(folder or Path.cwd())
    sources = [
        (_ARGUMENTS, dict(arguments)),
        (_ENVIRONMENT, _read_environment()),
        *([(str(file), _read_file(file))] if file else []),
    ]
    merged: Values = {}
    for _, values in reversed(sources):
        merged = _overlay(merged, values)
    try:
        return Settings(**merged)
    except ValidationError as error:
        problems = [
            _explain(problem["type"], problem["loc"], problem["msg"], sources)
            for problem in error.errors(include_input=False, include_url=False)
        ]
        raise SettingsError("\n".join(problems)) from None


def find_file(folder: Path) -> Path | None:
    """Return the nearest `clew.toml` in `folder` or above it, None if there is none."""
    start = folder.resolve()
    candidates = (place / FILE_NAME for place in (start, *start.parents))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _read_file(file: Path) -> Values:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read the settings file {file}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file} is not valid TOML: {error}") from error


def _read_environment() -> Values:
    variables = sorted(name for name in os.environ if name.upper().startswith(_PREFIX))
    for name in variables:
        _check_variable(name)
    try:
        return EnvSettingsSource(Settings)()
    except SourceError as error:
        suspects = ", ".join(name for name in variables if "__" in name)
        raise SettingsError(
            f"a list in {_ENVIRONMENT} is not valid JSON, such as '[\"OWNS\"]'; check {suspects}"
        ) from error


def _check_variable(name: str) -> None:
    """Refuse a variable that is meant as a setting but is none; the source would ignore it."""
    key = name[len(_PREFIX) :].lower()
    section, nested, _ = key.partition("__")
    if nested and section not in Settings.model_fields:
        raise SettingsError(_unknown((section,), f"{_ENVIRONMENT} ({name})"))
    for known in Settings.model_fields:
        if not nested and (key == known or key.startswith(f"{known}_")):
            wanted = f"{_PREFIX}{known}__{key[len(known) + 1 :] or 'key'}".upper()
            raise SettingsError(
                f"{name} in {_ENVIRONMENT} is not a setting: section and key are joined by two "
                f"underscores, as in {wanted}"
            )


def _overlay(below: Values, above: Mapping[str, Any]) -> Values:
    result = dict(below)
    for key, value in above.items():
        lower = result.get(key)
        nested = isinstance(lower, dict) and isinstance(value, Mapping)
        result[key] = _overlay(lower, value) if nested and lower is not None else value
    return result


def _explain(
    kind: str, location: tuple[int | str, ...], message: str, sources: list[tuple[str, Values]]
) -> str:
    keys = tuple(str(part) for part in location)
    place = next((name for name, values in sources if _holds(values, keys[:2])), "the settings")
    if kind == "extra_forbidden":
        return _unknown(keys, place)
    return f"invalid setting {'.'.join(keys)!r} in {place}: {message}"


def _holds(values: Mapping[str, Any], keys: tuple[str, ...]) -> bool:
    if not keys:
        return True
    inner = values.get(keys[0])
    if keys[0] not in values:
        return False
    return _holds(inner, keys[1:]) if isinstance(inner, Mapping) else True


def _unknown(keys: tuple[str, ...], place: str) -> str:
    siblings = _known_keys(keys[:-1])
    prefix = "".join(f"{key}." for key in keys[:-1])
    near = get_close_matches(keys[-1], siblings, n=3, cutoff=0.6)
    hint = (
        "did you mean " + " or ".join(repr(prefix + name) for name in near)
        if near
        else "known here: " + ", ".join(prefix + name for name in siblings)
    )
    return f"unknown setting {'.'.join(keys)!r} in {place}; {hint}"


def _known_keys(keys: tuple[str, ...]) -> list[str]:
    model: type[BaseModel] = Settings
    for key in keys:
        annotation = model.model_fields[key].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        model = annotation
    return list(model.model_fields)
