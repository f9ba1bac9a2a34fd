"""Tables that agree with the estimated counts of each attribute."""

from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import datasets
from privet.channel import GammaDiagonal
from privet.disguise import Exact, Plan, Substitution
from privet.errors import MethodError
from privet.estimate.distribution import Distribution
from privet.estimate.matrix_reconstruction import (
    Rounding,
    reconstructed_codes,
    shared_out,
    whole_counts,
)
from privet.estimate.methods import evidence_of
from privet.estimators import TreeClassifier
from privet.grow import grow
from privet.release import Part, Release
from privet.split import Policy
from privet.split.criterion import criterion
from privet.table import MemoryTable

OUTLOOK = [*"SSOOOROSORORRR"]


def _thesis() -> Release:
    """Outlook through γ = 3 with r_i = i/14, the rest exact (Fong §4.2.1)."""
    table, schema = datasets.load("weather"), datasets.schema("weather")
    plain = Plan({}, default=Exact()).disguise(table, schema, shuffle=False)
    channel = GammaDiagonal("Outlook", 3, 3)
    words = [ceil(Fraction(channel.scale * i, 14)) - 1 for i in range(1, 15)]
    columns = dict(plain.parts[0].table.collect(14).columns)
    columns["Outlook"] = channel.draw(columns["Outlook"], np.array(words, np.uint32))
    parts = (Part(MemoryTable(columns), (channel,)),)
    return Release(plain.schema, plain.codings, parts, shuffled=False)


def test_the_thesis_example() -> None:
    release = _thesis()
    observed = release.parts[0].table.collect(14).columns["Outlook"]
    assert ["SOR"[code] for code in observed] == OUTLOOK
    table = reconstructed_codes(release, rounding="half-up")
    assert np.bincount(table.columns["Outlook"]).tolist() == [1, 8, 5]
    labels = table.columns["Play"]

    def gain(name: str) -> float:
        counts = np.zeros((3, 2))
        np.add.at(counts, (table.columns[name], labels), 1.0)
        rest = criterion("entropy").impurity(counts).sum()
        return float(criterion("entropy").impurity(counts.sum(0)) - rest) / 14

    assert gain("Humidity") == pytest.approx(0.1518, abs=5e-5)
    assert gain("Outlook") == pytest.approx(0.1299, abs=5e-5)
    model = TreeClassifier(policy="id3", method="global", min_samples_leaf=1).fit(release)
    assert model.tree_.codings[model.tree_.attribute[0]].name == "Humidity"
    days = datasets.load("weather")
    wrong = model.predict(days) != np.array(days["Play"].to_pylist())
    assert (np.flatnonzero(wrong) + 1).tolist() == [12, 14]


@given(
    st.lists(st.floats(-50, 200), min_size=1, max_size=12),
    st.integers(0, 500),
    st.sampled_from(get_args(Rounding)),
)
def test_whole_counts_sum_to_the_rows(counts: list[float], rows: int, rounding: Rounding) -> None:
    whole = whole_counts(np.array(counts), rows, rounding)
    assert whole.sum() == rows
    assert whole.min() >= 0


@given(st.lists(st.integers(0, 300), min_size=1, max_size=12))
def test_counts_that_are_whole_stay(counts: list[int]) -> None:
    held = np.array(counts)
    if held.sum():
        assert (whole_counts(held.astype(float), int(held.sum())) == held).all()


def test_records_are_shared_out_evenly_where_no_count_is_above_zero() -> None:
    nothing = np.array([-1.0, 0.0, -2.0])
    assert whole_counts(nothing, 6).tolist() == [2, 2, 2]
    assert whole_counts(nothing, 7).tolist() == [3, 2, 2]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 200), st.integers(0, 2**32 - 1))
def test_sharing_out_is_a_stable_sort(values: int, outputs: int, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, outputs, rows).astype(np.uint8)
    counts = rng.multinomial(rows, np.ones(values) / values)
    twin = np.empty(rows, np.uint8)
    twin[np.argsort(codes, kind="stable")] = np.repeat(np.arange(values), counts)
    assert (shared_out(codes, counts, outputs) == twin).all()


@pytest.fixture(scope="module")
def release() -> Release:
    table, schema = datasets.load("as-f2", rows=5000, seed=1), datasets.schema("as-f2")
    plan = Plan({"salary": Exact()}, default=Substitution(gamma=6, bins=8, kind="gamma-diagonal"))
    return plan.disguise(table, schema, seed=2)


def test_every_attribute_gets_its_estimated_counts(release: Release) -> None:
    table = reconstructed_codes(release)
    assert table.columns["salary"] is release.parts[0].table.collect(5000).columns["salary"]
    for name in ("age", "car", "loan"):
        wanted = Distribution.of(release, name).counts("rescale")
        found = np.bincount(table.columns[name], minlength=len(wanted))
        assert found.sum() == 5000
        assert np.abs(found - wanted).max() < 1


def test_tables_that_need_no_correction_stay() -> None:
    table, schema = datasets.load("weather"), datasets.schema("weather")
    release = Plan({}, default=Exact()).disguise(table, schema)
    policy = Policy.named("id3")
    trees = [grow(evidence_of(release, name).evidence, policy) for name in ("naive", "global")]
    assert trees[0].to_json() == trees[1].to_json()


def test_what_it_cannot_do_it_says(release: Release) -> None:
    with pytest.raises(MethodError, match="'half-up'"):
        whole_counts(np.ones(2), 2, "down")  # type: ignore[arg-type]
    parts = (release.parts[0], release.parts[0])
    several = Release(release.schema, release.codings, parts)
    with pytest.raises(MethodError, match="one part"):
        reconstructed_codes(several)
    with pytest.raises(MethodError, match="'global' takes a release of one part"):
        evidence_of(several, "global")


@pytest.mark.parametrize(
    ("counts", "rows", "rounding", "expected"),
    [
        ([0.5, 8.0, 5.5], 14, "half-up", [1, 8, 5]),
        ([0.49, 8.0, 5.5], 14, "half-up", [0, 8, 6]),
        ([2.5, 2.5, 9.0], 4, "half-up", [3, 1, 0]),  # cut off at the last record
        ([1.0, 1.0], 5, "half-up", [1, 4]),  # what is lacking goes to the last value
        ([-3.0, 2.4999999], 2, "half-up", [0, 2]),  # six decimals: 2.5
        ([1.0, 1.0], 4, "largest-remainder", [2, 2]),
        ([1.2, 1.4, 1.4], 4, "largest-remainder", [1, 2, 1]),  # ties to the first
        ([1.6, 1.3, 1.1], 4, "largest-remainder", [2, 1, 1]),
        ([-1.0, 3.0], 4, "largest-remainder", [0, 4]),
        ([0.3333333, 0.6666667], 3, "largest-remainder", [1, 2]),
        ([0.5, 0.25], 3, "largest-remainder", [2, 1]),
    ],
)
def test_whole_counts_by_hand(
    counts: list[float], rows: int, rounding: Rounding, expected: list[int]
) -> None:
    assert whole_counts(np.array(counts), rows, rounding).tolist() == expected


def test_many_values_need_wider_codes() -> None:
    counts = np.zeros(300, np.int64)
    counts[[2, 299]] = [1, 2]
    found = shared_out(np.array([1, 0, 1]), counts, 2)
    assert found.tolist() == [299, 2, 299]
    assert found.dtype == np.uint16
    widest = np.zeros((1 << 16) + 1, np.int64)
    widest[-1] = 3
    assert shared_out(np.zeros(3, int), widest, 1).tolist() == [1 << 16] * 3
    full = np.zeros(1 << 16, np.int64)
    full[-1] = 3
    assert shared_out(np.zeros(3, int), full, 1).dtype == np.uint16


def test_a_part_that_is_taken_away_cannot_be_reconstructed(release: Release) -> None:
    (part,) = release.parts
    negative = replace(release, parts=(replace(part, sign=-1),))
    with pytest.raises(MethodError, match="one part"):
        reconstructed_codes(negative)
