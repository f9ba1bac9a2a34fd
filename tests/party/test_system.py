"""The paper's equations: M_2, M_3, the closed form, and that they agree with records' weights."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.coding import Box
from privet.disguise import RandomizedResponse
from privet.errors import MethodError, PlanError
from privet.estimate.weighted import WeightedEvidence
from privet.estimators import TreeClassifier
from privet.release import Release
from privet.schema import Attribute, Schema
from tests.party.equations import bar_counts, bar_matrix, closed_form, flip_patterns, solved

BITS = [f"b{place}" for place in range(7)]
SCHEMA = Schema(
    [*(Attribute.categorical(name, [0, 1]) for name in BITS), Attribute.categorical("y", [0, 1])],
    target="y",
)
GROUPS = [["b0", "b1", "b2"], ["b3", "b4"], ["b5", "b6"]]
thetas = st.one_of(st.floats(0, 0.45), st.floats(0.55, 1))


def bits(rows: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    made = {name: (rng.random(rows) < 0.2 + 0.1 * k).astype(int) for k, name in enumerate(BITS)}
    made["y"] = made["b3"] & made["b5"] | (made["b0"] & made["b4"])
    return made


def box_of(**values: int) -> Box:
    return Box({name: np.arange(2) == value for name, value in values.items()})


def true_count(frame: dict[str, Any], box: Box) -> int:
    inside = np.ones(len(frame["y"]), bool)
    for name, mask in box.masks.items():
        inside &= mask[frame[name]]
    return int(inside.sum())


def weighed(release: Release, box: Box) -> tuple[float, float]:
    """The estimated originals in a box, and the variance of that, by records' weights."""
    codings = tuple(SCHEMA[name].coding() for name in BITS)
    evidence = WeightedEvidence(release.parts, codings, "y", (0, 1))
    (part,) = evidence.parts
    sums = part.count([box])
    estimate = part.estimate("b0", box, sums[0][0], sums[1][0])
    return float(estimate.mean.sum()), float(estimate.variances(np.ones((1, 2, 2)))[0])


@given(thetas)
def test_two_parties_as_printed(theta: float) -> None:
    t, u = theta, 1 - theta
    printed = [[t * t, t * u, u * u], [2 * t * u, t * t + u * u, 2 * t * u], [u * u, t * u, t * t]]
    assert bar_matrix(2, theta) == pytest.approx(np.array(printed), abs=1e-12)


@given(thetas)
def test_three_parties_as_printed(theta: float) -> None:
    t, u = theta, 1 - theta
    printed = [
        [t**3, t**2 * u, t * u**2, u**3],
        [3 * t**2 * u, t**3 + 2 * t * u**2, u**3 + 2 * t**2 * u, 3 * t * u**2],
        [3 * t * u**2, 2 * t**2 * u + u**3, 2 * t * u**2 + t**3, 3 * t**2 * u],
        [u**3, t * u**2, t**2 * u, t**3],
    ]
    assert bar_matrix(3, theta) == pytest.approx(np.array(printed), abs=1e-12)


@given(st.integers(1, 8), thetas, st.data())
def test_the_closed_form_solves_the_system(n: int, theta: float, data: st.DataObject) -> None:
    counts = np.array(data.draw(st.lists(st.integers(0, 1000), min_size=n + 1, max_size=n + 1)))
    assert bar_matrix(n, theta).sum(axis=0) == pytest.approx(np.ones(n + 1), abs=1e-12)
    observed = bar_matrix(n, theta) @ counts
    scale = (1 + counts.sum()) / abs(2 * theta - 1) ** n
    assert closed_form(observed, theta) == pytest.approx(counts[0], abs=1e-9 * scale)
    assert solved(observed, theta)[0] == pytest.approx(counts[0], abs=1e-9 * scale)


def test_a_half_is_refused() -> None:
    with pytest.raises(PlanError, match="nothing about the originals"):
        bar_matrix(2, 0.5)


@settings(max_examples=25)
@given(thetas, st.integers(0, 1000), st.data())
def test_bars_and_weights_agree(theta: float, seed: int, data: st.DataObject) -> None:
    """One θ: system, closed form and weights; two tests of a group count as one event."""
    frame = bits(300, seed)
    release = RandomizedResponse(GROUPS, theta=theta).disguise(frame, SCHEMA, seed=seed)
    values = data.draw(st.dictionaries(st.sampled_from(BITS), st.integers(0, 1), min_size=1))
    box = box_of(**values)
    observed = bar_counts(release, box)
    tested = sum(any(name in values for name in group) for group in GROUPS)
    assert len(observed) == tested + 1
    estimate, _ = weighed(release, box)
    scale = 300 / abs(2 * theta - 1) ** 3
    assert estimate == pytest.approx(closed_form(observed, theta), abs=1e-6 * scale)
    assert estimate == pytest.approx(solved(observed, theta)[0], abs=1e-6 * scale)


def test_different_thetas_need_patterns_not_bars() -> None:
    frame, shares = bits(500, 3), [0.8, 0.3, 0.9]
    release = RandomizedResponse(GROUPS, theta=shares).disguise(frame, SCHEMA, seed=3)
    box = box_of(b0=1, b2=0, b3=1, b6=0)
    estimate = 0.0
    for pattern, count in enumerate(flip_patterns(release, box)):
        factors = [
            ((t - 1) if pattern >> bit & 1 else t) / (2 * t - 1) for bit, t in enumerate(shares)
        ]
        estimate += count * math.prod(factors)
    assert weighed(release, box)[0] == pytest.approx(estimate, abs=1e-5)
    joint = RandomizedResponse(GROUPS, gamma=5).disguise(frame, SCHEMA, seed=3)
    with pytest.raises(MethodError, match="flip groups only"):
        flip_patterns(joint, box)


def test_counts_are_unbiased_over_ten_thousand_disguises() -> None:
    """10,000 disguises of 40 records: the mean count, and the mean of the estimated variance."""
    copies, rows = 10_000, 40
    frame = bits(rows, 9)
    shares = [0.8, 0.7, 0.35]
    many = {name: np.tile(column, copies) for name, column in frame.items()}
    release = RandomizedResponse(GROUPS, theta=shares).disguise(
        many, SCHEMA, seed="unbiased", shuffle=False
    )
    box = box_of(b0=0, b2=1, b3=0, b5=1)
    channels = release.parts[0].channels
    columns = release.parts[0].table.collect(copies * rows).columns
    weight = np.ones(copies * rows)
    for channel in channels:
        weight *= channel.weights(box)[channel.join(columns)]
    sums = weight.reshape(copies, rows).sum(1)
    truth = true_count(frame, box)
    z = (sums.mean() - truth) / (sums.std() / math.sqrt(copies))
    assert abs(z) < 4.9
    spread = (weight**2 - weight).reshape(copies, rows).sum(1)
    error = math.hypot(spread.std(), np.sqrt(2) * sums.var()) / math.sqrt(copies)
    assert abs(spread.mean() - sums.var()) < 4.9 * error * 2
    # The evidence says the same of all 400,000 records at once.
    estimate, variance = weighed(release, box)
    assert estimate == pytest.approx(sums.sum(), rel=1e-6)
    assert variance == pytest.approx(spread.sum(), rel=1e-6)


def test_scoring_is_the_papers_sum_over_flip_patterns() -> None:
    """True accuracy = Σ over flip patterns of accuracy on the turned test set × its factor."""
    frame, test, shares = bits(20_000, 1), bits(2000, 2), [0.8, 0.7, 0.9]
    wish = RandomizedResponse(GROUPS, theta=shares)
    model = TreeClassifier(policy="id3").fit(wish.disguise(frame, SCHEMA, seed=1))
    release = wish.disguise(test, SCHEMA, seed=2)
    shown = {name: np.array(column) for name, column in release.to_frame().to_pydict().items()}
    total = 0.0
    for pattern in range(8):
        turned = dict(shown)
        factor = 1.0
        for bit, (group, theta) in enumerate(zip(GROUPS, shares, strict=True)):
            if pattern >> bit & 1:
                turned |= {name: 1 - shown[name] for name in group}
            factor *= ((theta - 1) if pattern >> bit & 1 else theta) / (2 * theta - 1)
        total += factor * model.score(turned)
    scored = model.accuracy(release)
    assert scored.value == pytest.approx(total, abs=1e-6)
    assert model.score(release) == min(scored.value, 1.0)
    assert abs(scored.value - model.score(test)) < 5 * scored.error


def test_ten_parties_and_a_large_group() -> None:
    names = [f"x{place}" for place in range(40)]
    rng = np.random.default_rng(4)
    frame = {name: rng.integers(0, 2, 30_000) for name in names}
    frame["y"] = np.where(rng.random(30_000) < 0.9, frame["x0"] | frame["x25"], 0)
    schema = Schema(
        [*(Attribute.categorical(n, [0, 1]) for n in names), Attribute.categorical("y", [0, 1])],
        target="y",
    )
    ten = [names[4 * party : 4 * party + 4] for party in range(10)]
    for groups in (ten, [names]):  # 2**40 joint codes are never listed
        release = RandomizedResponse(groups, theta=0.85).disguise(frame, schema, seed=4)
        model = TreeClassifier(policy="id3", max_depth=3).fit(release)
        assert model.score(frame) > 0.85
        assert {names[a] for a in model.tree_.attribute[:1]} <= {"x0", "x25"}
