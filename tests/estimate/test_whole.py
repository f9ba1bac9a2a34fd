"""The whole table fitted by EM: what it keeps, what it believes, and when it is chosen."""

from typing import Any

import numpy as np
import pytest

from privet.channel import Band, GammaDiagonal
from privet.coding import Coding
from privet.disguise import RandomizedResponse
from privet.errors import MethodError
from privet.estimate.methods import codings_of, evidence_of
from privet.estimate.whole import fit_whole, has_whole
from privet.estimators import TreeClassifier
from privet.release import Part
from privet.schema import Attribute, Schema
from privet.table import MemoryTable

NAMES = ["a", "b", "c", "d"]
SCHEMA = Schema(
    [*(Attribute.categorical(name, [0, 1]) for name in NAMES), Attribute.categorical("y", [0, 1])],
    target="y",
)


def records(rows: int) -> dict[str, Any]:
    """a ≤ b ≤ c, so that most opposites never occur; y is c, mostly."""
    rng = np.random.default_rng(3)
    level = rng.integers(1, 4, rows)
    made: dict[str, Any] = {name: (level > k).astype(int) for k, name in ((2, "a"), (1, "b"))}
    made["c"] = rng.integers(0, 2, rows) | made["b"]
    made["d"] = rng.integers(0, 2, rows)
    made["y"] = np.where(rng.random(rows) < 0.9, made["c"], 0)
    return made


def test_counts_are_positive_and_sum_to_the_records() -> None:
    release = RandomizedResponse([["a", "b", "c"], ["d"]], theta=0.7).disguise(
        records(2000), SCHEMA, seed=1
    )
    whole = fit_whole(release.parts[0], codings_of(release), "y", 2)
    assert (whole.weight > 0).all()
    assert whole.weight.sum() * whole.scale == pytest.approx(2000, abs=0.1)


def test_what_cannot_be_is_not_believed() -> None:
    """Fitted counts of a group whose opposites never occur are nearer than inverted ones."""
    frame = records(3000)
    release = RandomizedResponse([["a", "b", "c"], ["d"]], theta=0.6).disguise(
        frame, SCHEMA, seed=2
    )
    truth = np.bincount(4 * frame["a"] + 2 * frame["b"] + frame["c"], minlength=8)
    whole = fit_whole(release.parts[0], codings_of(release), "y", 2)
    held = whole.table.columns
    joint = 4 * held["a"].astype(int) + 2 * held["b"] + held["c"]
    fitted = np.bincount(joint, weights=whole.weight * whole.scale, minlength=8)
    channel = release.parts[0].channels[0]
    seen = np.bincount(channel.join(release.parts[0].table.collect(3000).columns), minlength=8)
    inverted = channel.inverse() @ seen
    assert np.abs(fitted - truth).sum() < np.abs(inverted - truth).sum() + 1e-9


def test_auto_fits_few_records_of_groups_and_says_why() -> None:
    frame = records(2000)
    groups = [["a", "b"], ["c", "d"]]
    chosen = evidence_of(RandomizedResponse(groups, theta=0.8).disguise(frame, SCHEMA, seed=1))
    assert chosen.method == "joint"
    assert "all possible records" in chosen.reason
    certain = RandomizedResponse(groups, theta=1).disguise(frame, SCHEMA, seed=1)
    assert evidence_of(certain).method == "direct"
    model = TreeClassifier(policy="id3").fit(
        RandomizedResponse(groups, gamma=9).disguise(records(20_000), SCHEMA, seed=1)
    )
    assert model.method_ in {"joint", "direct"}  # held-out records decide
    assert model.score(frame) > 0.85


def test_many_possible_records_are_not_fitted() -> None:
    names = [f"x{place}" for place in range(20)]
    bits = [Attribute.categorical(name, [0, 1]) for name in [*names, "y"]]
    frame = {name: np.arange(300) % 2 for name in [*names, "y"]}
    release = RandomizedResponse([names], theta=0.8).disguise(
        frame, Schema(bits, target="y"), seed=1
    )
    assert not has_whole(release.parts[0], codings_of(release), "y", 2)
    assert evidence_of(release).method == "direct"
    with pytest.raises(MethodError, match="too many possible records"):
        evidence_of(release, "joint")


@pytest.mark.parametrize("theta", [0.6, 0.75, 0.95])
@pytest.mark.parametrize("seed", range(3))
def test_pure_chance_gives_a_single_leaf(theta: float, seed: int) -> None:
    """Fitted counts look surer than they are: the noise of the disguise has to be counted in."""
    frame = records(2000)
    disguise = RandomizedResponse([["a", "b"], ["c"], ["d"]], theta=theta)
    signal = TreeClassifier(method="joint").fit(disguise.disguise(frame, SCHEMA, seed=seed)).tree_
    assert signal.nodes > 1
    frame["y"] = np.random.default_rng(seed).integers(0, 2, 2000)
    chance = TreeClassifier(method="joint").fit(disguise.disguise(frame, SCHEMA, seed=seed)).tree_
    assert chance.nodes == 1


@pytest.mark.parametrize(("rows", "fits"), [(6, False), (7, True)])
def test_eight_possible_records_for_each_that_is_there_are_fitted(rows: int, fits: bool) -> None:
    codings = [Coding.categories(name, ["a", "b", "c"]) for name in ("x", "y", "z")]
    columns = {name: np.zeros(rows, np.uint8) for name in ("x", "y", "z", "class")}
    assert has_whole(Part(MemoryTable(columns), ()), codings, "class", 2) == fits  # 54 of them


@pytest.mark.parametrize(("last", "fits"), [(32, True), (33, False)])
def test_a_quarter_of_a_million_possible_records_are_fitted(last: int, fits: bool) -> None:
    sizes = {"x": 64, "y": 64, "z": last}
    codings = [Coding.categories(name, range(size)) for name, size in sizes.items()]
    columns = {name: np.zeros(40_000, np.uint8) for name in (*sizes, "class")}
    assert has_whole(Part(MemoryTable(columns), ()), codings, "class", 2) is fits


@pytest.mark.parametrize("size", [256, 257])
def test_plain_columns_are_counted_as_they_are(size: int) -> None:
    """Nothing is disguised: each distinct record has its count, codes as wide as they must be."""
    coding = Coding.categories("x", range(size))
    codes = np.array([size - 1, 3, 3, size - 1, size - 1], np.uint16)
    part = Part(MemoryTable({"x": codes, "class": np.array([0, 1, 1, 1, 0], np.uint8)}), ())
    whole = fit_whole(part, [coding], "class", 2)
    assert whole.table.columns["x"].dtype == (np.uint8 if size == 256 else np.uint16)
    found = zip(
        *(whole.table.columns[name].tolist() for name in ("x", "class")),
        (whole.weight * whole.scale).tolist(),
        strict=True,
    )
    assert sorted(found) == [(3, 1, 2.0), (size - 1, 0, 2.0), (size - 1, 1, 1.0)]


def test_numbers_are_coded_before_they_are_fitted() -> None:
    cells = Coding.cells("x", [0, 10], [10, 20])
    columns = {"x": np.array([3.0, 15.0, 16.0]), "class": np.array([0, 1, 1], np.uint8)}
    whole = fit_whole(Part(MemoryTable(columns), ()), [cells], "class", 2)
    assert whole.table.columns["x"].tolist() == [0, 1]
    assert (whole.weight * whole.scale).tolist() == [1.0, 2.0]


def test_a_channel_with_more_outputs_is_not_fitted_as_a_whole() -> None:
    columns = {name: np.zeros(50, np.uint8) for name in ("x", "class")}
    coding = Coding.cells("x", [0, 1, 2], [1, 2, 3])
    for channel, fits in ((GammaDiagonal("x", 3, 5), True), (Band("x", 3, 5, half=1), False)):
        assert has_whole(Part(MemoryTable(columns), (channel,)), [coding], "class", 2) is fits
