"""The soak runs, and says what it killed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.skip_allowed,
    pytest.mark.skipif(sys.platform == "win32", reason="it kills forks"),
]


def test_every_task_is_killed_and_comes_back(tmp_path: Path) -> None:
    report = tmp_path / "soak.json"
    command = [sys.executable, "-m", "benchmarks.soak", "--kills", "7", "--json", str(report)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["kills"] == 7
    assert found["differences"] == []
    assert sum(found["by_task"].values()) == 7
