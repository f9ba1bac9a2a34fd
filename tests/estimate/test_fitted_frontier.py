"""Open nodes of fitted evidence: one table for all is searched as node by node, and only faster."""

from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet import datasets
from privet.coding import Box
from privet.estimate import attributes as module
from privet.estimate.base import Evidence
from privet.estimate.fitted import FittedEvidence
from privet.estimate.fitted_frontier import FittedFrontier, TableFrontier
from privet.estimate.methods import evidence_of
from privet.grow.grower import grown
from privet.split import POLICIES, Policy
from privet.split.scored import Scored
from privet.tree import Tree

ROWS = 12_000


@cache
def in_one_table(name: str) -> FittedEvidence:
    table, schema = datasets.load(name, rows=ROWS, seed=1), datasets.schema(name)
    disguise = pv.RandomSubstitution(8, bins=12, wave=0)
    evidence = evidence_of(disguise.disguise(table, schema, seed=2), "joint").evidence
    assert isinstance(evidence, FittedEvidence)
    policy = POLICIES["cart"].but(min_samples_leaf=20)
    whole = evidence.refined(lambda of: grown(of, policy, "group"))
    assert whole.whole
    return whole


POLICY = [
    POLICIES["cart"].but(min_samples_leaf=20),
    POLICIES["c4.5"].but(min_samples_leaf=40),
    POLICIES["id3"],
    POLICIES["credal"],
]


@pytest.mark.parametrize("policy", POLICY, ids=["cart", "c4.5", "id3", "credal"])
@pytest.mark.parametrize("name", ["as-f2", "as-f3"])
def test_all_nodes_at_once_choose_what_each_chooses(name: str, policy: Policy) -> None:
    evidence = in_one_table(name)
    frontier = evidence.root()
    assert isinstance(frontier, TableFrontier)
    for _ in range(3):
        fast = frontier.best(policy)
        slow = FittedFrontier.best(frontier, policy)
        assert any(fast)
        for one, other in zip(fast, slow, strict=True):
            assert (one is None) == (other is None)
            if one is not None and other is not None:
                assert (one.attribute, one.gap) == (other.attribute, other.gap)
                np.testing.assert_array_equal(one.branch, other.branch)
                np.testing.assert_allclose(one.counts, other.counts, rtol=1e-6, atol=1e-6)
                assert one.gain == pytest.approx(other.gain, rel=1e-6, abs=1e-9)
        boxes = [
            box.narrowed(evidence.codings[split.attribute].name, split.branch == side)
            for box, split in zip(frontier.boxes, fast, strict=True)
            if split is not None
            for side in range(len(split.counts))
        ]
        frontier = evidence.at(boxes)
        assert isinstance(frontier, TableFrontier)


def test_only_nodes_that_are_wanted_and_can_pay_are_searched() -> None:
    evidence = in_one_table("as-f2")
    split = evidence.root().best(POLICY[0])[0]
    assert split is not None
    name = evidence.codings[split.attribute].name
    boxes = [Box().narrowed(name, split.branch == side) for side in (0, 1)]
    frontier = evidence.at([Box(), *boxes])
    every = frontier.best(POLICY[0])
    assert all(every)
    wanted = frontier.best(POLICY[0], np.array([False, True, False]))
    assert [one is not None for one in wanted] == [False, True, False]
    assert frontier.best(POLICY[0], np.zeros(3, np.bool_)) == [None] * 3
    wrong = [one.counts.sum(0) for one in every if one is not None]
    errors = np.array([counts.sum() - counts.max() for counts in wrong])
    evidence = evidence.limited(evidence.whole)._in_one_table(evidence.whole) or evidence
    evidence._cost = float(np.sort(errors)[1])  # what the second of them just pays
    paid = evidence.at([Box(), *boxes]).best(POLICY[0])
    np.testing.assert_array_equal([one is not None for one in paid], errors >= evidence._cost)


def deep() -> tuple[pa.Table, pv.Schema]:
    """Where a, b and c are all high, d decides; elsewhere a does."""
    rng = np.random.default_rng(5)
    columns = {name: rng.random(10_000) for name in "abcde"}
    high = (columns["a"] > 0.4) & (columns["b"] > 0.4) & (columns["c"] > 0.4)
    yes = np.where(high, columns["d"] > 0.5, columns["a"] > 0.4)
    table = pa.table({**columns, "y": np.where(yes, "yes", "no")})
    names = [pv.Attribute.numeric(name, low=0, high=1) for name in "abcde"]
    target = pv.Attribute.categorical("y", ["no", "yes"])
    return table, pv.Schema([*names, target], target="y")


@pytest.mark.parametrize("asked", ["leaves", "halves", "nobody"])
def test_an_attribute_that_a_first_tree_missed_is_found(
    monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    """By the leaves of the one table for all, or by halves of the records that judge each other."""
    table, schema = deep()
    disguise = pv.RandomSubstitution(20, bins=5, wave=0)
    evidence = evidence_of(disguise.disguise(table, schema, seed=2), "joint").evidence
    policy = POLICIES["cart"].but(min_samples_leaf=30)
    monkeypatch.setattr(FittedEvidence, "narrowed", lambda self, _: self.limited([0, 1, 2]))
    if asked != "leaves":
        monkeypatch.setattr(module, "seems_to_divide", lambda *_: False)
    if asked != "halves":
        monkeypatch.setattr(module, "_widened", lambda _, whole, *__: whole)

    def tree_of(of: Evidence) -> Tree:
        return grown(of, policy, "y")

    tested = np.unique(tree_of(evidence.refined(tree_of)).attribute)
    assert (3 in tested) == (asked != "nobody")
    assert 4 not in tested


@dataclass(frozen=True)
class Offer:
    """The one split of an attribute: what it gains, and how sure that is."""

    attribute: int
    gain: float
    z: float
    best: int = 0

    @property
    def score(self) -> Any:
        return np.array([self.gain])

    def scored(self, _place: int, _policy: Policy) -> Scored:
        sizes = np.zeros(2)
        none = np.zeros((2, 2))
        numbers = self.gain, self.z, self.gain
        sides = np.array([0, 1], np.int16)
        return Scored(self.attribute, sides, *numbers, none, none, sizes, sizes > 0)


@pytest.mark.parametrize(
    ("offers", "taken"),
    [
        ([(0.10, 2.5), (0.08, 5.0)], 1),  # 0.10 · (1 − 0.8²) = 0.036 is less than 0.0672
        ([(0.08, 5.0), (0.10, 2.5)], 0),
        ([(0.10, 2.5), (0.08, 2.4)], 0),  # 0.0244: no surer
        ([(0.10, 1.9), (0.01, 2.5)], 1),  # less sure than is asked: worth nothing
        ([(0.10, 1.9), (0.08, 1.5)], 0),
        ([(0.10, 6.0), (0.095, 60.0)], 0),  # three times as sure as is asked: no rival is
        ([(0.10, 5.9), (0.095, 60.0)], 1),
    ],
)
def test_a_surer_split_is_taken_that_gains_less(
    offers: list[tuple[float, float]], taken: int
) -> None:
    owner: Any = SimpleNamespace(codings=[], attribute_z=2.0)
    every: Any = [Offer(place, *numbers) for place, numbers in enumerate(offers)]
    chosen = FittedFrontier(owner, []).chosen(every, POLICIES["cart"])
    assert chosen is not None
    assert chosen.attribute == taken
