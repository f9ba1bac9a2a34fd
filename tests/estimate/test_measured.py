"""Errors that cover: nodes measured again by inverse weights, whatever grew the tree."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privet import datasets
from privet.coding import Box
from privet.disguise import (
    AdditiveNoise,
    Exact,
    Plan,
    RandomizedResponse,
    RandomSubstitution,
    Substitution,
)
from privet.estimate.measured import Z, _chosen, measured
from privet.estimate.weigher import Weigher
from privet.estimate.weighted import WeightedEvidence
from privet.estimators import TreeClassifier
from privet.records import read_by
from privet.schema import Attribute, Schema
from privet.tree import Tree

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


def test_noise_that_chose_a_node_is_in_its_errors() -> None:
    """A test sure by z widens errors below it by √(1 + 1 / 2z²), and by no more than √1.5."""
    release = RandomSubstitution(gamma=20, wave=0).disguise(records(300), SCHEMA, seed=3)
    grown = TreeClassifier(method="naive", max_depth=4).fit(release).tree_
    here, elsewhere = (measured(grown, release, grown_here=where) for where in (True, False))
    assert here.share_errors is not None
    assert elsewhere.share_errors is not None
    known = np.flatnonzero(elsewhere.share_errors > 0)
    known = known[known > 0]
    sure = elsewhere.z[elsewhere.parent[known]]
    assert 1.0 < sure.min() < 2.0 < sure.max()
    more = np.sqrt(1 + 0.5 / sure**2)
    assert here.share_errors[known] == pytest.approx(more * elsewhere.share_errors[known])
    assert here.errors[known] == pytest.approx(more[:, None] * elsewhere.errors[known])
    assert here.errors[0] == pytest.approx(elsewhere.errors[0])
    assert np.array_equal(here.size_errors, elsewhere.size_errors, equal_nan=True)
    assert np.array_equal(here.counts, elsewhere.counts)
    for unsure in (np.nan, 0.0, 0.9):
        most = _chosen(grown, np.full(grown.nodes, unsure))
        assert most.tolist() == [1.0] + [np.sqrt(1.5)] * (grown.nodes - 1)


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
