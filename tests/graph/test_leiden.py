"""Communities of graphs whose parts are known, and what must hold for every graph."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from clew.graph.leiden import NO_COMMUNITY, WeightedEdges, hierarchical_leiden


def graph_of(nodes, triples):
    source, target, weight = (list(column) for column in zip(*triples, strict=True))
    return WeightedEdges(
        nodes, np.array(source, np.int64), np.array(target, np.int64), np.array(weight, float)
    )


def clique(nodes, weight=1.0):
    return [(one, other, weight) for one in nodes for other in nodes if one < other]


def modularity(nodes, triples, labels):
    """Q = sum over communities of inside / m - (degrees / 2m)^2, by plain loops (Newman 2004)."""
    total = sum(weight for *_, weight in triples)
    quality = 0.0
    for community in set(labels):
        inside = sum(w for a, b, w in triples if labels[a] == labels[b] == community)
        ends = sum(w * ((labels[a] == community) + (labels[b] == community)) for a, b, w in triples)
        quality += inside / total - (ends / (2 * total)) ** 2
    return quality


def groups(labels):
    found: dict[int, set[int]] = {}
    for node, label in enumerate(labels):
        if label != NO_COMMUNITY:
            found.setdefault(label, set()).add(node)
    return sorted(map(frozenset, found.values()), key=min)


BRIDGED = [*clique(range(5)), *clique(range(5, 9)), (4, 5, 1.0)]


def test_two_cliques_and_a_bridge_are_two_communities_the_larger_first():
    found = hierarchical_leiden(graph_of(9, BRIDGED))
    assert found.labels[0].tolist() == [0] * 5 + [1] * 4


def test_the_modularity_of_two_cliques_by_hand():
    # 17 edges; inside 10 and 6; degree sums 21 and 13.
    by_hand = 10 / 17 - (21 / 34) ** 2 + 6 / 17 - (13 / 34) ** 2
    assert hierarchical_leiden(graph_of(9, BRIDGED)).modularity == pytest.approx(by_hand)


def test_cliques_that_hang_together_are_one_community_with_parts():
    blocks = [range(start, start + 4) for start in range(0, 32, 4)]
    triples = [edge for block in blocks for edge in clique(block)]
    for half in (blocks[:4], blocks[4:]):
        triples += [(a, b, 0.5) for x in half for y in half if x[0] < y[0] for a in x for b in y]
    triples.append((0, 16, 0.1))
    found = hierarchical_leiden(graph_of(32, triples))
    # To join two blocks of a half adds 8 / m and costs 36 x 36 / 2m^2 (each node has 3 + 12 x .5):
    # with m = 144.1, that of the whole, it pays; with m = 72, that of the half, it does not.
    assert groups(found.labels[0]) == [set(range(16)), set(range(16, 32))]
    paths = found.labels[0] * 10 + found.labels[1]
    assert groups(paths) == [set(block) for block in blocks]


def test_a_strong_edge_outweighs_many_weak_ones():
    triples = [(0, 1, 10.0), (2, 3, 10.0), (0, 2, 0.1), (0, 3, 0.1), (1, 2, 0.1), (1, 3, 0.1)]
    assert groups(hierarchical_leiden(graph_of(4, triples)).labels[0]) == [{0, 1}, {2, 3}]


def test_nodes_without_edges_have_no_community():
    found = hierarchical_leiden(graph_of(5, [(1, 3, 1.0), (2, 2, 4.0)]))
    assert found.labels.tolist() == [[-1, 0, -1, 0, -1]] * 2


def test_an_empty_graph_has_no_communities():
    none = np.empty(0, np.int64)
    found = hierarchical_leiden(WeightedEdges(3, none, none, np.empty(0)))
    assert found.labels.tolist() == [[-1, -1, -1]] * 2
    assert found.modularity == 0.0


@pytest.mark.parametrize(
    ("triples", "words"),
    [
        ([(0, 1, 0.0)], "above 0"),
        ([(0, 1, float("nan"))], "finite"),
        ([(0, 9, 1.0)], r"0\.\.2"),
        ([(-1, 1, 1.0)], r"0\.\.2"),
    ],
)
def test_what_is_no_graph_is_refused(triples, words):
    with pytest.raises(ValueError, match=words):
        hierarchical_leiden(graph_of(3, triples))


def test_without_a_level_there_is_nothing_to_return():
    with pytest.raises(ValueError, match="at least 1"):
        hierarchical_leiden(graph_of(2, [(0, 1, 1.0)]), levels=0)


def test_a_start_that_is_best_already_stays():
    # A ring of cliques has equally good partitions; the former one must be kept.
    blocks = [range(start, start + 5) for start in range(0, 40, 5)]
    triples = [edge for block in blocks for edge in clique(block)]
    triples += [(block[-1], (block[-1] + 1) % 40, 1.0) for block in blocks]
    first = hierarchical_leiden(graph_of(40, triples), seed=1)
    former = np.stack([first.labels[0], first.labels[0] * 100 + first.labels[1]])
    again = hierarchical_leiden(graph_of(40, triples), seed=2, former=former)
    assert groups(again.labels[0]) == groups(first.labels[0])


def test_a_new_node_joins_its_neighbours_and_moves_nobody_else():
    former = np.array([[7] * 5 + [3] * 4 + [NO_COMMUNITY]] * 2)
    grown = [*BRIDGED, (9, 6, 1.0), (9, 7, 1.0)]
    found = hierarchical_leiden(graph_of(10, grown), former=former)
    assert groups(found.labels[0]) == [set(range(5)), set(range(5, 10))]


@st.composite
def graphs(draw):
    nodes = draw(st.integers(2, 14))
    node = st.integers(0, nodes - 1)
    weight = st.sampled_from([0.1, 0.25, 0.7, 1.0, 3.0])
    pair = st.tuples(node, node, weight)
    return nodes, draw(st.lists(pair, min_size=1, max_size=40))


@settings(max_examples=60, deadline=None)
@given(graphs(), st.randoms(use_true_random=False), st.integers(0, 3))
def test_order_and_direction_of_edges_do_not_matter(graph, chance, seed):
    nodes, triples = graph
    shuffled = [(b, a, w) if chance.random() < 0.5 else (a, b, w) for a, b, w in triples]
    chance.shuffle(shuffled)
    first = hierarchical_leiden(graph_of(nodes, triples), seed=seed)
    second = hierarchical_leiden(graph_of(nodes, shuffled), seed=seed)
    assert first.labels.tolist() == second.labels.tolist()
    assert first.modularity == second.modularity


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_what_holds_for_every_graph(graph):
    nodes, triples = graph
    apart = [(a, b, w) for a, b, w in triples if a != b]
    found = hierarchical_leiden(graph_of(nodes, triples), levels=3)
    touched = {end for a, b, _ in apart for end in (a, b)}
    assert {node for node in range(nodes) if found.labels[0][node] >= 0} == touched
    if not apart:
        return
    labels = found.labels[0].tolist()
    assert found.modularity == pytest.approx(modularity(nodes, apart, labels), abs=1e-9)
    assert found.modularity >= modularity(nodes, apart, [0] * nodes) - 1e-9
    for level in range(3):
        paths = ["/".join(map(str, found.labels[: level + 1, node])) for node in range(nodes)]
        for path in {paths[node] for node in touched}:
            assert is_connected(apart, {node for node in touched if paths[node] == path})
    sizes = [labels.count(number) for number in range(max(labels) + 1)]
    assert sizes == sorted(sizes, reverse=True)


def is_connected(triples, members):
    place = {node: row for row, node in enumerate(sorted(members))}
    inside = [(place[a], place[b]) for a, b, _ in triples if {a, b} <= members]
    rows, columns = zip(*inside, strict=True) if inside else ((), ())
    matrix = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(place), len(place)))
    return connected_components(matrix, directed=False)[0] == 1
