import io
import sys

from clew.core.jobs import Progress
from clew.serve.cli.progress import progress_bars


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_a_bar_a_stage_with_rate_and_time_left(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bars() as draw:
        assert draw is not None
        draw(Progress("embed", 1, 3))
        draw(Progress("embed", 3, 3))
        draw(Progress("extract", 2, None))
    shown = terminal.getvalue()
    assert "embed" in shown
    assert "3/3" in shown
    assert "extract" in shown


def test_nothing_is_drawn_where_nobody_looks(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with progress_bars() as draw:
        assert draw is None
    assert pipe.getvalue() == ""
