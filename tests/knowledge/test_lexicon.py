from __future__ import annotations

import pytest

from clew.core.knowledge import EdgeType
from clew.knowledge.lexicon import LEXICON, RELATED, meaning, relation_label


@pytest.mark.parametrize(
    ("lemmas", "kind", "inverse"),
    [
        ("lead to", EdgeType.CAUSES, None),
        ("be cause by", EdgeType.CAUSES, "CAUSED"),
        ("part of", EdgeType.CONTAINS, "HAS_PART"),
        ("consist of", EdgeType.CONTAINS, None),
        ("precede", EdgeType.PRECEDES, None),
        ("succeed", EdgeType.PRECEDES, "SUCCEEDED_BY"),
        ("be credit to", EdgeType.ATTRIBUTED_TO, None),
    ],
)
def test_phrases_have_their_kind_and_direction(
    lemmas: str, kind: EdgeType, inverse: str | None
) -> None:
    assert (meaning(lemmas).kind, meaning(lemmas).inverse) == (kind, inverse)


def test_what_is_not_listed_is_related() -> None:
    assert meaning("be bear in") is RELATED


def test_inverses_are_labels_already() -> None:
    for entry in LEXICON.values():
        if entry.inverse is not None:
            assert entry.inverse == relation_label(entry.inverse)


@pytest.mark.parametrize(
    ("phrase", "negated", "label"),
    [
        ("invested in", False, "INVESTED_IN"),
        ("took over", False, "TOOK_OVER"),
        ("acquire", True, "NOT_ACQUIRE"),
        (" co-founded by ", False, "CO_FOUNDED_BY"),
        ("é conhecido", False, "É_CONHECIDO"),
        ("...", False, ""),
    ],
)
def test_relation_label(phrase: str, negated: bool, label: str) -> None:  # noqa: FBT001
    assert relation_label(phrase, negated=negated) == label
