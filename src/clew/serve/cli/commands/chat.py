"""`clew chat`: a conversation with the documents, kept unless told otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from clew.core.conversation import Chat, Turn
from clew.core.errors import QueryError
from clew.engine.chat.session import ChatSession
from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.answer_streaming import DraftPrinter
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode, one_line
from clew.serve.cli.guard import guarded, write_lines, write_problems
from clew.serve.cli.json_output import answer_json, to_json, write_json, write_json_line
from clew.serve.cli.language_model import model_settings
from clew.serve.cli.parameters import principal_of
from clew.serve.cli.printing import printable
from clew.settings.load import load_settings

application = typer.Typer()
_END = frozenset({"/quit", "/exit"})


@application.command(epilog=EXIT_CODES_HELP)
def chat(
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    session: Annotated[str | None, typer.Option("--session", help="Go on with this one.")] = None,
    list_them: Annotated[bool, typer.Option("--list", help="List the conversations.")] = False,
    show: Annotated[str | None, typer.Option("--show", metavar="ID", help="Show one.")] = None,
    remove: Annotated[
        str | None, typer.Option("--remove", metavar="ID", help="Remove one.")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep/--no-keep", help="Save the turns.")] = True,
    mode: options.Mode = None,
    top_k: options.TopK = None,
    group: options.Groups = None,
    llm: options.LanguageModel = None,
    verify: options.Verify = None,
    verifier: options.VerifierName = None,
    stream: options.Stream = True,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show provenance and timings too.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object a line for each answer.")
    ] = False,
) -> None:
    """Answer one question a line; "And in 1999?" and "Where was she born?" are understood.

    A question that fails is told and does not end the talk; /quit, Ctrl-D and the end of a pipe do.
    """
    principal = principal_of(group)
    with guarded():
        settings = load_settings(model_settings(llm, verify, verifier))
        with Clew.open(store, collection, settings=settings, create=False) as clew:
            if list_them:
                found = clew.chats.list(principal=principal)
                _tell_list(found, as_json=as_json)
                if not found:
                    raise typer.Exit(ExitCode.NOTHING_FOUND)
                return
            if show is not None:
                _tell_one(clew.chats.show(show, principal=principal), as_json=as_json)
                return
            if remove is not None:
                clew.chats.remove(remove)
                write_lines([f"Removed {remove}"])
                return
            talk = clew.chat(session, keep=keep, principal=principal)
            streaming = stream and not as_json and settings.llm.is_configured
            for question in _questions():
                _answer(
                    talk,
                    question,
                    mode=mode,
                    top_k=top_k,
                    streaming=streaming,
                    verbose=verbose,
                    as_json=as_json,
                )
            if keep and talk.history and not as_json:
                write_problems([f"go on with: clew chat --session {talk.id}"])


def _questions() -> Iterator[str]:
    """Yield the lines of stdin, with a prompt where a person types them."""
    typed = sys.stdin.isatty()
    while True:
        if typed:
            typer.echo("> ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line or line.strip() in _END:
            return
        if line.strip():
            yield line.strip()


def _answer(
    talk: ChatSession,
    question: str,
    *,
    mode: str | None,
    top_k: int | None,
    streaming: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    draft = DraftPrinter()
    try:
        answer = talk.ask(question, mode=mode, top_k=top_k, on_text=draft if streaming else None)
    except QueryError as error:
        write_problems([f"clew: {one_line(error)}"])
        return
    if as_json:
        write_json_line({"session": talk.id, "asked": question, **_record(answer_json(answer))})
        return
    if answer.question != question:
        write_problems([f"(asked: {printable(answer.question)})"])
    write_lines(draft.lines(answer, verbose=verbose))
    write_lines([""])


def _record(value: object) -> dict[str, object]:
    return dict(value) if isinstance(value, dict) else {}


def _tell_list(found: tuple[Chat, ...], *, as_json: bool) -> None:
    if as_json:
        write_json({"chats": to_json(found)})
        return
    for each in found:
        count = f"{len(each.turns)} turn{'' if len(each.turns) == 1 else 's'}"
        write_lines(
            [f"{each.id}  {each.updated_at:%Y-%m-%d %H:%M}  {count}  {printable(each.title)}"]
        )
    if not found:
        write_lines(["No conversations; `clew chat` begins one."])


def _tell_one(found: Chat, *, as_json: bool) -> None:
    if as_json:
        write_json(to_json(found))
        return
    for turn in found.turns:
        write_lines(_turn_lines(turn))


def _turn_lines(turn: Turn) -> Iterator[str]:
    yield f"> {printable(turn.question)}"
    if turn.asked != turn.question:
        yield f"(asked: {printable(turn.asked)})"
    withdrawn = "(withdrawn: a document that it rests on is gone or may not be seen)"
    yield withdrawn if turn.withdrawn else printable(turn.answer)
    yield ""
