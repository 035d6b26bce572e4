"""Random operations on the embedded store and the reference, with compaction and reopening."""

from __future__ import annotations

import itertools
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.testing.store_machine import StoreMachine


def test_agrees_with_the_reference_under_random_operations(tmp_path: Path) -> None:
    numbers = itertools.count()

    class EmbeddedMachine(StoreMachine):
        """Also reopens the folder, and reads it through a second store at the same time."""

        def __init__(self) -> None:
            self.folder = tmp_path / f"{next(numbers)}.clew"
            # Lists from 4 rows on, so that both ways of searching vectors take part.
            super().__init__(MemoryStore, self.opened)

        def opened(self) -> EmbeddedStore:
            return EmbeddedStore(self.folder, inverted_lists_from=4)

        @rule(compacted=st.booleans())
        def reopen(self, *, compacted: bool) -> None:
            """Close the store, perhaps compacted, and open it again."""
            if compacted:
                self.actual.compact()
            self.actual.close()
            self.actual = self.opened()

        @rule()
        def swap_with_a_second_store(self) -> None:
            """Go on through another store on the same folder."""
            second = self.opened()
            self.actual.close()
            self.actual = second

    run_state_machine_as_test(
        EmbeddedMachine,
        settings=settings(
            deadline=None,
            max_examples=10,
            stateful_step_count=15,
            suppress_health_check=list(HealthCheck),
        ),
    )
