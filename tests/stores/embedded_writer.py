"""Processes that write numbered transactions to an embedded store until they are killed.

    python embedded_writer.py

Each line `FOLDER NAME COUNT` on its input forks one such process, whose
number is printed as `pid N`; forking spares the tests most of the imports.

Transaction n writes document n with one chunk, a node that only it mentions, an edge from the last
node to it, and the fact NAME = n; `NAME n` is printed when it is committed, `NAME done` at the end.
"""

from __future__ import annotations

import os
import sys

from clew.stores.embedded.store import EmbeddedStore
from clew.testing.store_samples import MAIN, axis, edge, filed, mention, say, write


def write_number(store: EmbeddedStore, name: str, number: int) -> None:
    """Write one transaction."""
    entry = filed(f"{name}{number}", f"{name} number{number} was written")
    this, last = f"{name} node {number}", f"{name} node {max(number - 1, 0)}"
    with store.transaction():
        write(store, entry, vectors=[axis(number % 8)])
        say(store, entry, mention(entry.chunks[0], this))
        say(store, entry, edge(last, this, *entry.chunks))
        store.set_fact(MAIN, name, str(number))


def write_numbers(folder: str, name: str, count: int) -> None:
    """Write until the count is reached."""
    store = EmbeddedStore(folder)
    for number in range(count):
        write_number(store, name, number)
        _say(f"{name} {number}")
        if number % 16 == 15:
            store.compact()
    store.close()
    _say(f"{name} done")


def main() -> None:
    """Fork a writer for each line of the input."""
    for line in sys.stdin:
        folder, name, count = line.split()
        child = os.fork()
        if child == 0:
            write_numbers(folder, name, int(count))
            os._exit(0)
        _say(f"pid {child}")
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def _say(text: str) -> None:
    # One short write to a pipe is never torn, so that two writers may share it.
    os.write(sys.stdout.fileno(), f"{text}\n".encode())


if __name__ == "__main__":
    main()
