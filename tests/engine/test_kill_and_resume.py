import json
import subprocess
import sys
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
def test_killed_at_fifty_points_and_resumed_an_ingest_ends_in_the_undisturbed_state(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.kill_runs", str(tmp_path), "50", "11"],
        cwd=_REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(runs) == 50
    assert all(run["killed"][0] for run in runs)
    assert {reason for run in runs for reason in run["merges"]} >= {"acronym", "cosine"}
    assert [run for run in runs if run["differences"]] == []
