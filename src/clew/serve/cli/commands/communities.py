"""`clew communities`: build, list and show the communities of a collection."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.core.errors import NotFoundError
from clew.core.ids import format_id
from clew.core.knowledge import Community
from clew.engine.clew import Clew
from clew.serve.cli import options
from clew.serve.cli.display import community_lines, community_report_lines
from clew.serve.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from clew.serve.cli.guard import guarded, write_lines
from clew.serve.cli.json_output import to_json, write_json
from clew.serve.cli.parameters import principal_of
from clew.serve.cli.printing import printable
from clew.serve.cli.progress import progress_bars

application = typer.Typer(no_args_is_help=True, add_completion=False, epilog=EXIT_CODES_HELP)


@application.callback()
def communities() -> None:
    """Dense groups of the graph, each with a summary; modes `community` and `global` use them."""


@application.command(epilog=EXIT_CODES_HELP)
def build(
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    afresh: Annotated[
        bool, typer.Option("--afresh", help="Forget the former communities first.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Find communities and summarise what changed since the last time."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew, progress_bars() as progress:
            report = clew.build_communities(afresh=afresh, progress=progress)
        if as_json:
            write_json(to_json(report))
        else:
            write_lines(community_report_lines(report))


@application.command(name="list", epilog=EXIT_CODES_HELP)
def list_(
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    level: options.Level = None,
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """List communities with their summaries. Exits with 4 if there are none."""
    with guarded():
        with Clew.open(store, collection, create=False) as clew:
            found = clew.communities(level=level, principal=principal_of(group))
        if as_json:
            write_json({"communities": to_json(found)})
        else:
            write_lines(line for one in found for line in community_lines(one))
            if not found:
                write_lines(["No communities; `clew communities build` makes them."])
        if not found:
            raise typer.Exit(ExitCode.NOTHING_FOUND)


@application.command(epilog=EXIT_CODES_HELP)
def show(
    community: Annotated[str, typer.Argument(help="Its path, such as level0_3.level1_7, or id.")],
    store: options.Store = options.DEFAULT_STORE,
    collection: options.Collection = "default",
    group: options.Groups = None,
    as_json: options.AsJson = False,
) -> None:
    """Show a community with its members, once for each acl that may be seen."""
    with guarded():
        principal = principal_of(group)
        with Clew.open(store, collection, create=False) as clew:
            found = _named(community, clew.communities(principal=principal))
            names = {
                member: clew.node(member, principal=principal).name
                for one in found
                for member in one.members
            }
        if as_json:
            write_json(
                {
                    "communities": to_json(found),
                    "names": {format_id(member): name for member, name in names.items()},
                }
            )
        else:
            for one in found:
                write_lines(community_lines(one))
                write_lines(f"  {printable(names[member])}" for member in one.members)


def _named(name: str, communities: tuple[Community, ...]) -> list[Community]:
    found = [one for one in communities if name in (one.path, format_id(one.id))]
    if not found:
        raise NotFoundError(
            f"there is no community {name!r}; `clew communities list` shows the paths"
        )
    return found
