"""Decisions about names, and which node is read as which."""

from datetime import UTC, datetime

import pytest

from clew.core.decisions import Decisions, Different, Same
from clew.core.errors import StoreError
from clew.core.ids import node_id
from clew.core.merging import MergedNodes

NOW = datetime(2026, 1, 1, tzinfo=UTC)
A, B, C = node_id("a"), node_id("b"), node_id("c")


def same(node, into, *keys):
    return Same(node, into, "", "", keys, NOW)


def test_chains_lead_to_the_end():
    decisions = Decisions((same(B, A), same(A, C)))
    assert decisions.merged.roots == {B: C, A: C}


def test_names_of_a_merged_node_stand_for_it_whatever_they_are_read_as():
    decisions = Decisions((same(B, A, "bee", "b"), same(A, C, "ay")))
    assert decisions.own_node("b", C) == B
    assert decisions.own_node("bee", C) == B
    assert decisions.own_node("a", C) == A
    assert decisions.own_node("ay", C) == A
    assert decisions.own_node("c", C) == C
    assert decisions.own_node("other", C) == C
    assert decisions.own_node("b", A) == A


def test_what_is_forbidden_does_not_stand():
    decisions = Decisions(
        (same(B, A, "bee"),), (Different("x", C, "c", node_id("x"), "X", "C", NOW),)
    )
    assert decisions.standing("x", (C, A)) == (A,)
    assert decisions.standing("bee", (A, C)) == (B, C)
    assert decisions.standing("c", (C, node_id("x"))) == (C,)


def test_a_root_that_is_merged_is_refused():
    with pytest.raises(StoreError, match="merged itself"):
        MergedNodes({B: A, A: C})


def test_edges_between_nodes_that_are_one_keep_their_ends():
    merging = MergedNodes({B: A, C: A})
    assert merging.ends(B, 9) == (A, 9)
    assert merging.ends(9, C) == (9, A)
    assert merging.ends(B, C) == (B, C)
    assert merging.ends(B, B) == (A, A)


def test_groups_that_change_are_told():
    old, new = MergedNodes({B: A, 8: 9}), MergedNodes({C: A, B: A, 8: 9})
    assert old.changed_groups(new) == {A, B, C}
    assert MergedNodes({B: A}).changed_groups(MergedNodes({A: B})) == {A, B}
    assert new.changed_groups(new) == set()
