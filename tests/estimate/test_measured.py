"""Errors that cover: nodes measured again by inverse weights, whatever grew the tree."""

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privet import datasets
from privet.coding import Box, Coding
from privet.disguise import (
    AdditiveNoise,
    Exact,
    Plan,
    RandomizedResponse,
    RandomSubstitution,
    Substitution,
)
from privet.estimate.measured import (
    Z,
    _between,
    _bounds,
    _chosen,
    _Counts,
    _half,
    _Measuring,
    _share_half,
    at_thresholds,
    cut_cells,
    measured,
)
from privet.estimate.weigher import Weigher
from privet.estimate.weighted import WeightedEvidence
from privet.estimators import TreeClassifier
from privet.records import read_by
from privet.schema import Attribute, Schema
from privet.tree import Tree
from tests.estimate.test_accuracy import chain

ROWS = 400
SCHEMA = Schema(
    [
        Attribute.categorical("sky", ["sun", "rain", "snow"]),
        Attribute.numeric("heat", low=0, high=12, bins=6),
        Attribute.categorical("wind", ["no", "yes"]),
        Attribute.categorical("play", ["no", "yes", "late"]),
    ],
    target="play",
)
DISGUISES: dict[str, Any] = {
    "diagonal": RandomSubstitution(gamma=6, kind="gamma-diagonal", wave=0),
    "band": RandomSubstitution(gamma=6, wave=0),
    "flips": RandomizedResponse(
        [["sky", "wind"], ["heat"]], theta=0.85, cuts={"sky": ["sun", "rain"]}
    ),
    "class, too": Plan({"play": Substitution(gamma=9)}, default=Substitution(gamma=9), wave=0),
    "exact beside": Plan({"heat": Exact()}, default=Substitution(gamma=6)),
}


def records(rows: int = ROWS, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    sky = rng.integers(0, 3, rows)
    heat = 12 * rng.beta(2, 3, rows)
    wind = rng.integers(0, 2, rows)
    play = np.where(rng.random(rows) < 0.15, 2, ((heat > 5) ^ (sky == 1)).astype(int))
    held = {"sky": sky, "wind": wind, "play": play}
    names = {one: np.array(SCHEMA[one].values) for one in held}
    return {"heat": heat} | {one: names[one][codes] for one, codes in held.items()}


def true_counts(tree: Tree, table: dict[str, Any]) -> np.ndarray[Any, Any]:
    """Count the originals of each class at each node of a tree."""
    leaves = tree.apply(read_by(tree.codings, table))
    counts = np.zeros((tree.nodes, len(tree.classes)))
    codes = np.array([tree.classes.index(value) for value in table[tree.target].tolist()])
    np.add.at(counts, (leaves, codes), 1)
    for node in range(tree.nodes - 1, 0, -1):
        counts[tree.parent[node]] += counts[node]
    return counts


@pytest.mark.parametrize("name", DISGUISES)
def test_sums_are_those_of_weighted_evidence(name: str) -> None:
    release = DISGUISES[name].disguise(records(), SCHEMA, seed=3)
    tree = TreeClassifier(method="direct", max_depth=3, min_samples_leaf=20).fit(release).tree_
    codings = tree.codings
    if name == "exact beside":
        codings = tuple(c for c in codings if c.name != "heat")
    sizes = {coding.name: coding.size for coding in codings}
    boxes = [Box(), Box({"wind": np.array([True, False])})]
    boxes.append(boxes[1].narrowed("sky", np.arange(sizes["sky"]) != 1))
    classes = release.schema.classes
    weigher = Weigher(release.parts[0], codings, "play", len(classes))
    first, second = weigher.sums(boxes)
    evidence = WeightedEvidence(release.parts, codings, "play", classes)
    for place, box in enumerate(boxes):
        for label in range(len(classes)):
            (mean,), (variance,) = evidence.correct(
                [box], np.eye(len(classes))[[label]][:, :, None]
            )
            row = weigher.labels[label]
            assert (first @ row)[place] == pytest.approx(mean, abs=1e-6)
            assert (second @ row**2 - first @ row)[place] == pytest.approx(variance, abs=1e-6)


@pytest.mark.parametrize("name", DISGUISES)
def test_errors_are_as_large_as_they_say(name: str) -> None:
    """The same originals, disguised anew: estimates spread by just their errors round the truth."""
    table = records()
    disguise = DISGUISES[name]
    many = disguise.disguise(records(20_000), SCHEMA, seed=1)
    tree = TreeClassifier(method="direct", max_depth=2).fit(many).tree_
    true = true_counts(tree, table)
    tree = replace(tree, counts=np.full(true.shape, 1e9))  # nothing is hidden, nothing cut off
    times = 150
    scores = []
    for seed in range(times):
        again = measured(tree, disguise.disguise(table, SCHEMA, seed=100 + seed), grown_here=False)
        off = np.abs(again.counts - true)
        assert (off[again.errors == 0] < 1e-6).all()
        scores.append((again.counts - true) / np.where(again.errors > 0, again.errors, np.inf))
    held = np.array(scores)
    held = held[:, (true > 60) & (held != 0).any(0)]
    assert held.shape[1] >= 2
    # Means of 150 standard scores, and their variances: once in a million is five deviations.
    assert np.abs(held.mean(0)).max() < 5 / np.sqrt(times)
    assert np.abs((held**2).mean(0) - 1).max() < 5 * np.sqrt(2 / times)


@pytest.fixture
def contrasts(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray[Any, Any]]:
    """Return a list that fills with the contrasts of trees as they are measured."""
    noted = []

    def noting(tree: Tree, contrasts: Any, least_z: float) -> np.ndarray[Any, Any]:
        noted.append(contrasts)
        return _chosen(tree, contrasts, least_z)

    monkeypatch.setattr("privet.estimate.measured._chosen", noting)
    return noted


@pytest.mark.parametrize(("method", "least_z"), [("naive", 0.0), ("direct", 2.0)])
def test_noise_that_chose_a_node_is_in_its_errors(
    method: str,
    least_z: float,
    contrasts: list[np.ndarray[Any, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is mined is wider for the tests above, in classes and their shares; nothing else is."""
    monkeypatch.setattr("privet.estimate.measured.reach", lambda table, _: table.mean.size / 9)
    release = RandomSubstitution(gamma=20, wave=0).disguise(records(300), SCHEMA, seed=3)
    here = TreeClassifier(method=method, max_depth=4).fit(release).tree_
    elsewhere = measured(here, release, grown_here=False)
    assert here.share_errors is not None
    assert elsewhere.share_errors is not None
    (noted,) = contrasts
    more = _chosen(here, noted, least_z)
    if least_z > 0:  # the six cells of heat by three classes; nothing is said of categories
        cut = np.array([coding.ordered for coding in here.codings])[here.attribute[here.parent]]
        cut[0] = False
        assert cut.any()
        assert not cut[1:].all()
        more = np.maximum(more, np.where(cut, 2 / Z, 0))
    assert more[0] == more.min() == 1.0
    assert more.max() > 1.03
    assert here.share_errors == pytest.approx(more * elsewhere.share_errors, nan_ok=True)
    assert here.errors == pytest.approx(more[:, None] * elsewhere.errors, nan_ok=True)
    assert np.array_equal(here.size_errors, elsewhere.size_errors, equal_nan=True)
    assert here.counts == pytest.approx(elsewhere.counts)


def test_noise_that_chose_a_test_is_in_the_errors_of_importances(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Twice as wide below every test is twice as wide; below one, it is as that test adds."""
    release = RandomSubstitution(gamma=20, wave=0).disguise(records(2_000), SCHEMA, seed=3)
    tree = TreeClassifier(method="direct", max_depth=2).fit(release).tree_

    def found(more: Any) -> Tree:
        monkeypatch.setattr("privet.estimate.measured._chosen", lambda *_: np.array(more, float))
        return measured(tree, release)

    ones = np.ones(tree.nodes)
    every, one, none = found(2 * ones), found(ones + (tree.parent == 0)), found(ones)
    elsewhere = measured(tree, release, grown_here=False)
    assert every.weight is not None
    assert one.weight is not None
    assert none.weight is not None
    assert elsewhere.weight is not None
    tested = none.weight[:, 1] > 0
    assert tested.sum() > 1
    assert every.weight[:, 1] == pytest.approx(2 * none.weight[:, 1])
    assert elsewhere.weight[:, 1] == pytest.approx(none.weight[:, 1])
    for tree_ in (every, one, elsewhere):
        assert tree_.weight is not None
        assert tree_.weight[:, 0] == pytest.approx(none.weight[:, 0])
        assert tree_.z == pytest.approx(none.z)
    between = one.weight[tested, 1]
    assert (between > 1.001 * none.weight[tested, 1]).all()
    assert (between < 1.999 * none.weight[tested, 1]).all()


def test_contrasts_of_pure_nodes_are_as_large_as_noise_makes_them(
    contrasts: list[np.ndarray[Any, Any]],
) -> None:
    """All records are of one class; half of the other's counts come out below zero."""
    rng = np.random.default_rng(7)
    inputs = [Attribute.categorical(name, list("abc")) for name in ("x", "v")]
    schema = Schema([*inputs, Attribute.categorical("y", ["no", "yes"])], target="y")
    table: dict[str, Any] = {name: rng.choice(list("abc"), 900) for name in ("x", "v")}
    table["y"] = np.where((table["x"] == "a") & (table["v"] != "b"), "no", "yes")
    plain = Plan({}, default=Exact()).disguise(table, schema)
    tree = TreeClassifier("cart", max_depth=2).fit(plain).tree_
    assert tree.depths.tolist() == [0, 1, 1, 2, 2]
    tree = replace(tree, counts=np.full(tree.counts.shape, 1e9))  # nothing is hidden
    table["y"] = np.full(900, "no")
    disguise = RandomSubstitution(gamma=9, kind="gamma-diagonal", target="substitution", wave=0)
    times = 150
    for seed in range(times):
        measured(tree, disguise.disguise(table, schema, seed=seed))
    squares = np.array(contrasts)[:, 1:] ** 2
    assert np.abs(squares.mean(0) - 1).max() < 5 * np.sqrt(2 / times)
    assert squares[:, [0, 2]] == pytest.approx(squares[:, [1, 3]])  # either side of a test


def widened(contrasts: Any, cuts: int, least_z: float) -> np.ndarray[Any, Any]:
    """Return what ``_chosen`` makes of nodes whose contrasts are so many standard errors."""
    known = np.asarray(contrasts, float)
    coding = Coding.cells("x", range(cuts + 1), range(1, cuts + 2))
    attribute = np.zeros(len(known) + 1, int)
    tree: Any = SimpleNamespace(
        codings=(coding,), attribute=attribute, parent=np.arange(-1, len(known))
    )
    return _chosen(tree, np.append(np.nan, known), least_z)[1:]


OF_49 = 2.456078  # a bound that the largest of 49 normal numbers passes in half of the cases


@pytest.mark.parametrize(
    ("cuts", "least_z", "bound"), [(50, 2.0, 4.0), (50, 0.0, OF_49), (1, 0, 0)]
)
def test_intervals_hold_for_contrasts_that_passed_a_bound(
    cuts: int, least_z: float, bound: float
) -> None:
    """Normal numbers above the bound, whatever their mean: 95 to 97.5 % hold it."""
    step = 0.002
    passed = np.arange(max(bound, 0.01), bound + 14, step)
    half = Z * widened(passed, cuts, least_z)
    for mean in np.arange(0.0, bound + 4.0, 0.25):
        chance = np.exp(-((passed - mean) ** 2) / 2)
        held = chance[np.abs(passed - mean) <= half].sum() / chance.sum()
        assert 0.949 < held < 0.976, mean


def test_errors_widen_by_no_more_than_all_of_a_contrast() -> None:
    bound = 2.0 * 2.0
    below = np.array([0.2, 1.2, 1.5, 3.0, 4.0])
    expected = np.maximum((below + 0.75) / Z, 1.0)
    assert widened(below, 50, 2.0) == pytest.approx(expected)
    assert expected.tolist()[:2] == [1.0, 1.0]
    assert widened([7.0, 1e3, np.inf], 50, 2.0).tolist() == [1.0] * 3
    assert widened([np.nan], 50, 2.0) == pytest.approx([(bound + 0.75) / Z])  # as if just passed
    # Without a threshold it had to be larger than what chance makes of all other cuts, either way.
    assert math.erf(OF_49 / math.sqrt(2)) ** 49 == pytest.approx(0.5)
    assert widened([np.nan], 50, 0.0) == pytest.approx([(OF_49 + 0.75) / Z])
    assert widened([np.nan], 1, 0.0).tolist() == [1.0]
    # Of a number that is 5 % of what passes, the mean that it speaks for.
    at = 4.0 + np.array([0.8, 1.2, 1.6])
    low = at - Z * widened(at, 50, 2.0)
    rare = [
        math.erfc((z - m) / math.sqrt(2)) / math.erfc((4 - m) / math.sqrt(2))
        for z, m in zip(at, low, strict=True)
    ]
    assert rare == pytest.approx([0.05] * 3)


def test_shares_hold_where_chance_chose_what_is_predicted() -> None:
    """Classes drawn at random: the best of 31 ways to divide each of six attributes is noise."""
    rng = np.random.default_rng(5)
    names = [f"x{place}" for place in range(6)]
    inputs = [Attribute.categorical(name, list("abcdef")) for name in names]
    schema = Schema([*inputs, Attribute.categorical("y", ["no", "yes"])], target="y")
    table: dict[str, Any] = {name: rng.choice(list("abcdef"), 1_000) for name in names}
    table["y"] = rng.choice(["no", "yes"], 1_000)
    disguise = RandomSubstitution(gamma=5, kind="gamma-diagonal", target="substitution", wave=0)
    times, right = 100, 0
    for seed in range(times):
        release = disguise.disguise(table, schema, seed=seed)
        tree = TreeClassifier("cart", method="naive", max_depth=1).fit(release).tree_
        assert tree.share_errors is not None
        true = true_counts(tree, table)
        shares, truth = (counts[1, 0] / counts[1].sum() for counts in (tree.counts, true))
        right += bool(abs(shares - truth) <= Z * tree.share_errors[1])
    assert right > 79  # a hundred intervals of 94 % hold no more once in a million times


def test_intervals_reach_over_what_a_cut_cell_holds() -> None:
    table = records(4_000)
    release = RandomSubstitution(gamma=200, wave=0).disguise(table, SCHEMA, seed=1)
    tree = TreeClassifier(method="direct", max_depth=1).fit(release).tree_
    assert tree.codings[tree.attribute[0]].name == "heat"
    for cut in (4.1, 5.0, 5.9):  # inside the cell from 4 to 6
        route = (tree.codings[tree.attribute[0]].decode(np.arange(6)) > cut).astype(np.int16)
        threshold = np.where(tree.child >= 0, cut, np.nan)
        moved = replace(tree, threshold=threshold, routes=(route, None, None))
        again = measured(moved, release, grown_here=False)
        inside = int(((table["heat"] > 4) & (table["heat"] <= 6)).sum())
        true = true_counts(moved, table).sum(1)
        assert (Z * again.size_errors[1:] > 0.9 * inside).all()
        assert (np.abs(again.counts.sum(1) - true) <= Z * again.size_errors + 1e-6).all()


def test_printed_counts_lie_between_nothing_and_the_parents() -> None:
    schema = datasets.schema("as-f2", bins=6)
    table = datasets.load("as-f2", rows=1_000, seed=1)
    release = RandomSubstitution(gamma=3, bins=6).disguise(table, schema, seed=1)
    tree = (
        TreeClassifier("cart", method="naive", max_depth=4, min_samples_leaf=5).fit(release).tree_
    )
    sizes = tree.counts.sum(1)
    assert (tree.counts >= 0).all()
    assert (sizes[1:] <= sizes[tree.parent[1:]] + 1e-9).all()
    unknown = np.isnan(tree.size_errors)
    assert unknown.any()
    assert "≈" in str(tree)
    assert tree.needed is not None
    assert (tree.needed[unknown] > 1_000).all()
    assert not tree.needed[~unknown].any()


@pytest.mark.parametrize("seed", [0, 3, 5, 9])
def test_errors_stand_only_beside_counts_that_they_are_below(seed: int) -> None:
    """What a method fitted may be large where the records tell of few: then nothing is known."""
    schema = datasets.schema("as-f2")
    release = RandomSubstitution(gamma=5).disguise(
        datasets.load("as-f2", rows=3_000, seed=seed), schema, seed=seed
    )
    tree = TreeClassifier(method="joint", max_depth=5).fit(release).tree_
    known = tree.size_errors > 0
    assert (Z * tree.size_errors[known] < tree.counts[known].sum(1)).all()
    assert tree.needed is not None
    hidden = np.isnan(tree.size_errors) & ~np.isnan(tree.needed)
    assert (tree.needed[hidden] >= release.rows).all()


def test_nothing_is_said_of_what_cannot_be_inverted() -> None:
    schema = datasets.schema("as-f1")
    table = datasets.load("as-f1", rows=2_000, seed=1)
    release = AdditiveNoise(level=0.5).disguise(table, schema, seed=1)
    tree = TreeClassifier(max_depth=2).fit(release).tree_
    assert np.isnan(tree.size_errors[1:]).all()
    assert tree.size_errors[0] == 0
    assert "±" not in str(tree)


def test_importances_of_a_few_records_are_known_too() -> None:
    """Four records, of which the only test sets one apart: it gains two thirds of a record."""
    schema = Schema(
        [Attribute.categorical("x", ["a", "b"]), Attribute.categorical("y", ["no", "yes"])],
        target="y",
    )
    table = {"x": np.array(list("aaab")), "y": np.array(["no", "no", "yes", "yes"])}
    plain = Plan({}, default=Exact()).disguise(table, schema)
    grown = TreeClassifier(policy="cart").fit(plain).tree_
    assert grown.nodes == 3
    release = RandomSubstitution(gamma=1e8, wave=0).disguise(table, schema, seed=1)
    weight = measured(grown, release).weight
    assert weight is not None
    assert weight[0, 0] == pytest.approx(1.0)
    assert 0.0 <= weight[0, 1] < 0.01


def test_channels_without_chance_leave_a_tree_as_it_is() -> None:
    """Answers that are always true are counted, and nothing about the counts is uncertain."""
    names = ("smoker", "cough", "ill")
    schema = Schema([Attribute.categorical(name, [0, 1]) for name in names], target="ill")
    held = {name: np.arange(80) // 2**place % 2 for place, name in enumerate(names)}
    for theta, chance in ((1, False), (0.9, True)):
        response = RandomizedResponse([["smoker", "cough"]], theta=theta)
        release = response.disguise(held, schema, seed=1)
        tree = TreeClassifier(method="direct", max_depth=1).fit(release).tree_
        assert (measured(tree, release) is tree) != chance


# By hand


def test_differences_are_of_the_class_that_a_test_moves_most() -> None:
    """Node 1 has a fifth of the records, and 10, -4 and -6 more than a fifth of each class."""
    tree = chain((0, 2.0), (1, 2.0))
    mean = np.array([[50.0, 30, 20], [20, 2, -2], [30, 28, 22], [10, 25, 5], [20, 3, 17]])
    held: Any = SimpleNamespace(nodes=np.arange(5), _of=lambda _: counts_of(mean))
    apart, coefficients = _Measuring._differences(held, tree, np.array([1, 4]))
    assert apart == pytest.approx([10, 11])  # of 28 in node 2 half were 14, and there are 3
    expected = np.zeros((2, 5, 3))
    expected[0, 1] = [0.5, -0.5, -0.5]
    expected[0, 0] = -0.2 * expected[0, 1]
    expected[1, 4] = [-0.35, 0.65, -0.35]
    expected[1, 2] = -0.5 * expected[1, 4]
    assert coefficients == pytest.approx(expected)
    assert np.abs((coefficients * mean).sum((1, 2))) == pytest.approx(apart)


def counts_of(mean: Any, *variances: Any) -> _Counts:
    """Counts that vary apart from each other."""
    return _Counts(np.array(mean, float), np.array([np.diag(one) for one in variances], float))


def test_half_an_interval_reaches_to_what_cut_cells_can_hold() -> None:
    """Three boxes: the count's own error is widest, then what is whole, then what is touched."""
    at = counts_of([[10, 5]] * 3, [400, 0], [4, 5], [4, 5])
    low = counts_of([[9, 5], [4, 3], [10, 4]], [4, 0], [4, 0], [0, 1])
    high = counts_of([[10, 6], [10, 6], [18, 7]], [4, 0], [0, 1], [9, 0])
    both = np.ones((3, 2))
    assert _half(at, low, high, both) == pytest.approx([20 * Z, 8 + 2 * Z, 10 + 3 * Z])
    first = np.tile([1.0, 0.0], (3, 1))
    assert _half(at, low, high, first) == pytest.approx([20 * Z, 6 + 2 * Z, 8 + 3 * Z])
    assert round(Z, 12) == 1.959963984540


@pytest.mark.parametrize("label", [0, 1])
def test_half_an_interval_of_a_share(label: int) -> None:
    """30 of 40; at least 20 and 6 are in the box, at most 33 and 14."""
    at, low, high = counts_of([[30, 10]], [4, 9]), counts_of([[20, 6]], [1, 1]), counts_of(
        [[33, 14]], [1, 1]
    )  # fmt: skip
    error = np.sqrt(0.25**2 * 4 + 0.75**2 * 9) / 40
    beyond = 0.75 - 20 / 34  # the same from the other side: 14 / 34 less 10 / 40
    found = _share_half(at, low, high, np.eye(2)[[label]])
    assert found == pytest.approx([Z * error + beyond])
    inverse = _share_half(at, high, low, np.eye(2)[[label]])
    assert inverse == pytest.approx([Z * error])  # nothing beyond
    unsure = counts_of([[30, 10]], [9e4, 9e4])
    assert _share_half(unsure, low, high, np.eye(2)[[label]]) == pytest.approx([Z])
    wide = counts_of([[40, 14]], [1, 1])
    up = 40 / 46 - 0.75 if label == 0 else 14 / 34 - 0.25
    down = 0.75 - 20 / 34 if label == 0 else 0.25 - 6 / 46
    assert _share_half(at, low, wide, np.eye(2)[[label]]) == pytest.approx(
        [Z * error + max(up, down)]
    )


def test_counts_lie_between_nothing_and_their_parents() -> None:
    tree = chain((0, 2.0), (1, 2.0))  # leaves 1, 3 and 4 of 100 records
    estimates = np.array([[60.0, 40], [30, -5], [90, 50], [80, 10], [-3, -4]])
    known = np.ones(5, np.bool_)
    found = _between(tree, estimates, known)
    assert found.tolist() == [[60, 40], [25, 0], [70, 30], [80, 10], [0, 0]]
    known[2:] = False  # these share what the first child leaves
    found = _between(tree, estimates, known)
    assert found[2] == pytest.approx([37.5, 37.5])
    assert found[3:] == pytest.approx(np.array([[7.5, 30], [26.25, 11.25]]))
    estimates[1] = [80, 60]  # nothing is left: then they are no more than their parent
    many = replace(tree, counts=3 * tree.counts)
    found = _between(many, estimates, known)
    assert found[1] == pytest.approx([60, 40])
    assert found[2] == pytest.approx([50, 50])
    few = replace(tree, counts=0.5 * tree.counts)
    assert _between(few, estimates, known)[2] == pytest.approx([25, 25])
    none = replace(tree, counts=np.where(np.arange(5)[:, None] == 2, 0.0, tree.counts))
    estimates[1] = [30, 20]
    assert _between(none, estimates, known)[2].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("threshold", "cut"),
    [(1.0, None), (1.25, 1), (1.999, 1), (0.0, None), (4.0, None), (3.5, 3), (np.nan, None)],
)
def test_a_threshold_cuts_the_cell_it_lies_inside(threshold: float, cut: int | None) -> None:
    for missing in (False, True):
        cells = Coding.cells("x", range(4), range(1, 5), missing=missing)
        found = cut_cells(cells, threshold)
        assert np.flatnonzero(found).tolist() == ([] if cut is None else [cut])
        assert len(found) == 4 + missing
    assert not cut_cells(Coding.categories("x", ["a", "b"]), threshold).any()


def test_boxes_of_cells_that_lie_in_nodes_whole_and_that_they_touch() -> None:
    inner, outer = _bounds(chain((0, 1.25), (0, 2.5)))
    assert [box.mask("x", 4).tolist() for box in inner] == [
        [True] * 4, [True, False, False, False], [False, False, True, True],
        [False] * 4, [False, False, False, True],
    ]  # fmt: skip
    assert [box.mask("x", 4).tolist() for box in outer] == [
        [True] * 4, [True, True, False, False], [False, True, True, True],
        [False, True, True, False], [False, False, True, True],
    ]  # fmt: skip


def test_records_of_a_sample_stand_for_all() -> None:
    """Eight of ten records: six and two of them, as a draw of eight would have spread them."""
    weighers: Any = [SimpleNamespace(rows=5), SimpleNamespace(rows=3)]
    held: Any = SimpleNamespace(more=1.25, weighers=weighers)
    spread = np.array([[0.1875, -0.1875], [-0.1875, 0.1875]])
    found = _Measuring._sampling(held, np.array([[6.0, 2.0], [9.0, -1.0]]))
    assert isinstance(found, np.ndarray)
    assert found[0] == pytest.approx(1.25 * 8 * 0.25 * spread)
    assert not found[1].any()  # shares of all and of nothing
    held.more = 1.0
    assert _Measuring._sampling(held, np.ones((1, 2))) == 0.0


@pytest.mark.parametrize("disguised", [False, True])
def test_a_wave_is_counted_where_the_class_is_plain(disguised: bool) -> None:
    """Of the root all parts tell, then; else only those in the release's own cells."""
    target: Any = {"play": Substitution(gamma=9)} if disguised else {}
    plan = Plan(target | {"heat": Substitution(gamma=20, kind="band")}, default=Exact(), wave=0.2)
    release = plan.disguise(records(4_000), SCHEMA, seed=1)
    assert len(release.parts) == 2
    grown = TreeClassifier(method="naive", max_depth=1).fit(release).tree_
    tree = measured(grown, release)
    codes = np.concatenate([part.table.collect(5_000).columns["play"] for part in release.parts])
    counts = np.bincount(codes, minlength=3)
    assert (tree.counts[0].tolist() == counts.tolist()) is not disguised
    assert bool((tree.errors[0] > 0).all()) is disguised
    assert bool((tree.errors[0] == 0).all()) is not disguised
    assert tree.counts[0].sum() == pytest.approx(4_000)
    assert tree.size_errors[0] == 0
    for kid in (1, 2):  # a sample of all records has an error, whatever is disguised
        assert tree.size_errors[kid] > 0


def test_exact_numbers_are_coded_by_the_thresholds_of_the_tree() -> None:
    schema = Schema(
        [
            Attribute.numeric("x", low=0, high=4, missing="category"),
            Attribute.numeric("z", low=0, high=4, bins=4),
            Attribute.categorical("y", ["no", "yes"]),
        ],
        target="y",
    )
    held = {"x": np.array([0.5, np.nan, 3.0]), "z": np.ones(3), "y": ["no", "yes", "no"]}
    plan = Plan({"z": Substitution(gamma=5)}, default=Exact(), wave=0)
    release = plan.disguise(held, schema, seed=1)
    tree = chain((0, 2.5), (1, 2.0), (0, 3.25))
    found = at_thresholds(tree, release)
    assert found.codings[1] == tree.codings[1]
    cells = found.codings[0]
    assert cells.missing
    assert np.asarray(cells.lower).tolist() == [-np.inf, 2.5, 3.25]
    assert np.asarray(cells.upper).tolist() == [2.5, 3.25, np.inf]
    routes = [None if route is None else route.tolist() for route in found.routes]
    assert routes[0] == [0, 1, 1, 1]
    assert routes[4] == [0, 0, 1, 1]
    assert routes[2] == np.asarray(tree.routes[2]).tolist()
    wider = at_thresholds(tree, release, [chain((0, 1.5), (1, 1.0))])
    assert np.asarray(wider.codings[0].upper).tolist() == [1.5, 2.5, 3.25, np.inf]
    assert np.asarray(wider.routes[0]).tolist() == [0, 0, 1, 1, 1]
