"""What the model is asked to write: entities, triples and claims, as a JSON schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clew.core.knowledge import EdgeType

DEFAULT_LABELS = (
    "PERSON ORG GPE LOC FAC WORK_OF_ART EVENT PRODUCT LAW LANGUAGE NORP CONCEPT"
).split()
"""The labels of the rule extractor's annotator, and CONCEPT for key terms: both agree on names."""
STATUSES = ("stated", "denied", "reported", "hedged")
KINDS = tuple(
    kind.value
    for kind in (
        EdgeType.CAUSES,
        EdgeType.IS_A,
        EdgeType.CONTAINS,
        EdgeType.PRECEDES,
        EdgeType.ATTRIBUTED_TO,
        EdgeType.RELATED_TO,
    )
)
_MOST_ENTITIES = 24
_MOST_TRIPLES = 24
_MOST_CLAIMS = 16
_TEXT = {"type": "string"}


@dataclass(frozen=True, slots=True)
class KnowledgeSchema:
    """The labels and relations that a collection's knowledge may have; empty relations: any."""

    labels: tuple[str, ...] = tuple(DEFAULT_LABELS)
    relations: tuple[str, ...] = ()


ANY_RELATION = KnowledgeSchema()


def answer_schema(schema: KnowledgeSchema) -> Mapping[str, object]:
    """Return the JSON schema of an answer; lists are bounded, since small models loop."""
    relation = {"enum": list(schema.relations)} if schema.relations else _TEXT
    statement = {"status": {"enum": list(STATUSES)}, "date": _TEXT}
    number = {"sentence": {"type": "integer"}}
    return _object(
        {
            "entities": _list(
                {"name": _TEXT, "label": {"enum": list(schema.labels)}}, _MOST_ENTITIES
            ),
            "triples": _list(
                {
                    **number,
                    "subject": _TEXT,
                    "relation": relation,
                    "object": _TEXT,
                    "kind": {"enum": list(KINDS)},
                    **statement,
                },
                _MOST_TRIPLES,
            ),
            "claims": _list({**number, "subject": _TEXT, **statement}, _MOST_CLAIMS),
        }
    )


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    required: Sequence[str] = list(properties)
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }


def _list(properties: Mapping[str, object], most: int) -> dict[str, object]:
    return {"type": "array", "items": _object(properties), "maxItems": most}
