"""Every row of docs/reference-map.md leads to something that is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from clew.core.causality import CausalQueryType, ExpertCell
from clew.core.knowledge import EdgeType, NodeType
from clew.core.query import FusionMode, FusionStrategy, RetrievalMode
from clew.core.reasoning import ReasoningParadigm

_ROOT = Path(__file__).parents[2]
_MAP = (_ROOT / "docs" / "reference-map.md").read_text(encoding="utf-8")
_ROWS = re.findall(r"^\|[^|]+\|[^|]+\| `([\w.]+):(\w+)` \| `([^`]+)` \|$", _MAP, re.MULTILINE)
_ENUMS = {
    enum.__name__: enum
    for enum in (
        CausalQueryType,
        EdgeType,
        ExpertCell,
        FusionMode,
        FusionStrategy,
        NodeType,
        ReasoningParadigm,
        RetrievalMode,
    )
}


def test_the_map_has_rows():
    assert len(_ROWS) == _MAP.split("## Values")[0].count("\n| guide") + _MAP.split("## Values")[
        0
    ].count("\n| hybrid") + _MAP.split("## Values")[0].count("\n| paper")


@pytest.mark.parametrize(("module", "name", "test"), _ROWS)
def test_every_name_can_be_imported_and_its_test_exists(module, name, test):
    assert hasattr(import_module(module), name)
    assert (_ROOT / test).exists()


@pytest.mark.parametrize("name", sorted(_ENUMS))
def test_the_values_are_those_of_the_map(name):
    (row,) = re.findall(rf"^\| `{name}` \| (.+) \|$", _MAP, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", row)) == {member.value for member in _ENUMS[name]}


@pytest.mark.parametrize(
    ("enum", "values"),
    [
        (RetrievalMode, {"vector_only", "kg_only", "dual", "adaptive"}),
        (FusionStrategy, {"reciprocal_rank", "weighted_average", "max_score", "learned"}),
        (ReasoningParadigm, {"chain_of_thought", "tree_of_thought", "graph_of_thought"}),
        (NodeType, {"entity", "concept", "event", "metric", "document", "fact"}),
        (
            EdgeType,
            {"is_a", "causes", "related_to", "contains", "precedes", "attributed_to"},
        ),
        (ExpertCell, {"cell03", "cell05", "cell13", "cell23", "boss_agent"}),
    ],
)
def test_the_guides_own_values_are_kept(enum, values):
    assert values <= {member.value for member in enum}
