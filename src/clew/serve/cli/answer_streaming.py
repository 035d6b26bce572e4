"""An answer on the terminal while it is written, and what follows the draft."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from clew.core.results import Answer
from clew.core.verification import SentenceVerdict
from clew.serve.cli.display import answer_lines
from clew.serve.cli.printing import printable


class DraftPrinter:
    """Writes pieces of a draft to stdout as they come; given to `ask` as `on_text`."""

    def __init__(self) -> None:
        self.written = False

    def __call__(self, piece: str) -> None:
        """Write a piece at once."""
        self.written = True
        typer.echo(printable(piece), nl=False)

    def lines(self, answer: Answer, *, verbose: bool) -> Iterator[str]:
        """Yield what follows: verdicts on the sentences of a draft, then sources and the rest.

        Without a draft, and where the answer was not written by a model, yields the whole answer.
        """
        if not self.written:
            yield from answer_lines(answer, verbose=verbose)
            return
        yield ""
        rest = answer_lines(answer, verbose=verbose)
        text = next(rest)
        if answer.model is None:
            yield from rest
            return
        yield ""
        if answer.verdicts:
            yield "Verified"
            yield from (_verdict_line(one) for one in answer.verdicts)
        if not answer.answered:
            yield text
        yield from rest


def _verdict_line(verdict: SentenceVerdict) -> str:
    """Return the markers of a sentence, or that there are none, its support and its words."""
    markers = "".join(f"[{number}]" for number in verdict.markers)
    told = f"  {markers or 'not supported':<13} {verdict.support:.2f}"
    if verdict.probability is not None:
        told += f" (model {verdict.probability:.2f})"
    return f"{told}  {printable(verdict.sentence)}"
