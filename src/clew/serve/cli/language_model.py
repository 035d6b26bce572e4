"""From `--llm` and `--verify` to settings."""

from __future__ import annotations


def model_settings(place: str | None, verify: str | None) -> dict[str, dict[str, object]]:
    """Return the settings that the options give, nested by section; what is not given is left out.

    `place` is an http address or the path of a GGUF file, and takes the place of the other kind in
    the settings. A name of a model is kept for an address.
    """
    settings: dict[str, dict[str, object]] = {}
    if place is not None and "://" in place:
        settings["llm"] = {"base_url": place, "path": None}
    elif place is not None:
        settings["llm"] = {"path": place, "base_url": None, "model": None}
    if verify is not None:
        settings["answer"] = {"verify": verify}
    return settings
