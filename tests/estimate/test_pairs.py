"""Binary attributes: the best splits of a whole level at once are those of table by table."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.channel import Channel, Flip, GammaDiagonal, JointGammaDiagonal
from privet.coding import Box, Coding
from privet.estimate.base import Frontier
from privet.estimate.best_pairs import can_choose
from privet.estimate.grouped import Layout, TableCounter
from privet.estimate.pairs import SummedPairs
from privet.estimate.weighted import StatePart, WeightedEvidence, WeightedFrontier
from privet.split.policy import Policy
from privet.split.scored import Scored
from privet.split.tables import Linear
from privet.table import MemoryTable

NAMES = ("x0", "x1", "x2", "x3")
CODINGS = tuple(
    Coding.cells(name, [0, 10], [4, 14])
    if place % 2
    else Coding.categories(name, ["a", "b"])
    for place, name in enumerate(NAMES)
)  # fmt: skip
LAWS: dict[str, list[Channel]] = {
    "plain": [],
    "certain": [Flip(("x0", "x1"), 1.0)],
    "flips": [Flip(("x0", "x1"), 0.85), Flip(("x2",), 0.7)],
    "joint": [JointGammaDiagonal(("x1", "x2"), (2, 2), 9), GammaDiagonal("x3", 2, 6)],
}
POLICIES = (
    Policy(),
    Policy(multiway=True, criterion="entropy"),
    Policy(min_samples_leaf=60),
    Policy(min_weight_leaf=90, min_samples_leaf=0),
)
EVERYWHERE = [
    Box(),
    Box({"x0": np.array([True, False])}),
    Box({"x1": np.array([False, True]), "x2": np.array([True, False])}),
    Box({"x3": np.array([False, True])}),
    Box({"x3": np.array([True, True]), "x0": np.array([False, True])}),
]


def columns(rng: np.random.Generator, rows: int, classes: int) -> dict[str, NDArray[np.uint8]]:
    """Bits, a class that goes with the first three of them, and noise in it."""
    bits = rng.integers(0, 2, (rows, 4))
    label = (bits[:, 0] + 2 * (bits[:, 1] ^ bits[:, 2])) % classes
    label = np.where(rng.random(rows) < 0.3, rng.integers(0, classes, rows), label)
    held = dict(zip(NAMES, bits.T.astype(np.uint8), strict=True))
    return held | {"class": label.astype(np.uint8)}


def part(laws: list[Channel], held: dict[str, Any], classes: int, sign: int = 1) -> StatePart:
    layout = Layout(CODINGS, tuple(laws), "class", classes, len(held["class"]))
    return StatePart(layout, TableCounter(layout, MemoryTable(held)), sign)


def frontier(parts: list[StatePart], classes: int, boxes: list[Box]) -> WeightedFrontier:
    evidence = WeightedEvidence.of(parts, CODINGS, tuple(range(classes)))
    return WeightedFrontier(evidence, boxes)


def same(found: list[Scored | None], wanted: list[Scored | None]) -> int:
    """Compare all that is said of splits; return how many there are."""
    assert [one is None for one in found] == [one is None for one in wanted]
    for one, other in zip(found, wanted, strict=True):
        if one is None or other is None:
            continue
        for field in fields(Scored):
            left, right = getattr(one, field.name), getattr(other, field.name)
            if field.name == "records":
                assert left is None
                assert right is None
            else:
                assert left == pytest.approx(right, rel=1e-6, abs=1e-6), field.name
    return sum(one is not None for one in found)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("label", [None, 7.0], ids=["plain class", "disguised class"])
@pytest.mark.parametrize("law", LAWS)
def test_all_nodes_at_once_choose_as_each_would_by_itself(
    law: str, label: float | None, classes: int
) -> None:
    split = 0
    for seed in range(2):
        rng = np.random.default_rng(seed)
        laws = [*LAWS[law], *([] if label is None else [GammaDiagonal("class", classes, label)])]
        parts = [part(laws, columns(rng, 700, classes), classes)]
        if seed:  # a second part, added or taken away
            parts.append(part(laws, columns(rng, 150, classes), classes, 2 * classes - 5))
        nodes = frontier(parts, classes, EVERYWHERE)
        pairs = nodes.pairs()
        assert isinstance(pairs, SummedPairs) == (len(parts) > 1)
        for policy in POLICIES:
            split += same(nodes.best(policy), Frontier.best(nodes, policy))
    assert split > 6


@pytest.mark.parametrize("rows", [12, 40, 90])
@pytest.mark.parametrize("law", ["plain", "flips", "joint"])
def test_few_records_have_values_that_do_not_occur(
    law: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gains need not be sure here: then sides that are smaller than their errors are refused."""
    monkeypatch.setattr(Linear, "gain_z", 0.05)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        held = columns(rng, rows, 2)
        if seed:
            held["x2"][:] = seed % 2  # of one value alone
        held["x1"][: 3 * rows // 4] = 0
        nodes = frontier([part(LAWS[law], held, 2)], 2, EVERYWHERE)
        for policy in POLICIES[:: 1 if seed else 2]:
            same(nodes.best(policy), Frontier.best(nodes, policy))


def test_of_one_class_nothing_is_unsure() -> None:
    held = columns(np.random.default_rng(1), 300, 1)
    for laws in LAWS.values():
        nodes = frontier([part(laws, held, 1)], 1, EVERYWHERE)
        same(nodes.best(Policy()), Frontier.best(nodes, Policy()))
        for split in nodes.best(Policy()):
            assert split is None or not split.unsure.any()


def test_only_nodes_that_are_wanted_are_split() -> None:
    held = columns(np.random.default_rng(2), 300, 2)
    nodes = frontier([part([], held, 2)], 2, EVERYWHERE)
    every = nodes.best(Policy())
    assert None not in every
    wanted = np.array([False, True, False, False, True])
    some = nodes.best(Policy(), wanted)
    assert [split is not None for split in some] == wanted.tolist()
    same([some[1], some[4]], [every[1], every[4]])


def test_of_equal_attributes_the_first_is_taken_and_sides_may_be_just_large_enough() -> None:
    """Six records of one value, ten of the other; x0, x1 and x2 are the same."""
    bit = np.repeat([0, 1], [6, 10]).astype(np.uint8)
    held = dict.fromkeys(("x0", "x1", "x2"), bit) | {"x3": 1 - bit, "class": bit}
    nodes = frontier([part([], held, 2)], 2, [Box()])
    for least, taken in ((6, 0), (6.001, None), (5.999, 0)):
        for policy in (Policy(min_samples_leaf=least), Policy(min_weight_leaf=least)):
            (split,) = nodes.best(policy)
            assert (None if split is None else split.attribute) == taken
    (split,) = nodes.best(Policy())
    assert split is not None
    assert split.counts.tolist() == [[0, 10], [6, 0]]  # fewest of the first class go first
    assert split.branch.tolist() == [1, 0]
    assert (split.z, split.gap) == (np.inf, (-1, -1))
    assert split.gain == pytest.approx(2 * 6 * 10 / 16**2)
    lone = dict.fromkeys(NAMES, 0 * bit) | {"x0": (np.arange(16) == 0).astype(np.uint8)}
    lone["class"] = bit
    (alone,) = frontier([part([], lone, 2)], 2, [Box()]).best(Policy(min_samples_leaf=0))
    assert alone is not None
    assert sorted(alone.counts.sum(1).tolist()) == [1, 15]
    (numbers,) = frontier([part([], held | {"x0": 0 * bit}, 2)], 2, [Box()]).best(Policy())
    assert numbers is not None
    assert (numbers.attribute, numbers.branch.tolist(), numbers.gap) == (1, [0, 1], (0, 1))
    (multi,) = nodes.best(Policy(multiway=True))
    assert multi is not None
    assert multi.branch.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("policy", "can"),
    [
        (Policy(), True),
        (Policy(ratio=True), False),
        (Policy(cut_margin=0.1), False),
        (Policy(ratio=True, cut_margin=0.1), False),
    ],
)
def test_ratios_and_margins_are_looked_at_elsewhere(policy: Policy, can: bool) -> None:
    assert can_choose(policy) is can


def test_attributes_of_three_values_are_no_pairs() -> None:
    three = (Coding.categories("x0", ["a", "b", "c"]), *CODINGS[1:])
    held = columns(np.random.default_rng(3), 50, 2)
    layout = Layout(three, (), "class", 2, 50)
    made = StatePart(layout, TableCounter(layout, MemoryTable(held)))
    nodes = WeightedFrontier(WeightedEvidence.of([made], three, (0, 1)), EVERYWHERE[:1])
    assert nodes.pairs() is None
    same(nodes.best(Policy()), Frontier.best(nodes, Policy()))
