"""Shared fixtures, and the rule that on CI nothing is skipped unnoticed.

Public test data is looked for in the folder that CLEW_TEST_DATA names, by default `shared/data`
beside the repository. A test marked `data("name")` is skipped where `name` is not in it.
"""

import os
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).resolve().parents[1]
_ON_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
_skipped: list[str] = []


def _test_data() -> Path:
    named = os.environ.get("CLEW_TEST_DATA")
    return Path(named) if named else _REPOSITORY.parent / "shared" / "data"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of the public test data; a test that uses it is marked `data(folder)`."""
    folder = _test_data()
    if not folder.is_dir():
        pytest.skip(f"no test data at {folder}: set CLEW_TEST_DATA")
    return folder


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("data"):
        for name in marker.args:
            folder = _test_data() / name
            if not folder.exists():
                pytest.skip(f"no test data at {folder}: set CLEW_TEST_DATA")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    expected = hasattr(report, "wasxfail") or "skip_allowed" in report.keywords
    if report.skipped and not expected:
        _skipped.append(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _ON_CI and _skipped and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _ON_CI and _skipped:
        terminalreporter.section("skipped on CI, which counts as failure", red=True)
        for name in _skipped:
            terminalreporter.line(name)
        terminalreporter.line(
            "Provide what they need (the reasons are above), or mark what may be skipped with "
            "@pytest.mark.skip_allowed."
        )
