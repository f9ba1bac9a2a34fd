"""Laws of groups: what is weighed by states is the inverse of the whole matrix, nothing else."""

from dataclasses import dataclass
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.channel import Channel, Flip, GammaDiagonal, JointGammaDiagonal
from privet.coding import Box, Coding
from privet.estimate.collapse import TIMES, collapse
from privet.estimate.grouped import Layout, TableCounter
from privet.estimate.weighted import (
    StatePart,
    WeightedEvidence,
    WeightedFrontier,
    _PartEvidence,
)
from privet.release import Part
from privet.split.policy import Policy
from privet.split.tables import Linear
from privet.table import MemoryTable
from tests.strategies import ranked

CLASSES = ("no", "yes")
close: dict[str, Any] = {"rel": 1e-9, "abs": 1e-6}


@dataclass(frozen=True)
class World:
    """Released records of binary attributes in groups, and an attribute without a channel."""

    part: Part
    codings: tuple[Coding, ...]

    @property
    def names(self) -> list[str]:
        return [coding.name for coding in self.codings]

    def kronecker(self) -> NDArray[np.float64]:
        """The inverse of the whole matrix over all attributes in order, exact ones included."""
        held: list[NDArray[np.float64]] = []
        done: set[str] = set()
        for name in self.names:
            channel = self.part.channel(name)
            if name in done:
                continue
            held.append(np.eye(2) if channel is None else channel.inverse())
            done.update((name,) if channel is None else channel.attributes)
        whole: NDArray[Any] = np.eye(1)
        for one in held:
            whole = np.kron(whole, one)
        return whole

    def joint(self) -> NDArray[np.int64]:
        """Joint codes of the released records, in the order of the attributes."""
        joint = np.zeros(self.part.table.rows, np.int64)
        for name in self.names:
            joint = 2 * joint + self.part.table.collect(10**6).columns[name]
        return joint

    def brute(self, box: Box) -> NDArray[np.float64]:
        """The estimated originals in a box by class: by the inverse of the whole matrix."""
        tuples = list(product((0, 1), repeat=len(self.names)))
        inside = np.array(
            [
                all(box.mask(name, 2)[value] for name, value in zip(self.names, one, strict=True))
                for one in tuples
            ]
        )
        weights = inside.astype(float) @ self.kronecker()
        labels = self.part.table.collect(10**6).columns["y"]
        joint = self.joint()
        return np.array([weights[joint[labels == label]].sum() for label in (0, 1)])


thetas = st.one_of(st.floats(0.55, 1), st.floats(0, 0.45), st.sampled_from([0, 1]))


@st.composite
def worlds(draw: st.DrawFn, rows: int = 60) -> World:
    """Groups of one to three neighbours: flip, joint, single γ-diagonal, or no channel."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    names = [f"x{place}" for place in range(sum(sizes))]
    channels: list[Channel] = []
    begin = 0
    for size in sizes:
        group = tuple(names[begin : begin + size])
        begin += size
        kind = draw(st.sampled_from(["flip", "flip", "joint", "none"]))
        if kind == "flip":
            channels.append(Flip(group, draw(thetas)))
        elif kind == "joint" and size > 1:
            channels.append(JointGammaDiagonal(group, (2,) * size, draw(st.integers(2, 20))))
        elif kind == "joint":
            channels.append(GammaDiagonal(group[0], 2, draw(st.integers(2, 20))))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    columns = {name: rng.integers(0, 2, rows).astype(np.uint8) for name in [*names, "y"]}
    part = Part(MemoryTable(columns), tuple(channels))
    return World(part, tuple(Coding.categories(name, ["0", "1"]) for name in names))


def boxes(names: list[str]) -> st.SearchStrategy[Box]:
    masks = st.sampled_from([None, None, (1, 0), (0, 1), (1, 1)])
    return st.lists(masks, min_size=len(names), max_size=len(names)).map(
        lambda asked: Box(
            {
                name: np.array(mask, np.bool_)
                for name, mask in zip(names, asked, strict=True)
                if mask is not None
            }
        )
    )


def state_part(world: World) -> StatePart:
    rows = world.part.table.rows
    layout = Layout(world.codings, world.part.channels, "y", 2, rows)
    return StatePart(layout, TableCounter(layout, world.part.table))


@settings(max_examples=60)
@given(st.data(), worlds())
def test_a_nodes_table_is_that_of_the_whole_inverse(data: st.DataObject, world: World) -> None:
    """Part of a group, two attributes of one group on a path, candidate and path in one group."""
    box = data.draw(boxes(world.names))
    part = state_part(world)
    first, second = part.count([box])
    for name in world.names:
        estimate = part.estimate(name, box, first[0], second[0])
        for value in (0, 1):
            inner = box.narrowed(name, np.arange(2) == value)
            assert estimate.mean[value] == pytest.approx(world.brute(inner), **close)


@settings(max_examples=40)
@given(st.data(), worlds())
def test_states_and_joint_codes_give_the_same_estimates(data: st.DataObject, world: World) -> None:
    box = data.draw(boxes(world.names))
    states, dense = state_part(world), _PartEvidence(world.part, world.codings, "y", 2)
    coefficients = np.random.default_rng(1).normal(size=(3, 2, 2))
    one, two = states.count([box]), dense.count([box])
    for name in world.names:
        left = states.estimate(name, box, one[0][0], one[1][0])
        right = dense.estimate(name, box, two[0][0], two[1][0])
        assert left.mean == pytest.approx(right.mean, **close)
        variances, wanted = left.variances(coefficients), right.variances(coefficients)
        assert variances == pytest.approx(wanted, rel=1e-6, abs=1e-4 * (1 + np.abs(wanted).max()))


@settings(max_examples=40)
@given(st.data(), worlds())
def test_scores_of_leaves_are_those_of_the_whole_inverse(data: st.DataObject, world: World) -> None:
    """Two leaves, one a box and the other what is left of it along one attribute."""
    box = data.draw(boxes(world.names[1:]))
    side = np.array([True, False])
    leaves = [box.narrowed("x0", side), box.narrowed("x0", ~side)]
    (mean,), _ = state_part(world).correct(leaves, np.eye(2)[:, :, None])
    brute = world.brute(leaves[0])[0] + world.brute(leaves[1])[1]
    assert mean == pytest.approx(brute, **close)


@settings(max_examples=40)
@given(st.data(), worlds(rows=400), st.sampled_from(["id3", "cart"]))
def test_a_block_of_pairs_chooses_as_table_by_table(
    data: st.DataObject, world: World, name: str
) -> None:
    asked = [data.draw(boxes(world.names)) for _ in range(3)]
    evidence = WeightedEvidence.of([state_part(world)], world.codings, CLASSES)
    nodes = WeightedFrontier(evidence, asked)
    policy = Policy.named(name)
    assert nodes.pairs() is not None
    with patch.multiple(Linear, gain_z=0.5, child_z=0.0):
        block = nodes.best(policy)
        apart = [ranked(nodes.at(node), world.codings, policy) for node in range(3)]
    for best, others in zip(block, apart, strict=True):
        assert (best is None) == (not others)
        if best is None:
            continue
        wanted = others[0]
        near = [
            split for split in others if split.score > wanted.score - 1e-9 * (1 + abs(wanted.score))
        ]
        assert best.attribute in [split.attribute for split in near]
        same = next(split for split in near if split.attribute == best.attribute)
        assert best.branch.tolist() == same.branch.tolist()
        assert best.counts == pytest.approx(same.counts, **close)
        assert best.errors == pytest.approx(same.errors, rel=1e-5, abs=1e-3)
        assert best.gain == pytest.approx(same.gain, abs=1e-9)
        assert best.gap == same.gap
        assert best.unsure.tolist() == same.unsure.tolist()


@given(worlds(rows=200))
def test_collapsed_records_count_as_before_to_the_last_bit(world: World) -> None:
    layout = Layout(world.codings, world.part.channels, "y", 2, 200)
    together, apart = TableCounter(layout, world.part.table), TableCounter(layout, world.part.table)
    apart._tried = True  # as if there were too many distinct records
    side = Box({"x0": np.array([True, False])})
    for one, other in zip(together.count([Box(), side]), apart.count([Box(), side]), strict=True):
        assert np.array_equal(one, other)
    assert isinstance(together.table, MemoryTable)
    assert together.table.columns[TIMES].sum() == 200
    second = np.eye(2)[1:, :, None]
    assert np.array_equal(together.correct([side], second), apart.correct([side], second))


def test_many_possible_records_are_not_collapsed() -> None:
    columns = {f"x{place}": np.zeros(10, np.uint8) for place in range(30)}
    sizes = dict.fromkeys(columns, 2)
    table = MemoryTable(columns)
    assert collapse(table, sizes, lambda batch: list(batch.columns.values())) is None
