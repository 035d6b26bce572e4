"""A tool: its names, its arguments and output as schemas, what it does, and what it may change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mcp.types import Tool as Listed
from mcp.types import ToolAnnotations
from pydantic import BaseModel

from clew.serve.access.api_key import Right
from clew.serve.json_form import Json
from clew.serve.mcp.call import Call

Arguments = TypeVar("Arguments", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Told:
    """What a tool gives back: text for a reader, with its citations, and the same as data."""

    text: str
    data: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Tool(Generic[Arguments]):
    """One tool. `right` is what it takes somewhere to see it; `run` checks it for the collection.

    `read_only`: it changes nothing; `destructive`: it may replace or remove; `idempotent`: to repeat it changes nothing more;
    `open_world`: it may reach beyond the store.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    output: type[BaseModel]
    run: Callable[[Call, Arguments], Told]
    right: Right = Right.READ
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False

    def listed(self) -> Listed:
        """Return the tool as a client sees it."""
        return Listed(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.arguments.model_json_schema(),
            output_schema=self.output.model_json_schema(mode="serialization"),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.read_only,
                destructive_hint=self.destructive,
                idempotent_hint=self.idempotent,
                open_world_hint=self.open_world,
            ),
        )

    def call(self, call: Call, given: dict[str, Any]) -> Told:
        """Run the tool.

        Raises:
            ValidationError: the arguments are not as they should be.
        """
        return self.run(call, self.arguments.model_validate(given))
