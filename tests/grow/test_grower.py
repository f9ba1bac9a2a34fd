"""The grower: limits, labels, and plain trees beside scikit-learn's."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from privet.coding import Coding
from privet.errors import DataError
from privet.estimate.bins import learn_cells
from privet.estimate.routed import routed
from privet.grow import grow
from privet.split import Policy
from privet.table import MemoryTable
from privet.tree import Tree
from tests.strategies import Coded, coded_tables, seeds

Floats = NDArray[np.float64]


def plain(numbers: Floats, labels: NDArray[np.int64], policy: Policy) -> Tree:
    codings = [learn_cells(f"x{i}", column) for i, column in enumerate(numbers.T)]
    coded = {one.name: one.encode(column) for one, column in zip(codings, numbers.T, strict=True)}
    table = MemoryTable({**coded, "class": labels.astype(np.uint8)})
    names = tuple(range(int(labels.max()) + 1))
    return grow(routed(table, codings, "class", names), policy)


def table_of(seed: int, rows: int, columns: int, classes: int) -> tuple[Floats, NDArray[np.int64]]:
    """Distinct numbers that are the same in single precision, as scikit-learn takes them."""
    rng = np.random.default_rng(seed)
    numbers = np.stack([rng.permutation(rows * 4)[:rows] for _ in range(columns)], axis=1) / 8
    return numbers.astype(np.float64), rng.integers(0, classes, rows)


def tied(numbers: Floats, labels: NDArray[np.int64], tree: Tree, least: int) -> bool:
    """Whether two splits of some node of a tree gain just as much."""
    nodes: dict[int, NDArray[np.int64]] = {0: np.arange(len(labels))}
    for node in range(tree.nodes):
        rows = nodes[node]
        kids = tree.children(node)
        if kids:
            side = numbers[rows, tree.attribute[node]] <= tree.threshold[node]
            nodes[kids[0]], nodes[kids[1]] = rows[side], rows[~side]
            gains = []
            for column in numbers[rows].T:
                order = np.argsort(column)
                hot = np.eye(labels.max() + 1)[labels[rows][order]]
                left = np.cumsum(hot, axis=0)[:-1]
                right = hot.sum(0) - left
                sizes = left.sum(1), right.sum(1)
                gain = (left**2).sum(1) / sizes[0] + (right**2).sum(1) / sizes[1]
                allowed = (sizes[0] >= least) & (sizes[1] >= least)
                gains += gain[allowed].tolist()
            gains.sort(reverse=True)
            if any(abs(one - two) < 1e-7 for one, two in list(pairwise(gains))[:1]):
                return True
    return False


def as_sklearn(tree: Tree) -> list[tuple[int, float, list[float]]]:
    """The tree in scikit-learn's order: depth first, the left child first."""
    found, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        found.append(
            (int(tree.attribute[node]), float(tree.threshold[node]), tree.counts[node].tolist())
        )
        waiting += reversed(tree.children(node))
    return found


@settings(max_examples=60)
@given(seeds, st.integers(5, 60), st.integers(1, 3), st.integers(2, 4), st.sampled_from([1, 2, 4]))
def test_cart_is_scikit_learns_tree(
    seed: int, rows: int, columns: int, classes: int, least: int
) -> None:
    numbers, labels = table_of(seed, rows, columns, classes)
    labels[:classes] = np.arange(classes)
    policy = Policy.named("cart").but(min_samples_leaf=least, max_depth=4)
    tree = plain(numbers, labels, policy)
    peer = DecisionTreeClassifier(min_samples_leaf=least, max_depth=4, random_state=0)
    peer.fit(numbers, labels)
    assume(not tied(numbers, labels, tree, least))
    held = peer.tree_
    expected = [
        (int(feature) if feature >= 0 else -1, threshold, (value[0] * size).tolist())
        for feature, threshold, value, size in zip(
            held.feature, held.threshold, held.value, held.n_node_samples, strict=True
        )
    ]
    for mine, yours in zip(as_sklearn(tree), expected, strict=True):
        assert mine[0] == yours[0]
        if mine[0] >= 0:
            assert mine[1] == yours[1]
        assert mine[2] == pytest.approx(yours[2])


@settings(max_examples=30)
@given(seeds, st.integers(4, 80), st.integers(1, 3), st.integers(2, 4))
def test_a_full_tree_is_right_about_its_own_records(
    seed: int, rows: int, columns: int, classes: int
) -> None:
    numbers, labels = table_of(seed, rows, columns, classes)
    labels[:classes] = np.arange(classes)
    tree = plain(numbers, labels, Policy.named("cart"))
    np.testing.assert_array_equal(tree.label[tree.apply(numbers)], labels)
    peer = DecisionTreeClassifier(random_state=0).fit(numbers, labels)
    assert peer.score(numbers, labels) == 1.0


@settings(max_examples=40)
@given(coded_tables(max_rows=120, max_size=6), st.sampled_from(["cart", "id3"]), seeds)
def test_the_order_of_records_does_not_matter(table: Coded, policy: str, seed: int) -> None:
    assume(len(np.unique(table.labels)) > 1)
    assume(table.weight is None or table.weight.sum() > 0)

    def tree(order: NDArray[np.int64]) -> Tree:
        columns = {name: column[order] for name, column in table.columns.items()}
        weight = None if table.weight is None else table.weight[order]
        evidence = routed(MemoryTable(columns), table.codings, "class", table.classes, weight)
        return grow(evidence, Policy.named(policy))

    rows = len(table.labels)
    first = tree(np.arange(rows))
    again = tree(np.random.default_rng(seed).permutation(rows))
    assert again.same_as(first)
    np.testing.assert_array_equal(again.counts, first.counts)


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, labels = table_of(1, 3000, 3, 3)
    grown = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("PRIVET_THREADS", threads)
        grown.append(plain(numbers, labels, Policy.named("cart").but(min_samples_leaf=5)))
    assert grown[0].nodes > 100
    assert grown[0].to_json() == grown[1].to_json() == grown[2].to_json()


@settings(max_examples=40)
@given(
    seeds,
    st.integers(1, 6),
    st.integers(1, 20),
    st.integers(2, 40),
    st.sampled_from([0.0, 0.01, 0.1]),
)
def test_limits_are_kept(seed: int, depth: int, leaf: int, split: int, gain: float) -> None:
    numbers, labels = table_of(seed, 120, 2, 3)
    policy = Policy.named("cart").but(
        max_depth=depth, min_samples_leaf=leaf, min_samples_split=split, min_impurity_decrease=gain
    )
    tree = plain(numbers, labels, policy)
    rows = tree.counts.sum(1)
    inner = np.flatnonzero(tree.child >= 0)
    assert tree.depth <= depth
    if len(inner):
        assert rows[tree.leaves].min() >= leaf
        assert rows[inner].min() >= split
        assert (tree.gain * rows)[inner].min() >= gain * rows[0] - 1e-9
    else:
        assert tree.nodes == 1


@pytest.mark.parametrize(
    ("limit", "most"),
    [
        ({"min_samples_split": 8}, 8),
        ({"min_samples_leaf": 4}, 4),
        ({"min_impurity_decrease": 0.5}, 0.5),
        ({"min_weight_leaf": 4.0}, 4.0),
    ],
)
def test_what_just_meets_a_limit_is_split(limit: dict[str, float], most: float) -> None:
    """Eight records, four of each class, told apart by one cut: it takes half of the impurity."""
    numbers, labels = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    assert plain(numbers, labels, Policy.named("cart").but(**limit)).nodes == 3
    (name,) = limit
    assert plain(numbers, labels, Policy.named("cart").but(**{name: most + 0.01})).nodes == 1


@settings(max_examples=30)
@given(seeds, st.integers(2, 12))
def test_the_most_leaves_are_those_of_scikit_learn(seed: int, leaves: int) -> None:
    """Growing best-first, and cutting back to the best splits, give trees that err alike."""
    numbers, labels = table_of(seed, 150, 3, 3)
    tree = plain(numbers, labels, Policy.named("cart").but(max_leaf_nodes=leaves))
    assert len(tree.leaves) <= leaves
    peer = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(numbers, labels)

    def impurity(counts: Floats, rows: Floats) -> float:
        return float((rows * (1 - (counts**2).sum(1))).sum() / len(labels))

    ours = impurity(tree.shares[tree.leaves], tree.counts[tree.leaves].sum(1))
    theirs = peer.tree_.children_left < 0
    shares, rows = peer.tree_.value[theirs][:, 0], peer.tree_.weighted_n_node_samples[theirs]
    assert len(tree.leaves) == theirs.sum()
    assert ours <= impurity(shares, rows) + 0.05  # ties are broken otherwise


@pytest.mark.parametrize("purity", [0.6, 0.8, 1.0])
def test_pure_enough_nodes_are_leaves(purity: float) -> None:
    numbers, labels = table_of(7, 200, 3, 2)
    tree = plain(numbers, labels, Policy.named("cart").but(max_purity=purity))
    inner = tree.child >= 0
    assert (tree.shares[inner].max(1) < purity).all()
    if purity < 1:
        assert tree.nodes < plain(numbers, labels, Policy.named("cart")).nodes


def test_exclusive_or_is_learned() -> None:
    """A first split that gains nothing is taken: what follows gains all."""
    numbers = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    tree = plain(numbers, np.array([0, 1, 1, 0]), Policy.named("cart"))
    assert tree.label[tree.apply(numbers)].tolist() == [0, 1, 1, 0]
    assert tree.attribute[0] == 0


def test_an_empty_branch_takes_its_parents_class() -> None:
    """Fong: the parent's majority, not the child's, which is undefined."""
    coding = Coding.categories("x", ["a", "b", "c"])
    columns = {
        "x": np.array([0, 0, 0, 2], np.uint8),
        "class": np.array([1, 1, 1, 0], np.uint8),
    }
    tree = grow(routed(MemoryTable(columns), [coding], "class", ("n", "y")), Policy.named("id3"))
    assert tree.label.tolist() == [1, 1, 1, 0]
    assert tree.counts[2].tolist() == [0, 0]
    assert tree.shares[2].tolist() == tree.shares[0].tolist()


def test_no_records() -> None:
    coding = Coding.categories("x", ["a", "b"])
    columns = {"x": np.array([0], np.uint8), "class": np.array([0], np.uint8)}
    evidence = routed(MemoryTable(columns), [coding], "class", ("n", "y"), np.array([0], np.int64))
    with pytest.raises(DataError, match="no records"):
        grow(evidence, Policy())


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_a_tree_is_as_deep_as_it_may_be(depth: int) -> None:
    numbers, labels = np.arange(32.0)[:, None], np.arange(32) % 2
    tree = plain(numbers, labels, Policy.named("cart").but(max_depth=depth))
    assert tree.depth == depth


@pytest.mark.parametrize(("purity", "nodes"), [(0.74, 1), (0.75, 1), (0.76, 3), (1.0, 3)])
def test_a_node_just_pure_enough_is_a_leaf(purity: float, nodes: int) -> None:
    """Six records of one class and two of the other, which one cut tells apart."""
    numbers, labels = np.arange(8.0)[:, None], np.repeat([0, 1], [6, 2])
    assert plain(numbers, labels, Policy.named("cart").but(max_purity=purity)).nodes == nodes


def test_a_split_decreases_the_impurity_of_all_records_by_enough() -> None:
    """The first cut leaves 1.5 of 3.75, the next saves half a record, and the last a record.

    What saves too little ends a branch, whatever would come below it.
    """
    numbers, labels = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 0, 1, 1])
    whole = 8 * (1 - (25 + 9) / 64)
    rest = 4 * (1 - (1 + 9) / 16)
    assert (whole, rest) == (3.75, 1.5)
    for decrease, nodes in (
        ((whole - rest) / 8 + 1e-6, 1),
        ((whole - rest) / 8, 3),
        (0.125, 3),
        (0.0626, 3),
        (0.0625, 7),  # half of one of eight
        (0.0, 7),
    ):
        tree = plain(numbers, labels, Policy.named("cart").but(min_impurity_decrease=decrease))
        assert tree.nodes == nodes


def test_one_record_is_a_leaf() -> None:
    tree = plain(np.array([[3.0]]), np.array([0]), Policy.named("cart"))
    assert tree.nodes == 1
    assert tree.counts.tolist() == [[1.0]]
    assert tree.parent.tolist() == tree.child.tolist() == tree.attribute.tolist() == [-1]
