"""Joint tables: a split's likelihood, worked out inside its box, is that of the whole tables."""

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.channel import Band, GammaDiagonal
from privet.estimate.em import Axis, expected
from privet.estimate.joint import FAINT, Joint
from privet.estimate.view import View, view

Floats = NDArray[np.float64]


def made(seed: int, *, disguised_class: bool = False) -> Joint:
    """A table of a band, a grouped band, an exact attribute and the class."""
    rng = np.random.default_rng(seed)
    first, wide = Axis.of(Band("a", 6, 8), 6), Axis.of(Band("b", 12, 8), 12)
    views = View(first), view(wide, 3, rng.random(12)), View(Axis(3, 3))
    label = Axis.of(GammaDiagonal("y", 2, 5) if disguised_class else None, 2)
    table = rng.gamma(0.3, 20, (6, 4, 3, 2))
    axes = (*(seen.axis for seen in views), label)
    observed = rng.poisson(expected(axes, table)).astype(np.float64)
    return Joint(views, label, observed, table)


def levelled(table: Floats) -> Floats:
    total = table.sum((0, 1, 2))
    level: Floats = table.sum(-1, keepdims=True) * total / total.sum()
    return level


def log_likelihood(joint: Joint, table: Floats) -> float:
    means = expected((*(seen.axis for seen in joint.views), joint.label), table)
    seen = joint.observed > 0
    return float((joint.observed[seen] * np.log(means[seen])).sum())


@pytest.mark.parametrize("disguised_class", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_the_z_of_a_split_is_that_of_whole_tables(seed: int, *, disguised_class: bool) -> None:
    joint = made(seed, disguised_class=disguised_class)
    rng = np.random.default_rng(100 + seed)
    masks = [rng.random(size) < 0.7 for size in (6, 12, 3)]
    for mask in masks:
        mask[:2] = True
    branch = (np.arange(12) >= rng.integers(1, 12)).astype(np.int16)

    def part(mask: NDArray[np.bool_]) -> Floats:
        held = [seen.inside(one) for seen, one in zip(joint.views, masks, strict=True)]
        held[1] = joint.views[1].inside(mask)
        weighed: Floats = joint.table * np.einsum("a,b,c->abc", *held)[..., None]
        return weighed

    inside = part(masks[1])
    branches = [part(masks[1] & (branch == number)) for number in (0, 1)]
    outside = joint.table - inside
    whole = outside + levelled(inside)
    divided = outside + sum(levelled(one) for one in branches if one.sum())
    gain = log_likelihood(joint, divided) - log_likelihood(joint, whole)
    found = joint.split_z(masks, 1, branch)
    if gain > 0:
        assert found == pytest.approx(np.sqrt(2 * gain), rel=1e-6)
    else:
        assert 0 <= found <= FAINT


def test_a_branch_that_holds_nothing_brings_nothing() -> None:
    joint = made(1)
    masks = [np.ones(size, np.bool_) for size in (6, 12, 3)]
    masks[2] = np.array([True, True, False])
    assert joint.split_z(masks, 2, np.array([0, 0, 1], np.int16)) == pytest.approx(0.0, abs=1e-4)
    masks[2] = np.array([False, True, True])
    assert joint.split_z(masks, 2, np.array([0, 1, 1], np.int16)) == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_margins_inside_a_box_are_those_of_each_axis(seed: int) -> None:
    """All axes in one walk give what each gives by itself, parts of groups included."""
    joint, rng = made(seed), np.random.default_rng(200 + seed)
    boxes = [[rng.random(size) < 0.6 for size in (6, 12, 3)] for _ in range(3)]
    for masks in boxes:
        for mask in masks:
            mask[rng.integers(len(mask))] = True
    margins = joint.margins([np.array(axis) for axis in zip(*boxes, strict=True)])
    for number, masks in enumerate(boxes):
        for own, margin in enumerate(margins):
            alone = joint.views[own].fine(joint.within(masks, own)) * masks[own][:, None]
            np.testing.assert_allclose(margin[number], alone, rtol=1e-12, atol=1e-12)


def test_margins_of_a_box_without_a_code_are_nothing() -> None:
    masks = [np.ones((1, 6), np.bool_), np.zeros((1, 12), np.bool_), np.ones((1, 3), np.bool_)]
    for margin, size in zip(made(2).margins(masks), (6, 12, 3), strict=True):
        np.testing.assert_array_equal(margin, np.zeros((1, size, 2)))


def test_margins_of_one_axis_are_its_table() -> None:
    table = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    joint = Joint((View(Axis(3, 3)),), Axis(2, 2), table, table)
    (margin,) = joint.margins([np.array([[True, False, True]])])
    np.testing.assert_array_equal(margin[0], [[1.0, 2.0], [0.0, 0.0], [5.0, 6.0]])
