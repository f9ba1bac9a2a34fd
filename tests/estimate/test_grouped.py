"""Groups with states against the inverse of the whole matrix, for attributes of any sizes."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.channel import Channel, Flip, GammaDiagonal, JointGammaDiagonal
from privet.coding import Box, Coding
from privet.estimate import grouped
from privet.estimate.collapse import ALWAYS, MAX_CELLS, TIMES, collapse, may_collapse
from privet.estimate.grouped import Layout, TableCounter, fits, observed_right
from privet.estimate.weighted import StatePart, WeightedEvidence, _PartEvidence
from privet.release import Part
from privet.table import MemoryTable
from tests.estimate.worlds import CLASSES, World, joint, random_boxes
from tests.strategies import Elsewhere, coding

SIZES = {"x0": 3, "x1": 2, "x2": 4, "x3": 2, "x4": 3, "x5": 2}
CODINGS = tuple(coding(name, size, ordered=name == "x4") for name, size in SIZES.items())
CHANNELS: tuple[Channel, ...] = (
    JointGammaDiagonal(("x0", "x2"), (3, 4), 15),
    Flip(("x1", "x5"), 0.8),
    GammaDiagonal("x4", 3, 5),
)
LABEL = GammaDiagonal("class", 3, 8)
WEAK = (Flip(("x1", "x5"), 0.501), GammaDiagonal("x2", 4, 1.01))  # a record weighs 100,000


def columns(rng: np.random.Generator, rows: int) -> dict[str, NDArray[np.uint8]]:
    sizes = SIZES | {"class": len(CLASSES)}
    return {name: rng.integers(0, size, rows).astype(np.uint8) for name, size in sizes.items()}


def state_part(world: World, *, elsewhere: bool = False) -> StatePart:
    """The part by states; elsewhere, as numbers that are still to be coded, in small batches."""
    rows = len(world.columns["class"])
    layout = Layout(world.codings, world.channels, "class", len(CLASSES), rows)
    held: dict[str, Any] = dict(world.columns)
    if elsewhere:
        held["x3"] = world.coding("x3").decode(held["x3"])
    table = MemoryTable(held)
    return StatePart(layout, TableCounter(layout, Elsewhere(table, 7) if elsewhere else table))


@pytest.mark.parametrize("label", [False, True], ids=["plain class", "disguised class"])
@pytest.mark.parametrize("seed", range(3))
def test_estimates_are_the_sum_of_products(seed: int, label: bool) -> None:
    rng = np.random.default_rng(seed)
    channels = (*CHANNELS, LABEL) if label else CHANNELS
    codings = tuple(
        Coding.cells("x3", [0, 10], [4, 14]) if one.name == "x3" else one for one in CODINGS
    )
    world = World(codings, channels, columns(rng, 40))
    boxes = [Box(), *random_boxes(world, rng, 3)]
    made = [state_part(world), state_part(world, elsewhere=True)]
    counted = [part.count(boxes) for part in made]
    for one, other in zip(*counted, strict=True):
        np.testing.assert_array_equal(one, other)
    assert counted[0][0].shape == (4, int(made[0].layout.offsets[-1]), 3)
    for node, box in enumerate(boxes):
        for held in codings:
            estimate = made[0].estimate(held.name, box, *(sums[node] for sums in counted[0]))
            weights = world.weights(box, held.name)
            size = np.abs(weights).sum() + 1
            np.testing.assert_allclose(estimate.mean, weights.sum(0), rtol=0, atol=1e-9 * size)
            coefficients = rng.normal(size=(3, held.size, 3))
            sums = np.einsum("rvc,kvc->kr", weights, coefficients)
            expected = (sums**2 - np.einsum("rvc,kvc->kr", weights, coefficients**2)).sum(1)
            size = (sums**2).sum() + np.abs(weights).sum() * 20 + 1
            found = estimate.variances(coefficients)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * size)


@pytest.mark.parametrize("channels", [CHANNELS, (*CHANNELS, LABEL), WEAK])
def test_scores_are_the_sum_of_products(channels: tuple[Channel, ...]) -> None:
    """Also of odds between none and all, for two sums at once, and of large weights."""
    rng = np.random.default_rng(4)
    world = World(CODINGS, channels, columns(rng, 50))
    low = np.array([True, False, True, False])
    boxes = [
        Box({"x2": low, "x5": np.array([True, False])}),
        Box({"x2": low, "x5": np.array([False, True])}),
        Box({"x2": ~low}),
    ]
    odds = rng.choice([0.0, 0.3, 1.0], (3, 3, 2))
    weights = [world.weights(box, "x3").sum(1) for box in boxes]  # records × classes
    said = sum(weight @ odd for weight, odd in zip(weights, odds, strict=True))
    squares = sum(weight @ odd**2 for weight, odd in zip(weights, odds, strict=True))
    evidence = WeightedEvidence.of([state_part(world)], CODINGS, CLASSES)
    mean, variance = evidence.correct(boxes, odds)
    np.testing.assert_allclose(mean, np.asarray(said).sum(0), rtol=1e-9, atol=1e-6)
    wanted = (np.asarray(said) ** 2).sum(0) - np.asarray(squares).sum(0)
    np.testing.assert_allclose(variance, wanted, rtol=1e-8)


def test_where_cells_lie() -> None:
    """Four states of flips, two of a joint group, none of the rest: each with its codes."""
    layout = Layout(CODINGS, (*CHANNELS, LABEL), "class", 3, 10)
    assert [places for _, places in layout.groups] == [(0, 2), (1, 5), (3,), (4,)]
    assert layout.group.tolist() == [0, 1, 0, 2, 3, 1]
    assert layout.states.tolist() == [2, 4, 0, 0]
    assert layout.sizes.tolist() == [3, 2, 4, 2, 3, 2]
    assert layout.offsets.tolist() == [0, 6, 14, 22, 24, 27, 35]
    _, full, mortal = layout.fixed
    assert full.tolist() == [1, 3, 0, 0]
    assert mortal.tolist() == [False, True, True, False]
    assert layout.observed_classes == 3
    assert layout.certain == [False, False, True, False]
    assert Layout(CODINGS, (Flip(("x1",), 0.0),), "class", 3, 10).certain[1]


def test_weights_of_an_attribute_are_those_inside_each_box() -> None:
    """As a table by itself says them, for channels of every kind."""
    layout = Layout(CODINGS, CHANNELS, "class", 3, 10)
    rng = np.random.default_rng(5)
    world = World(CODINGS, CHANNELS, columns(rng, 1))
    boxes = [Box(), *random_boxes(world, rng, 4)]
    none = np.zeros((int(layout.offsets[-1]), 3))
    for held in CODINGS:
        values = layout.values(held.name, boxes)
        for box, found in zip(boxes, values, strict=True):
            alone, _, _ = layout.table(held.name, box, none, none)
            mask = box.mask(held.name, held.size)
            if alone is None:
                assert found.tolist() == np.diag(mask.astype(float)).tolist()
            elif held.name in ("x1", "x5"):  # of flips: what the box asks of others is in states
                assert found.shape == alone.shape
                assert not found[~mask].any()
                plain, _, _ = layout.table(held.name, Box(), none, none)
                assert plain is not None
                np.testing.assert_allclose(found[mask], plain[mask])
            else:
                np.testing.assert_allclose(found, alone)


def test_what_observed_classes_weigh_as_right() -> None:
    right = np.array([[[1.0], [0.0]], [[0.5], [1.0]]])  # boxes × classes × sums
    rows, most = observed_right(right, None, np.array([3.0, 2.0]))
    assert rows.tolist() == right.tolist()
    assert most.tolist() == [3.0 * 1 + 2.0 * 1]
    inverse = np.array([[1.5, -0.5], [-0.5, 1.5]])
    rows, most = observed_right(right, inverse, np.array([3.0, 2.0]))
    assert rows[:, :, 0].tolist() == [[1.5, -0.5], [0.25, 1.25]]
    assert most.tolist() == [3.0 * 1.5 + 2.0 * 1.25]
    assert observed_right(0.1 * right, None, np.ones(2))[1].tolist() == [1.0]  # never below one


def test_units_leave_room_for_all_records() -> None:
    layout = Layout(CODINGS, CHANNELS, "class", 3, 1000)
    asked = {name: np.arange(size) == 0 for name, size in SIZES.items()}
    program = layout.program([Box(), Box(asked), Box({"x3": asked["x3"]})])
    assert len(program) == 3
    assert program.path.tolist()[1] == [0, 2, 1, 5, 3, 4]  # group by group
    assert program.path.tolist()[0] == [-1] * 6
    largest = np.prod(
        [
            np.abs(CHANNELS[0].weights(Box({n: asked[n] for n in ("x0", "x2")}))).max(),
            np.abs(CHANNELS[1].weights(Box({n: asked[n] for n in ("x1", "x5")}))).max(),
            np.abs(CHANNELS[2].weights(Box({"x4": asked["x4"]}))).max(),
        ]
    )
    assert program.bounds == pytest.approx([1.0, largest, 1.0])
    layout = Layout(CODINGS, WEAK, "class", 3, 1000)
    program = layout.program([Box(), Box(asked)])
    units = layout.units(program)
    assert units[0].tolist() == [2.0**40, 2.0**40]  # fine enough, where weights are small
    for unit, largest in zip(units[1], (program.bounds[1], program.bounds[1] ** 2), strict=True):
        assert 2.0**60 < 1000 * largest * unit < 2.0**63


# Which parts are weighed so


def plain_part(rows: int, sizes: list[int], channels: tuple[Channel, ...] = ()) -> Part:
    held = {f"x{i}": np.zeros(rows, np.uint8) for i in range(len(sizes))}
    return Part(MemoryTable(held | {"class": np.zeros(rows, np.uint8)}), channels)


def test_parts_with_states_or_with_few_distinct_records_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grouped, "WORTH", 100)

    def fit(rows: int, sizes: list[int], channels: tuple[Channel, ...] = ()) -> bool:
        codings = [coding(f"x{i}", size, ordered=False) for i, size in enumerate(sizes)]
        return fits(plain_part(rows, sizes, channels), codings, "class", 3)

    rng = np.random.default_rng(1)
    flip, whole = Flip(("x0", "x1"), 0.8), joint(rng, ("x0", "x1"), (2, 2))
    assert fit(1, [2, 2], (flip,))
    assert fit(1, [2, 2], (Flip(("x0",), 0.8),))  # one attribute, but with states
    assert fit(1, [2, 2], (flip, GammaDiagonal("class", 3, 5)))
    assert not fit(101, [2, 2], (whole,))
    assert not fit(101, [2, 2, 2], (Flip(("x2",), 0.8), whole))
    assert not fit(101, [2, 2], (Flip(("x0", "class"), 0.8),))
    assert fit(101, [2, 2])
    assert not fit(100, [2, 2])  # not worth it
    assert fit(101, [2, 2], (GammaDiagonal("x0", 2, 5),))
    assert not fit(101, [20, 20, 20])  # 24,000 cells, more than records
    assert fit(101, [21, 13, 5])  # 4095 are always few enough


def test_what_fits_is_weighed_by_states() -> None:
    rng = np.random.default_rng(2)
    held = columns(rng, 20)
    made = WeightedEvidence([Part(MemoryTable(held), CHANNELS)], CODINGS, "class", CLASSES)
    assert isinstance(made.parts[0], StatePart)
    assert made.rows == made.parts[0].rows == 20
    plain = WeightedEvidence([Part(MemoryTable(held), ())], CODINGS, "class", CLASSES)
    assert isinstance(plain.parts[0], _PartEvidence)


# Collapsing


@pytest.mark.parametrize(
    ("rows", "cells", "may"),
    [
        (0, ALWAYS, True),
        (ALWAYS, ALWAYS + 1, False),
        (ALWAYS + 1, ALWAYS + 1, True),
        (MAX_CELLS, MAX_CELLS, True),
        (MAX_CELLS + 1, MAX_CELLS + 1, False),
        (10**9, MAX_CELLS + 1, False),
    ],
)
def test_few_distinct_records_are_worth_it(rows: int, cells: int, may: bool) -> None:
    assert may_collapse(rows, [cells]) is may


def test_sizes_of_collapsing() -> None:
    """So many cells that four million counts fit in 32 MB; so few that any table gains."""
    assert (ALWAYS, MAX_CELLS) == (4096, 4194304)
    assert fits(plain_part(65_537, [2]), [coding("x0", 2, ordered=False)], "class", 3)
    assert not fits(plain_part(65_536, [2]), [coding("x0", 2, ordered=False)], "class", 3)


def test_each_distinct_record_once() -> None:
    rng = np.random.default_rng(3)
    held: dict[str, Any] = {
        "a": rng.integers(0, 257, 900).astype(np.uint16),
        "b": rng.integers(0, 3, 900).astype(np.uint8),
    }
    found = collapse(
        Elsewhere(MemoryTable(held), 70), {"a": 257, "b": 3}, lambda b: list(b.columns.values())
    )
    assert found is not None
    assert list(found.columns) == ["a", "b", TIMES]
    assert [found.columns[name].dtype for name in "ab"] == [np.uint16, np.uint8]
    records, times = np.unique(np.stack([held["a"], held["b"]], 1), axis=0, return_counts=True)
    assert found.columns["a"].tolist() == records[:, 0].tolist()
    assert found.columns["b"].tolist() == records[:, 1].tolist()
    assert found.columns[TIMES].tolist() == times.tolist()
    byte = collapse(MemoryTable({"a": np.array([255, 3])}), {"a": 256}, lambda b: [b.columns["a"]])
    assert byte is not None
    assert byte.columns["a"].dtype == np.uint8
    assert byte.columns["a"].tolist() == [3, 255]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_collapsed_records_are_weighed_by_all_threads(
    threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty boxes and few distinct records: the sums are those of all records."""
    monkeypatch.setenv("PRIVET_THREADS", threads)
    rng = np.random.default_rng(6)
    world = World(CODINGS, CHANNELS, columns(rng, 5_000))  # more than are weighed in one block
    boxes = [Box(), *random_boxes(world, rng, 19)]
    together, apart = state_part(world), state_part(world)
    assert isinstance(apart.counter, TableCounter)
    apart.counter._tried = True
    for one, other in zip(together.count(boxes), apart.count(boxes), strict=True):
        np.testing.assert_array_equal(one, other)
    assert isinstance(together.counter, TableCounter)
    assert TIMES in together.counter.table.names
    assert TIMES not in apart.counter.table.names
    right = rng.choice([0.0, 0.4, 1.0], (20, 3, 2))
    for one, other in zip(together.correct(boxes, right), apart.correct(boxes, right), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
