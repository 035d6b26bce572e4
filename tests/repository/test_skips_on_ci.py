"""On CI a skipped test fails the session, unless the skip is allowed or an expected failure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"
MARKERS = "[pytest]\nmarkers =\n    data(folder)\n    skip_allowed\n"


def run_session(folder, body, *, ci):
    (folder / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "pytest.ini").write_text(MARKERS, encoding="utf-8")
    (folder / "test_it.py").write_text("import pytest\n" + body, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    environment |= {"CLEW_TEST_DATA": str(folder / "nowhere")} | ({"CI": "true"} if ci else {})
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


NEEDS_DATA = "@pytest.mark.data('x')\ndef test_a(): pass\ndef test_b(): pass\n"
USES_FIXTURE = "def test_a(data_folder): pass\n"
WHOLE_FILE = "pytest.skip('no service', allow_module_level=True)\n"
ALLOWED = (
    "@pytest.mark.skip_allowed\n@pytest.mark.data('x')\ndef test_a(): pass\n"
    "@pytest.mark.xfail\ndef test_b(): 1 / 0\ndef test_c(): pass\n"
)


@pytest.mark.parametrize("body", [NEEDS_DATA, USES_FIXTURE])
def test_missing_data_fails_on_ci(tmp_path, body):
    outcome = run_session(tmp_path, body, ci=True)
    assert outcome.returncode == 1
    assert "skipped on CI" in outcome.stdout
    assert "test_it.py::test_a" in outcome.stdout


def test_missing_data_is_skipped_elsewhere(tmp_path):
    outcome = run_session(tmp_path, NEEDS_DATA, ci=False)
    assert outcome.returncode == 0
    assert "1 passed, 1 skipped" in outcome.stdout


def test_skipped_file_fails_on_ci(tmp_path):
    outcome = run_session(tmp_path, WHOLE_FILE + "def test_a(): pass\n", ci=True)
    assert outcome.returncode != 0
    assert "skipped on CI" in outcome.stdout


def test_allowed_skips_and_expected_failures_pass(tmp_path):
    outcome = run_session(tmp_path, ALLOWED, ci=True)
    assert outcome.returncode == 0, outcome.stdout
