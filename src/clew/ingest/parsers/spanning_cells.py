"""Cells that span rows or columns: their text stands in every cell that they cover."""

from __future__ import annotations

from dataclasses import dataclass, field

_MOST_COVERED = 200_000


@dataclass(slots=True)
class SpanningRows:
    """Rows of a table whose cells come one after the other, as in HTML.

    A cell that is alone in its row is not repeated. Beyond 200,000 covered cells spans are no
    longer followed, so that a small file cannot make a huge table.
    """

    rows: list[list[str]] = field(default_factory=list[list[str]])
    _down: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    _cells: int = 0
    _covered: int = 0

    def begin_row(self) -> None:
        """Begin a row."""
        self._end_row()
        self.rows.append([])
        self._cells = 0
        self._fill_from_above()

    def add(self, text: str, *, columns: int = 1, rows: int = 1) -> None:
        """Add a cell that spans `columns` and `rows`."""
        if not self.rows:
            self.begin_row()
        row = self.rows[-1]
        self._cells += 1
        for _ in range(max(1, columns)):
            if rows > 1 and self._covered < _MOST_COVERED:
                self._down[len(row)] = (rows - 1, text)
            row.append(text)
            self._covered += 1
            if self._covered >= _MOST_COVERED:
                break
        self._fill_from_above()

    def finished(self) -> list[list[str]]:
        """Return the rows."""
        self._end_row()
        return self.rows

    def _end_row(self) -> None:
        """Write a cell that fills its row only once."""
        if self.rows and self._cells == 1 and len(set(self.rows[-1])) == 1:
            self.rows[-1] = self.rows[-1][:1]

    def _fill_from_above(self) -> None:
        """Add the cells of earlier rows that reach down to where the row has come."""
        row = self.rows[-1]
        while len(row) in self._down and self._covered < _MOST_COVERED:
            left, text = self._down.pop(len(row))
            if left > 1:
                self._down[len(row)] = (left - 1, text)
            row.append(text)
            self._covered += 1
