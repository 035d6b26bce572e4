"""`clew keys`: who may use the server."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.core.errors import SettingsError
from clew.serve.access.api_key import ApiKey, Right
from clew.serve.access.key_file import KeyFile, key_file_of
from clew.serve.cli import options
from clew.serve.cli.exit_codes import EXIT_CODES_HELP
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.settings.load import load_settings

application = typer.Typer(no_args_is_help=True, epilog=EXIT_CODES_HELP)


@application.callback()
def keys() -> None:
    """Make, list and remove the API keys of a store; `clew serve` asks for them."""


@application.command(epilog=EXIT_CODES_HELP)
def add(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    store: options.Store = options.DEFAULT_STORE,
    right: Annotated[
        list[Right] | None, typer.Option("--right", help="Repeatable. Default: read.")
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option("--collection", help="Keep the key to this one; repeatable. Default: all."),
    ] = None,
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a key and show it, once: only its hash is kept."""
    with guarded():
        key, secret = _file(store).add(
            name,
            rights=right or (Right.READ,),
            collections=collection or None,
            groups=group or None,
        )
        if as_json:
            write_json({"key": _shown(key), "secret": secret})
        else:
            write_lines([_line(key), secret])


@application.command("list", epilog=EXIT_CODES_HELP)
def list_keys(
    store: options.Store = options.DEFAULT_STORE, as_json: options.AsJson = False
) -> None:
    """List the keys, without their secrets."""
    with guarded():
        found = _file(store).keys()
        if as_json:
            write_json({"keys": [_shown(key) for key in found]})
        else:
            write_lines(_line(key) for key in found)


@application.command(epilog=EXIT_CODES_HELP)
def remove(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="As `clew keys list` shows it.")],
    store: options.Store = options.DEFAULT_STORE,
    as_json: options.AsJson = False,
) -> None:
    """Remove a key; a running server refuses it from now on."""
    with guarded():
        gone = _file(store).remove(identifier)
        if as_json:
            write_json({"removed": _shown(gone)})
        else:
            write_lines([f"removed {_line(gone)}"])


def _file(store: options.Store) -> KeyFile:
    named = load_settings().serve.keys_file
    path = named or key_file_of(store)
    if path.is_dir():
        raise SettingsError(f"the key file {path} is a folder; set serve.keys_file to a file")
    return KeyFile(path)


def _shown(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "rights": to_json(key.rights),
        "collections": to_json(key.collections),
        "groups": to_json(key.groups),
        "created_at": to_json(key.created_at),
    }


def _line(key: ApiKey) -> str:
    places = "all collections" if key.collections is None else ", ".join(sorted(key.collections))
    groups = "all groups" if key.groups is None else ", ".join(sorted(key.groups))
    return f"{key.id}  {key.name}  {', '.join(sorted(key.rights))}  {places}  {groups}"
