"""Pruning by errors: Quinlan's bounds, and which subtrees they cut."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from privet.estimators import TreeClassifier
from privet.tree import Tree
from privet.tree.prune import (
    by_chance,
    cut,
    is_chance,
    is_worth_telling,
    more_errors,
    prune_errors,
    prune_leaves,
    prune_unsure,
    worth_their_cost,
)
from tests.strategies import seeds


@given(st.integers(1, 500), st.floats(0.01, 0.5))
def test_the_bound_of_no_errors_is_exact(rows: int, confidence: float) -> None:
    bound = more_errors(rows, 0, confidence) / rows
    assert stats.binom.cdf(0, rows, bound) == pytest.approx(confidence)


@given(st.integers(10, 500), st.integers(1, 100), st.floats(0.05, 0.5))
def test_the_bound_is_near_the_binomial_one(rows: int, errors: int, confidence: float) -> None:
    errors = min(errors, rows // 2)
    exact = stats.beta.ppf(1 - confidence, errors + 1, rows - errors)
    assert (errors + more_errors(rows, errors, confidence)) / rows == pytest.approx(exact, abs=0.02)


def test_the_bound_grows_with_errors_and_falls_with_confidence() -> None:
    whole = [e + more_errors(16, e, 0.25) for e in (0, 0.3, 0.9, 1, 1.5, 4, 8)]
    assert whole == sorted(whole)
    assert more_errors(16, 1, 0.1) > more_errors(16, 1, 0.25)
    assert more_errors(0, 0, 0.25) == 0
    assert more_errors(1, 1, 0.25) == 0


def test_quinlans_subtree_of_votes_becomes_a_leaf() -> None:
    """Quinlan (1993), 4.2: leaves (6), (9), (1) hope for 3.273 errors, a leaf of (16/1) for 2.512.

    The book's 2.512 is by the exact bound; the approximation of its program gives 2.5 too.
    """
    held = [["a", "0"]] * 6 + [["b", "0"]] * 9 + [["c", "1"]]
    values = np.array(held, object)
    grown = TreeClassifier(policy="id3").fit(values[:, :1], values[:, 1]).tree_
    assert grown.nodes == 4
    hoped = sum(more_errors(n, 0, 0.25) for n in (6, 9, 1))
    assert hoped == pytest.approx(3.273, abs=5e-3)
    assert 1 + more_errors(16, 1, 0.25) == pytest.approx(2.512, abs=0.1)
    assert prune_errors(grown, 0.25).nodes == 1


@settings(max_examples=25, deadline=None)
@given(seeds, st.sampled_from([0.05, 0.25, 0.5]))
def test_what_is_pruned_is_a_smaller_tree_of_the_same_tests(seed: int, confidence: float) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (60, 3)).astype(float)
    y = (X[:, 0] > 4) ^ (rng.random(60) < 0.2)
    grown = TreeClassifier(policy="id3").fit(X, y).tree_ if y.any() and not y.all() else None
    if grown is None:
        return
    pruned = prune_errors(grown, confidence)
    assert pruned.nodes <= grown.nodes
    assert prune_errors(pruned, confidence).same_as(pruned)
    # No test is left whose children all say the same as it does and gain nothing.
    for node in np.flatnonzero(pruned.child >= 0):
        assert pruned.counts[node].max() < pruned.counts[node].sum()


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_what_is_needless_makes_no_fewer_errors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (80, 3)).astype(float)
    y = (X[:, 0] > 4) ^ (rng.random(80) < 0.2)
    y[:2] = [False, True]
    grown = TreeClassifier(policy="cart").fit(X, y).tree_
    pruned = cut(grown, worth_their_cost(grown, 1.0))
    assert cut(pruned, worth_their_cost(pruned, 1.0)).same_as(pruned)
    errors = [
        sum(one.counts[leaf].sum() - one.counts[leaf][one.label[leaf]] for leaf in one.leaves)
        for one in (grown, pruned)
    ]
    # Each split that went saved a record at most; those that stay part leaves of several labels.
    assert 0 <= errors[1] - errors[0] <= (grown.child >= 0).sum() - (pruned.child >= 0).sum()
    for node in np.flatnonzero(pruned.child >= 0):
        kids = pruned.children(int(node))
        assert any(pruned.child[kid] >= 0 for kid in kids) or len(set(pruned.label[kids])) > 1


def test_a_subtree_that_says_the_same_is_needless() -> None:
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0]])
    tree = TreeClassifier().fit(X, [0, 0, 1, 0, 0]).tree_
    assert tree.nodes == 3
    assert not worth_their_cost(tree, 1.0).any()


def test_few_trees_of_chance_are_worth_telling() -> None:
    generator = np.random.default_rng()
    kept = 0
    for _ in range(40):
        records, coin = generator.random((300, 4)), generator.integers(0, 2, 300)
        kept += is_worth_telling(TreeClassifier().fit(records, coin).tree_)
    assert kept <= 10  # of 40 if 1 in 50 is: more than 10 once in ten million runs


@settings(max_examples=20)
@given(seeds)
def test_a_tree_of_a_rule_is_worth_telling(seed: int) -> None:
    generator = np.random.default_rng(seed)
    records = generator.random((400, 4))
    rule = (records[:, 1] > 0.5) ^ (generator.random(400) < 0.1)
    assert is_worth_telling(TreeClassifier().fit(records, rule).tree_)


def told_one_by_one(counts: NDArray[np.float64]) -> float:
    """Nats for classes of a leaf, each told by those before it: half a record more of each."""
    seen, told = np.full(len(counts), 0.5), math.log(2)
    for label, number in enumerate(counts.astype(int).tolist()):
        for _ in range(number):
            told -= math.log(seen[label] / seen.sum())
            seen[label] += 1
    return told


@pytest.mark.parametrize("classes", [2, 3, 5, 9])
def test_a_tree_is_worth_what_telling_its_classes_one_by_one_takes(classes: int) -> None:
    """A tree of leaves of one class each, by hand: runs of classes along one number."""
    found = []
    for run in range(1, 13):
        y = np.repeat(np.arange(classes), run)
        tree = TreeClassifier().fit(np.arange(float(len(y)))[:, None], y).tree_
        cost = {node: told_one_by_one(tree.counts[node]) for node in range(tree.nodes)}
        alone = cost[0]
        test = math.log(2) + math.log(tree.codings[0].size - 1)
        for node in np.flatnonzero(tree.child >= 0)[::-1].tolist():
            below = sum(cost[kid] for kid in tree.children(node)) + test
            cost[node] = min(cost[node], below)
        assert is_worth_telling(tree) == (cost[0] < alone)
        found.append(cost[0] < alone)
    assert any(found)
    assert not all(found)


@pytest.mark.parametrize("policy", ["cart", "id3"])
@pytest.mark.parametrize("others", [0, 2])
def test_a_test_of_categories_is_told_by_what_goes_where(policy: str, others: int) -> None:
    """Two branches: any part of five names may go left. A branch each: there is nothing to tell."""
    found = []
    for run in range(1, 13):
        names = np.repeat(list("abcde"), run).astype(object)
        y = np.isin(names, ["b", "d"])
        X = np.column_stack([names, *[np.resize(["p", "q"], len(y)).astype(object)] * others])
        tree = TreeClassifier(policy=policy, max_depth=1).fit(X, y).tree_
        assert len(tree.leaves) == (2 if policy == "cart" else 5)
        leaves = sum(told_one_by_one(tree.counts[leaf]) for leaf in tree.leaves)
        test = math.log(2) + math.log(1 + others) + (4 * math.log(2) if policy == "cart" else 0)
        worth = leaves + test < told_one_by_one(tree.counts[0])
        assert is_worth_telling(tree) == worth
        found.append(worth)
    assert any(found)
    assert not all(found)


def test_as_many_leaves_are_left_as_asked_for() -> None:
    X, y = np.arange(64.0)[:, None], np.arange(64) % 2
    grown = TreeClassifier(policy="cart", min_samples_leaf=1).fit(X, y).tree_
    for most in range(1, len(grown.leaves) + 1):
        assert len(prune_leaves(grown, most).leaves) == most


def chain(*z: float, side: int = 1) -> Tree:
    """A tree of tests one below the other, to the right or left, so many standard errors sure."""
    numbers = np.repeat(np.arange(len(z) + 1.0), 2 ** np.arange(len(z), -1, -1))
    X, y = side * numbers[:, None], numbers % 2
    tree = TreeClassifier(policy="cart", max_depth=len(z)).fit(X, y).tree_
    sure = np.zeros(tree.nodes)
    sure[np.argsort(tree.depths + 100.0 * (tree.child < 0))[: len(z)]] = z
    assert (tree.child >= 0).sum() == len(z)
    return replace(tree, z=sure)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize(
    ("z", "left"),
    [
        ((3.0, 3.0, 3.0), 3),
        ((3.0, 3.0, 1.0), 2),
        ((3.0, 1.0, 1.0), 1),
        ((1.0, 1.0, 1.0), 0),
        ((1.0, 1.0, 3.0), 0),  # 1 + 1 + 9 are not more than 3 · 4
        ((1.0, 1.0, 3.5), 3),  # what comes below pays for what is above it
        ((1.0, 3.5, 1.0), 2),
        ((np.inf, 0.0, 0.0), 1),
        ((0.0, 0.0, np.inf), 3),
        ((2.0, 2.0, 2.0), 0),  # just sure enough is not enough
        ((2.1, 1.0, 2.1), 1),  # a little more is
    ],
)
def test_a_subtree_stays_if_its_splits_together_are_sure(
    z: tuple[float, ...], left: int, side: int
) -> None:
    for least in (2.0, 3.0):
        pruned = prune_unsure(chain(*(least / 2 * one for one in z), side=side), least)
        assert (pruned.child >= 0).sum() == left
        assert len(pruned.leaves) == left + 1


def test_a_test_that_was_cut_leaves_nothing_of_itself() -> None:
    """What became a leaf is one in every array, as if it had never been split."""
    pruned = prune_leaves(chain(3.0, 3.0, 3.0), 2)
    stump = pruned.leaves
    assert pruned.nodes == 3
    for name, empty in (("attribute", -1), ("branches", 0), ("gain", 0.0), ("z", 0.0)):
        assert (getattr(pruned, name)[stump] == empty).all()
    assert np.isnan(pruned.threshold[stump]).all()
    assert np.isnan(pruned.around[stump]).all()
    assert all(pruned.routes[leaf] is None for leaf in stump)


def stump(z: float, counts: list[list[float]]) -> Tree:
    tree = TreeClassifier(policy="cart").fit(np.array([[0.0], [1.0]]), np.array([0, 1])).tree_
    every = np.array([np.sum(counts, axis=0), *counts])
    return replace(tree, z=np.array([z, 0.0, 0.0]), counts=every)


def test_chance_is_of_disguise_and_of_sampling_together() -> None:
    """Pearson's χ² of 60 : 40 and 40 : 60 is 8; a z of 2.4 is one of 5 of what tells sides apart.

    Together 1 / (1 / 25 + 1 / 8) = 6.06. With one cut of three nodes, the surest of three reaches
    5.73 by chance in one of twenty trees, and 8.8 in one of a hundred.
    """
    tree = stump(2.4, [[60.0, 40.0], [40.0, 60.0]])
    assert by_chance(tree, 0.05) == pytest.approx(5.731, abs=0.001)
    assert not is_chance(tree, 0.05)
    assert is_chance(tree, 0.01)
    assert is_chance(stump(2.4, [[56.0, 44.0], [44.0, 56.0]]), 0.05)  # 2.88: sampling alone
    assert is_chance(stump(0.5, [[90.0, 10.0], [10.0, 90.0]]), 0.05)  # 2.62: the disguise alone
    assert not is_chance(stump(np.inf, [[60.0, 40.0], [40.0, 60.0]]), 0.05)
    assert not is_chance(stump(np.nan, [[60.0, 40.0], [40.0, 60.0]]), 0.05)  # nobody knows
    assert not is_chance(stump(3.0, [[100.0, 0.0], [0.0, 0.5]]), 0.05)  # χ² of half a record: 100.5
    assert not is_chance(tree.take([0]), 0.05)


def random_counts(seed: int, scale: float = 1.0) -> Tree:
    """A tree of up to seven tests with counts and gains of its own, small whole numbers."""
    rng = np.random.default_rng(seed)
    X, y = np.arange(16.0)[:, None], rng.permutation(16) % 2
    tree = TreeClassifier(policy="cart", max_depth=3, min_samples_leaf=1).fit(X, y).tree_
    counts = rng.integers(-1, 9, (tree.nodes, 2)).astype(np.float64) * scale
    gain = np.where(tree.child >= 0, rng.integers(1, 4, tree.nodes), 0.0)
    return replace(tree, counts=counts, gain=gain, label=counts.argmax(1))


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([0.0, 0.5, 1.0, 3.0]), st.sampled_from([1.0, 0.25]))
def test_a_test_stays_where_what_is_below_costs_less(seed: int, cost: float, scale: float) -> None:
    tree = random_counts(seed, scale)
    counts = np.maximum(tree.counts, 0.0)
    expected = np.zeros(tree.nodes, np.bool_)

    def least(node: int) -> float:
        alone = float(counts[node].sum() - counts[node, tree.label[node]] + cost)
        kids = tree.children(node)
        below = sum(least(kid) for kid in kids)
        expected[node] = bool(kids) and below < alone
        return min(below, alone) if kids else alone

    least(0)
    assert worth_their_cost(tree, cost).tolist() == expected.tolist()


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([0.05, 0.25, 0.5]), st.sampled_from([1.0, 20.0, 0.25]))
def test_errors_prune_as_their_plain_twin_does(seed: int, confidence: float, scale: float) -> None:
    tree = random_counts(seed, scale)
    counts = np.maximum(tree.counts, 0.0)
    stays = np.zeros(tree.nodes, np.bool_)

    def told(node: int) -> tuple[float, float]:
        """The errors seen and hoped for, at most, of a node and all below it."""
        rows = float(counts[node].sum())
        seen = rows - float(counts[node, tree.label[node]])
        best = seen + float(more_errors(rows, seen, confidence))
        below = [told(kid) for kid in tree.children(node)]
        if not below:
            return seen, best
        errors, hoped = (sum(part) for part in zip(*below, strict=True))
        stays[node] = errors < seen - 1e-3 and hoped < best - 0.1
        return min(errors, seen), hoped if stays[node] else best

    told(0)
    assert prune_errors(tree, confidence).same_as(cut(tree, stays))


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(1, 8), st.sampled_from([1.0, 0.1]))
def test_the_splits_that_gain_most_are_kept(seed: int, most: int, scale: float) -> None:
    """One after another, the best of those that can be made; of equal ones the first."""
    tree = random_counts(seed, scale)
    worth = tree.gain * np.maximum(tree.counts, 0.0).sum(1)
    stays = np.zeros(tree.nodes, np.bool_)
    for _ in range(most - 1):
        able = [
            node
            for node in np.flatnonzero((tree.child >= 0) & ~stays).tolist()
            if node == 0 or stays[tree.parent[node]]
        ]
        if able:
            stays[max(able, key=lambda node: (worth[node], -node))] = True
    assert prune_leaves(tree, most).same_as(cut(tree, stays))


def told(counts: NDArray[np.float64]) -> float:
    """Nats for a leaf whose counts may be parts of records: the code of one by one, continued."""
    classes = len(counts)
    seen = math.lgamma(counts.sum() + classes / 2) - math.lgamma(classes / 2)
    return seen - sum(math.lgamma(c + 0.5) - math.lgamma(0.5) for c in counts) + math.log(2)


@pytest.mark.parametrize("kind", ["numbers", "in two", "a branch each"])
@pytest.mark.parametrize("others", [0, 3])
def test_a_tree_is_worth_telling_from_just_its_length_on(kind: str, others: int) -> None:
    """Of so many records that both tell the classes in the same bits, a few more are worth it."""
    names = np.repeat(list("abcde"), 2).astype(object)
    first = np.repeat(np.arange(5.0), 2) if kind == "numbers" else names
    y = np.isin(names, ["d", "e"])
    more = [np.resize(["p", "q"], 10).astype(object)] * others
    X = np.column_stack([first.astype(object), *more])
    policy = "id3" if kind == "a branch each" else "cart"
    if kind == "numbers":
        X = np.column_stack([first, *[np.resize([0.0, 1.0], 10)] * others])
    tree = TreeClassifier(policy=policy, max_depth=1).fit(X, y).tree_
    assert len(tree.leaves) == (5 if kind == "a branch each" else 2)
    test = math.log(2 * (1 + others))
    test += {"numbers": math.log(4), "in two": 4 * math.log(2), "a branch each": 0.0}[kind]

    def saved(scale: float) -> float:
        counts = tree.counts * scale
        return told(counts[0]) - sum(told(counts[leaf]) for leaf in tree.leaves) - test

    low, high = 0.01, 100.0
    assert saved(low) < 0 < saved(high)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if saved(middle) < 0 else (low, middle)
    assert told(np.array([3.0, 1.0])) == pytest.approx(told_one_by_one(np.array([3.0, 1.0])))
    for scale, worth in ((low * 0.9999, False), (high * 1.0001, True)):
        assert is_worth_telling(replace(tree, counts=tree.counts * scale)) == worth
