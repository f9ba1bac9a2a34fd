"""Which attributes share one table, by what halves of the records say of each other's trees."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from privet.estimate import attributes as module
from privet.estimate.attributes import (
    _errs_less,
    _fewer,
    _widened,
    _worth,
    in_one_table,
    sure_attributes,
)
from privet.estimate.base import Evidence
from privet.estimate.fitted import FittedEvidence
from privet.tree import Tree
from tests.estimate.test_crossed import ROWS, every_attribute, tree_of

SALARY, COMMISSION, AGE, CAR = 0, 1, 2, 4


def test_an_attribute_saves_what_trees_without_it_err_more() -> None:
    """F2 hangs on age and salary together, and not on the car."""
    evidence = every_attribute("as-f2", 8)
    saved = []
    for place in (SALARY, CAR):
        small = evidence.in_small_table((AGE, place))
        assert small is not None
        saved.append(small.saved_by(place, tree_of))
        assert small.saved_by(place, tree_of, ROWS) == 0.0  # not even tried
        if place == SALARY:
            assert small.saved_by(place, tree_of, 0.1 * ROWS) == saved[0]
    assert saved[0] > 0.1 * ROWS
    assert abs(saved[1]) < 2 * np.sqrt(ROWS)


def test_what_is_left_out_is_not_tested() -> None:
    small = every_attribute("as-f2", 8).in_small_table((SALARY, AGE))
    assert small is not None
    assert small.tested == (SALARY, AGE)
    half = small.halves()[0]
    half._left_out = SALARY
    assert half.tested == (AGE,)
    assert set(tree_of(half).attribute.tolist()) == {AGE, -1}


def test_a_small_table_is_coarse_and_one_that_cannot_be_small_is_none() -> None:
    evidence = every_attribute("as-f2", 8)
    small = evidence.in_small_table((SALARY, COMMISSION, AGE, 6))
    assert small is not None
    joint = small.joints([small.whole])[small.whole]
    assert joint.observed[..., 0].size <= 1 << 15
    assert evidence.in_small_table(tuple(range(9))) is None


def test_a_table_grows_by_attributes_that_pay_and_by_no_other() -> None:
    evidence = every_attribute("as-f2", 8)
    alone = evidence.together([AGE])
    assert alone is not None
    wide = _widened(evidence, alone.priced(tree_of), tree_of)
    assert (
        {SALARY, AGE} <= {*wide.whole} <= {SALARY, COMMISSION, AGE}
    )  # a commission tells of a salary
    assert wide._cost is not None
    assert _widened(evidence, wide, tree_of) is wide


def test_a_larger_table_is_not_taken_where_trees_do_not_err_less_by_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A small table may promise what the table of all does not keep."""
    evidence = every_attribute("as-f2", 8)
    alone = evidence.together([AGE])
    assert alone is not None
    alone = alone.priced(tree_of)
    priced = FittedEvidence.priced

    def dear(self: FittedEvidence, grown: Callable[[Evidence], Tree]) -> FittedEvidence:
        other = priced(self, grown)
        other.errors = alone.errors
        return other

    monkeypatch.setattr(FittedEvidence, "priced", dear)
    assert _widened(evidence, alone, tree_of) is alone


@pytest.mark.parametrize("blurred", [False, True])
def test_what_saves_little_is_not_looked_for(
    monkeypatch: pytest.MonkeyPatch, *, blurred: bool
) -> None:
    """Less than a standard error; more where noise blurs all, because halves are blurred alike."""
    evidence = every_attribute("as-f2", 8)
    alone = evidence.together([AGE])
    assert alone is not None
    alone.errors = 900.0
    least = 0.005 * ROWS if blurred else 30.0  # √900
    asked: list[float] = []

    def saved(_: FittedEvidence, place: int, grown: object, gain: float) -> float:
        asked.append(gain)
        return least + 1 if place == SALARY else least

    monkeypatch.setattr(evidence, "is_blurred", blurred)
    monkeypatch.setattr(FittedEvidence, "saved_by", saved)
    monkeypatch.setattr(FittedEvidence, "priced", lambda self, _: self)  # errors: not asked, ∞
    assert _widened(evidence, alone, tree_of) is alone
    assert asked == [least] + [least + 1] * 7  # and then by what the salary saves


@pytest.mark.parametrize("better", [True, False])
def test_a_second_set_of_attributes_has_to_err_less_than_the_first(
    monkeypatch: pytest.MonkeyPatch, *, better: bool
) -> None:
    """Growing path by path tests more attributes, but its table may tell less."""
    evidence = every_attribute("as-f2", 8)
    sets: list[tuple[int, ...]] = []

    def priced(self: FittedEvidence, _: object) -> FittedEvidence:
        other = copy(self)
        other.errors = 100.0 - len(sets) if better else 100.0 + len(sets)
        sets.append(self.whole)
        return other

    monkeypatch.setattr(FittedEvidence, "narrowed", lambda self, _: self.limited([AGE]))
    monkeypatch.setattr(FittedEvidence, "priced", priced)
    monkeypatch.setattr(module, "_overlooks", lambda *_: True)
    monkeypatch.setattr(module, "_widened", lambda _every, whole, _grown: whole)
    chosen = in_one_table(evidence, tree_of)
    assert sets[0] == (AGE,)
    assert {SALARY, AGE} <= {*sets[1]}
    assert chosen.whole == sets[better]


def test_tests_of_one_attribute_count_together() -> None:
    """Each brings its z² and costs the price squared; one that does not pay counts for nothing."""
    tree = tree_of(every_attribute("as-f2", 8))
    tests = np.flatnonzero(tree.child >= 0)[:4]
    attribute, z = np.full(tree.nodes, -1), np.zeros(tree.nodes)
    attribute[tests], z[tests] = [AGE, AGE, CAR, CAR], [4.0, 4.0, 4.4, 1.0]
    stays = np.isin(np.arange(tree.nodes), tests)
    few = replace(tree, attribute=attribute, z=z, child=np.where(stays, tree.child, -1))
    assert sure_attributes(few, 2.0, 4.5) == [AGE]  # 12 + 12, and 15.36, of 20.25 - 4
    assert sure_attributes(few, 2.0, 4.4) == [AGE, CAR]
    assert sure_attributes(few, 3.0, 4.5) == [AGE]  # 7 + 7, and 10.36, of 20.25 - 9
    assert sure_attributes(few, 4.0, 4.5) == []
    assert sure_attributes(tree_of(every_attribute("as-f2", 8)).take([0]), 2.0, 4.5) == []


@pytest.mark.parametrize("errs", [0.1, 0.4])
def test_fewer_attributes_share_a_table_if_their_tree_errs_less(
    monkeypatch: pytest.MonkeyPatch, errs: float
) -> None:
    evidence = every_attribute("as-f2", 8)
    closer = evidence.limited([SALARY, COMMISSION, AGE])
    paths = tree_of(closer)
    least = min((SALARY, COMMISSION, AGE), key=lambda place: _worth(paths)[place])
    together = FittedEvidence.together

    def small(self: FittedEvidence, places: list[int]) -> FittedEvidence | None:
        return together(self, places) if len(places) < 3 else None

    counts = paths.counts.sum(1)[:, None] * np.array([1 - errs, errs])
    monkeypatch.setattr(FittedEvidence, "together", small)
    claimed = replace(paths, counts=counts)
    chosen = _fewer(evidence, closer, claimed, tree_of)
    if errs < 0.3:
        assert chosen is closer
    else:
        assert {*chosen.whole} == {SALARY, COMMISSION, AGE} - {least}
        assert np.isfinite(chosen.errors)


@pytest.mark.parametrize("more", [-0.01, 0.0, 0.004, 0.006])
def test_a_tree_errs_less_if_that_is_worth_looking_for(more: float) -> None:
    tree = tree_of(every_attribute("as-f2", 8)).take([0])
    first, second = ([[0.7 * ROWS, 0.3 * ROWS]], [[(0.7 - more) * ROWS, (0.3 + more) * ROWS]])
    pair = (replace(tree, counts=np.array(counts)) for counts in (first, second))
    assert _errs_less(*pair) == (more > 0.005)


def test_what_a_tree_tests_is_worth_what_it_gains() -> None:
    tree = tree_of(every_attribute("as-f2", 8))
    worth = _worth(tree)
    gained = (tree.gain * tree.counts.sum(1))[tree.child >= 0]
    assert worth.sum() == pytest.approx(gained.sum())
    assert {*np.flatnonzero(worth)} == {*tree.attribute[tree.child >= 0]}
