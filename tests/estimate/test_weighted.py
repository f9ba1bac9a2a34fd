"""Weighted evidence against the formula Σ Π w, its bias, its variance and its whole-number sums."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.channel import GammaDiagonal
from privet.coding import Box
from privet.errors import MethodError
from privet.estimate.weighted import WeightedEvidence, _PartEvidence
from privet.release import Part
from privet.split.scored import Splits
from privet.table import MemoryTable, memory
from tests.estimate.worlds import (
    CLASSES,
    World,
    disguised,
    frontier,
    joint,
    original,
    random_boxes,
    worlds,
)
from tests.strategies import Elsewhere, coding, seeds

SIX_SIGMA = 6.0  # a correct program leaves it once in a hundred million, a cell


@given(worlds(), seeds)
def test_estimates_are_the_sum_of_products(world: World, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence = world.evidence()
    boxes = [Box(), *random_boxes(world, rng, 3)]
    tables = frontier(evidence, boxes)
    assert tables.nodes == len(boxes)
    for node, box in enumerate(boxes):
        for one, estimate in zip(world.codings, tables.at(node), strict=True):
            weights = world.weights(box, one.name)
            size = np.abs(weights).sum() + 1
            np.testing.assert_allclose(estimate.mean, weights.sum(0), rtol=0, atol=1e-9 * size)
            coefficients = rng.normal(size=(4, one.size, len(CLASSES)))
            sums = np.einsum("rvc,kvc->kr", weights, coefficients)
            squares = np.einsum("rvc,kvc->kr", weights, coefficients**2)
            expected = (sums**2 - squares).sum(1)
            size = (np.abs(sums) ** 2).sum() + np.abs(squares).sum() + 1
            np.testing.assert_allclose(
                estimate.variances(coefficients), expected, rtol=0, atol=1e-8 * size
            )
            shared = np.einsum("rvc,kvc,lvc->kl", weights, coefficients, coefficients)
            np.testing.assert_allclose(
                tables.table(node, one.name).covariances(coefficients),
                sums @ sums.T - shared,
                rtol=0,
                atol=1e-8 * size,
            )


@settings(max_examples=30)
@given(worlds(), seeds)
def test_children_are_the_narrowed_boxes(world: World, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence = world.evidence()
    widest = max(one.size for one in world.codings)
    held = evidence.root()
    boxes = [Box()]
    for _ in range(2):
        attribute = rng.integers(0, len(world.codings), len(boxes))
        branch = rng.integers(0, 2, (len(boxes), widest)).astype(np.int16)
        splits = Splits(attribute, branch, np.full(len(boxes), 2))
        keep = rng.random(2 * len(boxes)) < 0.7
        keep[0] = True
        names = [world.codings[place].name for place in attribute]
        kids = [
            box.narrowed(name, branch[node, : world.coding(name).size] == side)
            for node, (box, name) in enumerate(zip(boxes, names, strict=True))
            for side in range(2)
        ]
        boxes = [kid for kid, kept in zip(kids, keep, strict=True) if kept]
        held = evidence.split(held, splits, keep)
    tables = held
    for node, box in enumerate(boxes):
        for one, estimate in zip(world.codings, tables.at(node), strict=True):
            expected = world.weights(box, one.name).sum(0)
            np.testing.assert_allclose(estimate.mean, expected, rtol=0, atol=1e-6)


@settings(max_examples=25)
@given(worlds(), seeds, st.integers(1, 17))
def test_sums_do_not_depend_on_batches(world: World, seed: int, size: int) -> None:
    """To the last bit: in memory, elsewhere, in any batches, on any number of threads."""
    rng = np.random.default_rng(seed)
    boxes = random_boxes(world, rng, 3)
    labels = rng.integers(0, len(CLASSES), 3)
    found = []
    for table in (world.part.table, Elsewhere(MemoryTable(world.columns), size)):
        part = Part(table, world.channels)
        evidence = WeightedEvidence([part], world.codings, "class", CLASSES)
        tables = frontier(evidence, boxes)
        odds = np.eye(len(CLASSES))[labels][:, :, None]
        found.append(([one.mean for one in tables.at(1)], evidence.correct(boxes, odds)))
    for first, second in zip(found[0][0], found[1][0], strict=True):
        np.testing.assert_array_equal(first, second)
    assert found[0][1] == found[1][1]


def test_sums_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    world = disguised(rng, original(rng, 3000), (8.0, 3.0), 5.0)
    boxes = random_boxes(world, rng, 4)
    found = []
    for threads, rows in (("1", 1 << 16), ("2", 100), ("5", 7)):
        monkeypatch.setenv("PRIVET_THREADS", threads)
        monkeypatch.setattr(memory, "BATCH_ROWS", rows)
        evidence = world.evidence()
        tables = frontier(evidence, boxes)
        found.append(np.concatenate([one.mean for node in range(4) for one in tables.at(node)]))
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()


# Bias and variance


@pytest.mark.parametrize("label", [None, 4.0], ids=["plain class", "disguised class"])
def test_no_bias_in_counts_nor_in_variances(label: float | None) -> None:
    """Both are sums over records, so many disguises of a table are one long table."""
    rng = np.random.default_rng(3)
    records, copies = original(rng, 30), 10_000
    many = {name: np.tile(column, copies) for name, column in records.items()}
    world = disguised(rng, many, (6.0, 3.0), label)
    box = Box({"x0": np.array([True, False, True, False])})
    evidence = world.evidence()
    tables = frontier(evidence, [box])
    inside = box.mask("x0", 4)[records["x0"]]
    for one, estimate in zip(world.codings, tables.at(0), strict=True):
        truth = np.zeros((one.size, 3))
        np.add.at(truth, (records[one.name][inside], records["class"][inside]), 1.0)
        weights = world.weights(box, one.name).reshape(len(many["class"]), -1)
        error = weights.std(0) / np.sqrt(len(weights)) * len(records["class"])
        off = (estimate.mean / copies - truth).ravel()
        assert (np.abs(off) <= SIX_SIGMA * error + 1e-9).all()
        # The variance of a sum of cells: each disguise is a group of 30 records.
        coefficients = rng.normal(size=(3, one.size, 3))
        sums = (weights @ coefficients.reshape(3, -1).T).reshape(copies, 30, 3).sum(1)
        spread = sums.var(axis=0, ddof=1)
        claimed = estimate.variances(coefficients) / copies
        fourth = ((sums - sums.mean(0)) ** 4).mean(0)
        doubt = np.sqrt((fourth - spread**2) / copies)
        assert (np.abs(claimed - spread) <= SIX_SIGMA * 1.5 * doubt).all()


@settings(max_examples=20)
@given(seeds)
def test_apply_then_invert_gives_the_counts_back(seed: int) -> None:
    """Every original in all its disguises, as often as the integers of narrow channels say."""
    rng = np.random.default_rng(seed)
    records = original(rng, 4)
    narrow = [
        GammaDiagonal("x0", 4, 3, bits=4),
        GammaDiagonal("x1", 3, 2, bits=3),
        GammaDiagonal("class", 3, 4, bits=3),
    ]
    made: list[tuple[int, ...]] = []
    for record in zip(*records.values(), strict=True):
        laws = [one.matrix()[:, code] for one, code in zip(narrow, record, strict=True)]
        for cell in product(*(range(len(law)) for law in laws)):
            times = int(np.prod([law[code] for law, code in zip(laws, cell, strict=True)]))
            made += [cell] * times
    columns = {
        name: np.array(column, np.uint8)
        for name, column in zip(records, zip(*made, strict=True), strict=True)
    }
    codings = (coding("x0", 4, ordered=True), coding("x1", 3, ordered=False))
    world = World(codings, tuple(narrow), columns)
    evidence = world.evidence()
    boxes = [Box(), *random_boxes(world, rng, 3)]
    tables = frontier(evidence, boxes)
    for node, box in enumerate(boxes):
        inside = np.ones(4, np.bool_)
        for one in codings:
            inside &= box.mask(one.name, one.size)[records[one.name]]
        for one, estimate in zip(codings, tables.at(node), strict=True):
            truth = np.zeros((one.size, 3))
            np.add.at(truth, (records[one.name][inside], records["class"][inside]), 1.0)
            np.testing.assert_allclose(estimate.mean / 2**10, truth, atol=1e-8)


@pytest.mark.parametrize("gamma", [1e6, 1e9])
def test_without_noise_estimates_are_counts(gamma: float) -> None:
    rng = np.random.default_rng(4)
    records = original(rng, 200)
    world = disguised(rng, records, (gamma, gamma), gamma)
    box = Box({"x0": np.array([True, True, False, False]), "x1": np.array([False, True, True])})
    evidence = world.evidence()
    plain = World(world.codings, (), world.columns).evidence()
    for node in range(2):
        boxes = [Box(), box]
        noisy = frontier(evidence, boxes).at(node)
        exact = frontier(plain, boxes).at(node)
        for one, two in zip(noisy, exact, strict=True):
            np.testing.assert_allclose(one.mean, two.mean, atol=200 * 40 / gamma)
            coefficients = np.ones((1, *one.mean.shape))
            assert abs(one.variances(coefficients).item()) < 200 * 200 / gamma
            assert two.variances(coefficients).item() == 0.0


def test_a_golden_inverse() -> None:
    """Fong §4.2.1: γ = 3, counts [3, 6, 5] of Outlook give [0.5, 8, 5.5]."""
    observed = np.repeat([0, 1, 2], [3, 6, 5]).astype(np.uint8)
    columns = {"x0": observed, "class": np.zeros(14, np.uint8)}
    world = World((coding("x0", 3, ordered=False),), (GammaDiagonal("x0", 3, 3),), columns)
    evidence = world.evidence()
    mean = evidence.root().at(0)[0].mean
    np.testing.assert_allclose(mean[:, 0], [0.5, 8.0, 5.5], atol=1e-7)


def test_parts_add_up_with_their_signs() -> None:
    rng = np.random.default_rng(6)
    worlds_ = [disguised(rng, original(rng, 50), (5.0, 5.0), None) for _ in range(2)]
    parts = [worlds_[0].part, Part(worlds_[1].part.table, worlds_[1].channels, sign=-1)]
    evidence = WeightedEvidence(parts, worlds_[0].codings, "class", CLASSES)
    box = Box({"x1": np.array([True, False, True])})
    held = frontier(evidence, [box]).at(0)
    alone = [frontier(one.evidence(), [box]).at(0) for one in worlds_]
    for both, plus, minus in zip(held, *alone, strict=True):
        np.testing.assert_allclose(both.mean, plus.mean - minus.mean)
        ones = np.ones((1, *plus.mean.shape))
        np.testing.assert_allclose(
            both.variances(ones), plus.variances(ones) + minus.variances(ones)
        )
        each = np.eye(ones.size).reshape(-1, *plus.mean.shape)
        np.testing.assert_allclose(
            both.covariances(each), plus.covariances(each) + minus.covariances(each)
        )
    assert evidence.rows == 0
    second = np.eye(len(CLASSES))[1:2, :, None]
    mean, variance = evidence.correct([box], second)
    one, two = (world.evidence().correct([box], second) for world in worlds_)
    assert mean == pytest.approx(one[0] - two[0])
    assert variance == pytest.approx(one[1] + two[1])


# Accuracy


def leaves(world: World) -> tuple[list[Box], NDArray[np.int64]]:
    """Three boxes that cover everything, and their labels."""
    low = np.array([True, True, False, False])
    first = np.array([True, False, False])
    return [
        Box({"x0": low}),
        Box({"x0": ~low, "x1": first}),
        Box({"x0": ~low, "x1": ~first}),
    ], np.array([0, 2, 1])


def right(records: dict[str, NDArray[Any]], boxes: list[Box], odds: NDArray[Any]) -> float:
    """How many plain records are right, each by the odds of its box and class."""
    total = 0.0
    for box, chances in zip(boxes, odds, strict=True):
        inside = box.mask("x0", 4)[records["x0"]] & box.mask("x1", 3)[records["x1"]]
        total += chances[records["class"][inside]].sum()
    return total


ODDS = {
    "labels": np.eye(3)[[0, 2, 1]][:, :, None],
    "odds": np.array([[1.0, 0.0, 0.0], [0.3, 0.0, 0.8], [0.2, 0.9, 0.5]])[:, :, None],
}


@pytest.mark.parametrize("label", [None, 4.0], ids=["plain class", "disguised class"])
def test_correct_is_the_sum_over_boxes(label: float | None) -> None:
    rng = np.random.default_rng(7)
    world = disguised(rng, original(rng, 60), (6.0, 3.0), label)
    boxes, labels = leaves(world)
    # x0's table within a box, summed over its values, is the box's own weight.
    cells = [
        world.weights(box, "x0").sum(1)[:, one] for box, one in zip(boxes, labels, strict=True)
    ]
    weights = np.sum(cells, axis=0)
    (mean,), (variance,) = world.evidence().correct(boxes, ODDS["labels"])
    assert mean == pytest.approx(weights.sum(), rel=1e-9)
    assert variance == pytest.approx((weights**2).sum() - weights.sum(), rel=1e-9)


@pytest.mark.parametrize("kind", ODDS)
def test_correct_of_plain_records_is_exact(kind: str) -> None:
    rng = np.random.default_rng(8)
    records = original(rng, 100)
    world = World((coding("x0", 4, ordered=True), coding("x1", 3, ordered=False)), (), records)
    boxes, _ = leaves(world)
    (mean,), (variance,) = world.evidence().correct(boxes, ODDS[kind])
    assert mean == pytest.approx(right(records, boxes, ODDS[kind][:, :, 0]), abs=1e-9)
    assert variance == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("kind", ODDS)
def test_intervals_of_correct_cover(kind: str) -> None:
    """95 % intervals hold the truth in 95 % of 500 disguises, give or take five sigma."""
    rng = np.random.default_rng(9)
    records = original(rng, 400)
    covered, tries, bias = 0, 500, []
    for _ in range(tries):
        world = disguised(rng, records, (6.0, 3.0), 8.0)
        boxes, _ = leaves(world)
        truth = right(records, boxes, ODDS[kind][:, :, 0])
        (mean,), (variance,) = world.evidence().correct(boxes, ODDS[kind])
        covered += abs(mean - truth) <= 1.96 * np.sqrt(variance)
        bias.append((mean - truth) / np.sqrt(variance))
    assert abs(covered / tries - 0.95) < 5 * np.sqrt(0.95 * 0.05 / tries)
    assert abs(np.mean(bias)) < 5 / np.sqrt(tries)


# Limits


def test_units_leave_room_for_every_sum() -> None:
    """The largest possible sum of weights and of squares stays below 2**63."""
    rng = np.random.default_rng(10)
    world = disguised(rng, original(rng, 1000), (1.01, 1.01), 1.01)
    (part,) = world.evidence().parts
    assert isinstance(part, _PartEvidence)
    boxes = [
        Box({"x0": np.array([True, False, False, False]), "x1": np.array([True, False, False])})
    ]
    path, factors, bounds = part.program(boxes)
    largest = np.prod([np.abs(factors[0, k]).max() for k in range(path.shape[1])])
    assert bounds[0] >= largest
    assert largest * part.unit(bounds[0]) * 1000 < 2.0**63
    assert largest**2 * part.unit(bounds[0] ** 2) * 1000 < 2.0**63


def test_a_group_with_the_class_in_it_is_refused() -> None:
    rng = np.random.default_rng(11)
    columns = original(rng, 10)
    together = joint(rng, ("x0", "class"), (4, 3))
    codings = (coding("x0", 4, ordered=True), coding("x1", 3, ordered=False))
    with pytest.raises(MethodError, match="together with the class"):
        World(codings, (together,), columns).evidence()


def test_exact_numbers_are_coded_as_they_are_weighed() -> None:
    """Numbers beside a disguised attribute: the same sums as of their codes."""
    rng = np.random.default_rng(12)
    world = disguised(rng, original(rng, 200), (6.0, 3.0), None)
    plain = World(world.codings, world.channels[1:], world.columns)  # x0 as it was
    numbers = dict(world.columns) | {"x0": world.codings[0].decode(world.columns["x0"])}
    as_numbers = WeightedEvidence(
        [Part(MemoryTable(numbers), plain.channels)], world.codings, "class", CLASSES
    )
    boxes = [Box(), Box({"x0": np.array([True, False, True, False])})]
    for node in range(2):
        found = frontier(as_numbers, boxes).at(node)
        wanted = frontier(plain.evidence(), boxes).at(node)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one.mean, other.mean)
    assert as_numbers.tests_splits
    assert as_numbers.rows == 200


def test_large_weights_do_not_overflow_a_score() -> None:
    """Records that weigh 40,000: the second sums have units of their own."""
    rng = np.random.default_rng(13)
    world = disguised(rng, original(rng, 50), (1.01, 1.01), None)
    boxes, labels = leaves(world)
    cells = [
        world.weights(box, "x0").sum(1)[:, one] for box, one in zip(boxes, labels, strict=True)
    ]
    weights = np.sum(cells, axis=0)
    (mean,), (variance,) = world.evidence().correct(boxes, ODDS["labels"])
    assert np.abs(weights).max() > 10_000
    assert mean == pytest.approx(weights.sum(), rel=1e-9)
    assert variance == pytest.approx((weights**2).sum() - weights.sum(), rel=1e-9)
