"""Tools that look at the graph: paths, neighbours, communities, timelines."""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from clew.serve.access.api_key import Right
from clew.serve.json_form import to_json
from clew.serve.mcp.arguments import AtCollection
from clew.serve.mcp.call import Call
from clew.serve.mcp.outputs import Communities, Neighbourhood, Paths, Timeline
from clew.serve.mcp.tool import Told, Tool
from clew.serve.mcp.wording import (
    communities_text,
    neighbours_text,
    paths_text,
    timeline_text,
)
from clew.serve.rest.models_of_questions import KnowledgeKind, Words


class Between(AtCollection):
    """Two things."""

    first: Words = Field(description="A name or an id.")
    second: Words = Field(description="A name or an id.")
    max_hops: int = Field(default=4, ge=1, le=8)
    temporal_at: AwareDatetime | None = Field(default=None, description="What held then.")


class Around(AtCollection):
    """A thing."""

    name: Words = Field(description="A name or an id.")
    limit: int = Field(default=20, ge=1, le=1000)
    kinds: list[KnowledgeKind] = Field(default=[], description="Kinds of edges; none: all.")
    temporal_at: AwareDatetime | None = Field(default=None, description="What held then.")


class AtLevel(AtCollection):
    """A level of the hierarchy, 0 the coarsest."""

    level: int | None = Field(default=None, ge=0, le=9)
    limit: int = Field(default=50, ge=1, le=1000)


class Within(AtCollection):
    """A thing and a time."""

    name: Words | None = Field(default=None, description="A name or an id; none: everything.")
    start: AwareDatetime | None = None
    end: AwareDatetime | None = None
    limit: int = Field(default=100, ge=1, le=1000)


def _path(call: Call, given: Between) -> Told:
    caller = call.at(given.collection, Right.READ)
    found = caller.clew.path(
        given.first,
        given.second,
        max_hops=given.max_hops,
        temporal_at=given.temporal_at,
        principal=caller.principal,
    )
    return Told(paths_text(found), {"collection": caller.collection, "paths": to_json(found)})


def _neighbours(call: Call, given: Around) -> Told:
    caller = call.at(given.collection, Right.READ)
    found = caller.clew.graph.neighbours(
        given.name,
        limit=given.limit,
        kinds=given.kinds,
        temporal_at=given.temporal_at,
        principal=caller.principal,
    )
    return Told(
        neighbours_text(found),
        {
            "collection": caller.collection,
            "node": to_json(found.node),
            "neighbours": to_json(found.neighbours),
            "degree": found.degree,
        },
    )


def _communities(call: Call, given: AtLevel) -> Told:
    caller = call.at(given.collection, Right.READ)
    found = caller.clew.communities(level=given.level, principal=caller.principal)[: given.limit]
    return Told(
        communities_text(found), {"collection": caller.collection, "communities": to_json(found)}
    )


def _timeline(call: Call, given: Within) -> Told:
    caller = call.at(given.collection, Right.READ)
    found = caller.clew.graph.timeline(
        given.name,
        start=given.start,
        end=given.end,
        limit=given.limit,
        principal=caller.principal,
    )
    return Told(timeline_text(found), {"collection": caller.collection, "timeline": to_json(found)})


PATH = Tool(
    name="path",
    title="How two things are connected",
    description="Return the shortest paths between two things, surest first, with each edge.",
    arguments=Between,
    output=Paths,
    run=_path,
)
NEIGHBOURS = Tool(
    name="neighbours",
    title="What a thing is joined to",
    description="Return the edges of a thing, surest first, with what the documents say of each.",
    arguments=Around,
    output=Neighbourhood,
    run=_neighbours,
)
COMMUNITIES = Tool(
    name="communities",
    title="Groups of things",
    description="Return the communities of the graph with their summaries.",
    arguments=AtLevel,
    output=Communities,
    run=_communities,
)
TIMELINE = Tool(
    name="timeline",
    title="What was when",
    description="Return what is dated about a thing, or about everything, earliest first.",
    arguments=Within,
    output=Timeline,
    run=_timeline,
)
