"""Opening a new store from several processes at the same moment."""

import subprocess
import sys
from pathlib import Path

from clew.stores.embedded.store import EmbeddedStore

_OPENER = """
import sys
from clew.stores.embedded.store import EmbeddedStore

sys.stdin.readline()
for number in range(20):
    store = EmbeddedStore(f"{sys.argv[1]}/{number}.clew")
    store.set_fact("main", sys.argv[2], "opened")
    store.close()
"""


def test_processes_that_make_one_store_at_once_all_open_it(tmp_path: Path) -> None:
    openers = [
        subprocess.Popen(
            [sys.executable, "-c", _OPENER, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("left", "middle", "right")
    ]
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write("go\n")
        opener.stdin.flush()
    assert [opener.communicate()[1] for opener in openers] == [""] * 3
    for number in range(20):
        store = EmbeddedStore(tmp_path / f"{number}.clew")
        assert store.facts("main") == dict.fromkeys(("left", "middle", "right"), "opened")
        store.close()
