"""Shares and cross-tables of originals, from every kind of released column."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.coding import Coding
from privet.disguise import (
    GADP,
    AdditiveNoise,
    Complement,
    Disguise,
    Exact,
    FlipGroup,
    JointGroup,
    Plan,
    RandomSubstitution,
    Substitution,
)
from privet.errors import DataError, InputError, MethodError
from privet.estimate.crosstab import Crosstab, Independence, crosstab, inside_rows
from privet.estimate.linear import left_inverse
from privet.estimate.shares import (
    Mean,
    Shares,
    Table,
    combined,
    covariances,
    gathering,
    labels_of,
    shares,
)
from privet.release import Part, Release
from privet.schema import Attribute, Schema

SCHEMA = Schema(
    [
        Attribute.numeric("age", low=0, high=100, bins=16),
        Attribute.categorical("drug", ["a", "b", "c"]),
        Attribute.categorical("sex", ["f", "m"]),
        Attribute.numeric("weight", low=0, high=5),
        Attribute.categorical("ill", ["0", "1"]),
    ],
    target="ill",
)
PLAIN = {"weight": Exact(), "ill": Exact()}
SINGLE = {"drug": Substitution(4), "sex": Substitution(3), **PLAIN}
PLANS: dict[str, Disguise] = {
    "plain": Plan({}, default=Exact()),
    "gamma-diagonal": Plan({"age": Substitution(8, kind="gamma-diagonal"), **SINGLE}),
    "band": Plan({"age": Substitution(8, kind="band"), **SINGLE}, wave=0),
    "uniform": Plan({"age": AdditiveNoise(level=0.5), **SINGLE}),
    "gaussian": Plan({"age": AdditiveNoise(kind="gaussian", level=0.25), **SINGLE}),
    "joint": Plan(
        {"age": Substitution(8, bins=8), **PLAIN},
        groups=[JointGroup(["sex", "drug"], gamma=8)],
        wave=0,
    ),
}


def people(rng: np.random.Generator, rows: int, *, linked: bool = True) -> dict[str, Any]:
    """People whose sex says something of the drug, or nothing."""
    sex = rng.integers(0, 2, rows)
    drug = rng.choice(3, rows, p=[0.7, 0.25, 0.05])
    drug = np.where(linked & (sex == 1) & (rng.random(rows) < 0.3), 2, drug)
    return {
        "age": 100 * rng.beta(2, 4, rows),
        "drug": np.array(["a", "b", "c"])[drug],
        "sex": np.array(["f", "m"])[sex],
        "weight": rng.uniform(0.2, 5, rows),
        "ill": np.array(["0", "1"])[rng.integers(0, 2, rows)],
    }


@pytest.mark.parametrize("kind", PLANS)
def test_estimates_lie_where_their_errors_say(kind: str) -> None:
    """Within five errors, which a right estimate misses once in a million."""
    rng = np.random.default_rng(1)
    held = people(rng, 20_000)
    release = PLANS[kind].disguise(held, SCHEMA)
    drug = shares(release, "drug")
    truth = np.array([(held["drug"] == value).mean() for value in "abc"])
    assert drug.shares.sum() == pytest.approx(1)
    assert (np.abs(drug.unbiased - truth) <= 5 * drug.errors + 1e-12).all()
    assert drug.mean is None
    age = shares(release, "age", edges=[25, 50])
    truth = np.histogram(held["age"], [0, 25, 50, 100])[0] / 20_000
    assert age.labels[0] == ("0 to 25", "25 to 50", "50 to 100")
    assert (np.abs(age.unbiased - truth) <= 5 * age.errors + 1e-3).all()
    assert age.mean is not None
    assert (
        abs(age.mean.value - held["age"].mean()) <= 5 * age.mean.error + age.mean.cells / 4 + 1e-9
    )
    both = crosstab(release, "drug", "sex")
    truth = np.array(
        [[((held["drug"] == d) & (held["sex"] == s)).mean() for s in "fm"] for d in "abc"]
    )
    assert (np.abs(both.unbiased - truth) <= 5 * both.errors + 1e-12).all()
    assert (both.shares >= 0).all()
    assert both.independence is not None
    assert both.independence.freedom == 2
    assert both.independence.p_value < 1e-6


@pytest.mark.parametrize("kind", ["gamma-diagonal", "band", "joint"])
def test_errors_cover_as_often_as_they_say(kind: str) -> None:
    """Squares of standardised misses average to one; a right program fails once in a million."""
    rng = np.random.default_rng(2)
    misses = []
    for _ in range(60):
        held = people(rng, 3_000)
        release = PLANS[kind].disguise(held, SCHEMA)
        found = shares(release, "drug", weights="weight", population=True)
        misses.append((found.unbiased - [0.595, 0.2125, 0.1925])[:2] / found.errors[:2])
        both = crosstab(release, "drug", "sex")
        truth = np.mean((held["drug"] == "c") & (held["sex"] == "m"))
        misses.append((both.unbiased[2, 1:] - truth) / both.errors[2, 1:])
    squares = np.concatenate(misses) ** 2
    # 180 squares, at most three of which go together: the mean's deviation is below √(2·3/180).
    assert abs(squares.mean() - 1) < 4.9 * np.sqrt(2 * 3 / 180)


@pytest.mark.parametrize("kind", ["gamma-diagonal", "band", "joint", "uniform"])
def test_independent_attributes_are_found_out_as_often_as_chance_does(kind: str) -> None:
    rng = np.random.default_rng(3)
    tests = []
    for _ in range(60):
        release = PLANS[kind].disguise(people(rng, 3_000, linked=False), SCHEMA)
        tests.append(crosstab(release, "drug", "sex").independence)
        tests.append(crosstab(release, "sex", "age", edges={"age": [33, 50]}).independence)
    values = np.array([test.p_value for test in tests if test is not None])
    assert len(values) == 120
    # Binomial(120, 0.05) is above 19 once in a million; so is Binomial(120, 0.5) outside 33 … 87.
    assert (values < 0.05).sum() <= 19
    assert 33 <= (values < 0.5).sum() <= 87


def test_the_test_of_plain_columns_is_pearsons() -> None:
    from scipy.stats import chi2_contingency

    held = people(np.random.default_rng(4), 500)
    found = crosstab(PLANS["plain"].disguise(held, SCHEMA), "drug", "sex")
    table = np.array(
        [[((held["drug"] == d) & (held["sex"] == s)).sum() for s in "fm"] for d in "abc"]
    )
    pearson = chi2_contingency(table, correction=False)
    assert found.independence is not None
    assert found.independence.statistic == pytest.approx(pearson.statistic)
    assert found.independence.p_value == pytest.approx(pearson.pvalue)
    assert (found.errors == 0).all()
    inside, errors = found.given_rows()
    assert inside == pytest.approx(table / table.sum(axis=1, keepdims=True))
    assert (errors == 0).all()
    sampled = crosstab(PLANS["plain"].disguise(held, SCHEMA), "drug", "sex", population=True)
    inside, errors = sampled.given_rows()
    rows = table.sum(axis=1, keepdims=True)
    assert errors == pytest.approx(np.sqrt(inside * (1 - inside) / rows))


def test_weights_count_as_records_do() -> None:
    """A weight of two is a record twice, for estimates; and errors are those of its square."""
    rng = np.random.default_rng(5)
    held = people(rng, 2_000)
    heavy = held | {"weight": np.where(np.arange(2_000) < 1_000, 4.0, 2.0)}
    even = held | {"weight": np.full(2_000, 3.0)}
    plain = PLANS["plain"]
    found = shares(plain.disguise(heavy, SCHEMA), "drug", weights="weight")
    doubled = np.concatenate([held["drug"], held["drug"][:1_000]])
    assert found.shares == pytest.approx([(doubled == value).mean() for value in "abc"])
    release = PLANS["band"].disguise(even, SCHEMA)
    for name in ("age", "drug"):
        weighed = shares(release, name, weights="weight")
        once = shares(release, name)
        assert weighed.unbiased == pytest.approx(once.unbiased, abs=1e-4)
        assert weighed.errors == pytest.approx(once.errors, rel=1e-2)


def test_flip_groups_and_their_pairs() -> None:
    bits = [Attribute.categorical(name, [0, 1]) for name in ("smoker", "cough", "fever", "ill")]
    schema = Schema(bits, target="ill")
    rng = np.random.default_rng(6)
    smoker = rng.integers(0, 2, 20_000)
    held = {
        "smoker": smoker,
        "cough": np.where(rng.random(20_000) < 0.8, smoker, 0),
        "fever": rng.integers(0, 2, 20_000),
        "ill": smoker,
    }
    plan = Plan({"ill": Exact()}, groups=[FlipGroup(["smoker", "cough", "fever"], theta=0.8)])
    release = plan.disguise(held, schema)
    for names in (("smoker", "cough"), ("cough", "smoker"), ("smoker", "ill")):
        found = crosstab(release, *names)
        truth = [
            [np.mean((held[names[0]] == i) & (held[names[1]] == j)) for j in (0, 1)] for i in (0, 1)
        ]
        assert (np.abs(found.unbiased - truth) <= 5 * found.errors + 1e-12).all()
    one = shares(release, "cough")
    assert abs(one.unbiased[1] - held["cough"].mean()) <= 5 * one.errors[1]


def test_several_parts_of_different_channels() -> None:
    rng = np.random.default_rng(7)
    held = people(rng, 20_000)
    halves = [{name: column[i::2] for name, column in held.items()} for i in (0, 1)]
    one = PLANS["band"].disguise(halves[0], SCHEMA)
    coarse = Plan({"age": Substitution(3, kind="band"), **SINGLE}, wave=0)
    other = coarse.disguise(halves[1], SCHEMA)
    release = replace(one, parts=(*one.parts, *other.parts))
    found = shares(release, "age")
    truth = np.histogram(
        held["age"],
        [*np.linspace(0, 100, 17)[[0, 2, 4, 6, 8, 10, 12]], *np.linspace(0, 100, 17)[13:]],
    )
    assert found.rows == 20_000
    assert (np.abs(found.unbiased - truth[0] / 20_000) <= 5 * found.errors).all()
    alone = shares(one, "age")
    assert (found.errors < alone.errors * 3).all()
    negative = replace(one, parts=(Part(one.parts[0].table, one.parts[0].channels, -1),))
    with pytest.raises(MethodError, match="taken away"):
        shares(negative, "age")


def test_a_complemented_release_tells_exactly() -> None:
    names = ("smoker", "cough", "ill")
    schema = Schema([Attribute.categorical(name, [0, 1, 2]) for name in names], target="ill")
    rng = np.random.default_rng(8)
    held = {name: rng.integers(0, 3, 200) for name in names}
    release = Complement().disguise(held, schema)
    found = shares(release, "cough")
    assert found.shares == pytest.approx(np.bincount(held["cough"]) / 200)
    assert (found.errors == 0).all()
    both = crosstab(release, "ill", "smoker")
    table = np.zeros((3, 3))
    np.add.at(table, (held["ill"], held["smoker"]), 1 / 200)
    assert both.shares == pytest.approx(table)


def test_missing_values_are_a_value_and_no_number() -> None:
    schema = Schema(
        [
            Attribute.numeric("age", low=0, high=100, bins=12, missing="category"),
            Attribute.categorical("ill", ["0", "1"]),
        ],
        target="ill",
    )
    rng = np.random.default_rng(9)
    age = np.where(rng.random(20_000) < 0.2, np.nan, 100 * rng.beta(2, 2, 20_000))
    held = {"age": age, "ill": np.array(["0", "1"])[rng.integers(0, 2, 20_000)]}
    found = shares(RandomSubstitution(20, kind="gamma-diagonal").disguise(held, schema), "age")
    assert found.labels[0][-1] == "missing"
    assert abs(found.unbiased[-1] - np.isnan(age).mean()) < 5 * found.errors[-1]
    assert found.mean is not None
    assert abs(found.mean.value - np.nanmean(age)) < 5 * found.mean.error + 0.5


def test_the_left_inverse_is_one_and_sums_are_kept() -> None:
    rng = np.random.default_rng(10)
    matrix = rng.random((9, 4))
    matrix /= matrix.sum(axis=0)
    observed = rng.poisson(1000 * matrix @ [0.4, 0.3, 0.2, 0.1]).astype(float)
    weights = left_inverse(matrix, observed)
    assert weights @ matrix == pytest.approx(np.eye(4))
    assert (weights @ observed).sum() == pytest.approx(observed.sum())
    with pytest.raises(MethodError, match="cannot be told apart"):
        left_inverse(matrix[:3], observed[:3])
    with pytest.raises(MethodError, match="cannot be told apart"):
        left_inverse(np.full((2, 2), 0.5), observed[:2])


@pytest.fixture(scope="module")
def release() -> Release:
    return PLANS["band"].disguise(people(np.random.default_rng(11), 500), SCHEMA)


def test_words(release: Release) -> None:
    text = str(shares(release, "age"))
    assert text.startswith("age: 500 records, errors about the records")
    assert "mean" in text
    assert "±" in text
    table = crosstab(release, "drug", "age", edges={"age": [50]}, population=True)
    assert "0 to 50" in str(table)
    assert "the disguise allowed for" in str(table)
    assert "about the population" in str(table)
    assert "2 degrees of freedom" in str(table)
    both = crosstab(release, "sex", "age", edges={"age": [50]})
    assert "1 degree of freedom" in str(both)


def test_edges_say_where_they_moved_to(release: Release) -> None:
    found = shares(release, "age", edges=[30, 50])
    assert [(cut.asked, cut.border, cut.moved) for cut in found.cuts] == [
        (30.0, 31.25, True),
        (50.0, 50.0, False),
    ]
    assert "age is cut at 31.25, the nearest border to 30" in str(found)
    assert found.to_dict()["cuts"][0] == {"name": "age", "asked": 30.0, "border": 31.25}
    table = crosstab(release, "sex", "age", edges={"age": [30]})
    assert "the nearest border to 30" in str(table)
    for outside in ([500], [-1, 20], [100]):
        with pytest.raises(DataError, match="outside its range, 0 to 100"):
            shares(release, "age", edges=outside)


def test_whole_numbers_are_cut_between_them() -> None:
    schema = Schema(
        [
            Attribute.numeric("visits", low=0, high=9, integer=True),
            Attribute.categorical("ill", ["0", "1"]),
        ],
        target="ill",
    )
    held = {"visits": np.arange(10), "ill": ["0", "1"] * 5}
    found = shares(Plan({}, default=Exact()).disguise(held, schema), "visits", edges=[0, 4.5])
    assert found.shares.tolist() == pytest.approx([0.1, 0.4, 0.5])
    assert not any(cut.moved for cut in found.cuts)
    assert found.mean == pytest.approx((4.5, 0.0, 0.0))


@pytest.mark.parametrize("kind", ["band", "uniform", "gaussian"])
def test_intervals_of_means_cover(kind: str) -> None:
    """Numbers that lie unevenly in their cells; 82 of 100 are missed once in a million."""
    inside = 0
    for seed in range(100):
        held = people(np.random.default_rng(seed), 400)
        held["age"] = np.clip(np.random.default_rng(seed).exponential(18, 400), 0, 100)
        mean = shares(PLANS[kind].disguise(held, SCHEMA), "age").mean
        assert mean is not None
        low, high = mean.interval()
        inside += low <= held["age"].mean() <= high
        assert (mean.cells < 0.02) == (kind != "band")  # noise needs no cells
    assert inside >= 82


def test_means_in_plain_digits() -> None:
    assert str(Mean(82_920.3, 520.0, 2_900.0)) == (
        "82,920 (95 % interval 79,001 to 86,839; standard error 520, "
        "cells may shift it by up to 2,900)"
    )
    assert str(Mean(38.0, 0.0, 0.0)) == "38"


def test_rows_of_a_cross_table_have_errors(release: Release) -> None:
    table = crosstab(release, "drug", "sex")
    assert table.row_shares.sum(axis=1) == pytest.approx(np.ones(3))
    assert table.row_errors.shape == (3, 2)
    assert table.to_dict()["row_errors"] == table.row_errors.tolist()


def test_bad_questions(release: Release) -> None:
    with pytest.raises(DataError, match="no attribute 'height'; it has age"):
        shares(release, "height")
    with pytest.raises(DataError, match="'drug' is categorical: it has no edges"):
        shares(release, "drug", edges=[1])
    with pytest.raises(DataError, match="numbers that rise"):
        shares(release, "age", edges=[50, 20])
    for wrong in ([[20.0], [50.0]], [20, 20], ["young"], [20, float("nan")], [20, float("inf")]):
        with pytest.raises(DataError, match="'age' must be numbers that rise"):
            shares(release, "age", edges=wrong)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no attribute of the release"):
        shares(release, "age", weights="height")
    with pytest.raises(MethodError, match="exact numbers from 0"):
        shares(release, "age", weights="drug")
    with pytest.raises(InputError, match="'drug' is named twice"):
        crosstab(release, "drug", "drug")
    with pytest.raises(InputError, match="edges are for 'height'"):
        crosstab(release, "drug", "age", edges={"height": [3]})
    gadp = GADP(confidential=["age"]).disguise(people(np.random.default_rng(1), 300), SCHEMA)
    with pytest.raises(MethodError, match="no law leads back"):
        shares(gadp, "age")


@pytest.mark.parametrize("weight", [1, 2, 5])
def test_equal_weights_change_nothing_about_independence(weight: int) -> None:
    names = ("drug", "sex", "ill")
    schema = Schema(
        [
            *(Attribute.categorical(name, [0, 1, 2]) for name in names),
            Attribute.numeric("weight", low=1, high=5, integer=True),
        ],
        target="ill",
    )
    rng = np.random.default_rng(2)
    held: dict[str, Any] = {name: rng.integers(0, 3, 900) for name in names}
    held["weight"] = np.full(900, weight)
    plan = Plan({"drug": Substitution(9), "weight": Exact()}, default=Substitution(20))
    release = plan.disguise(held, schema, seed=1)
    plain = crosstab(release, "drug", "sex").independence
    weighted = crosstab(release, "drug", "sex", weights="weight").independence
    assert plain is not None
    assert weighted == pytest.approx(plain, rel=1e-6)


def test_exact_numbers_of_many_cells_are_crossed() -> None:
    """257 by 257 cells: their square would be 32 GiB."""
    rng = np.random.default_rng(1)
    numbers = [pv.Attribute.numeric(name, low=0, high=1) for name in ("x", "z")]
    schema = pv.Schema([*numbers, pv.Attribute.categorical("y", ["a", "b"])], target="y")
    x, z = rng.random(2000), rng.random(2000)
    table = {"x": x, "z": z, "y": np.where(x < z, "a", "b")}
    release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    crossed = pv.crosstab(release, "x", "z", edges={"x": [0.5], "z": [0.5]})
    counts = np.histogram2d(x, z, bins=[[0, 0.5, 1], [0, 0.5, 1]])[0]
    assert crossed.shares == pytest.approx(counts / 2000, abs=0.01)  # an edge moves to a cell's end


# By hand


def table_of(total: float, rows: int, fitted: Any, disguise: float, sampling: float) -> Table:
    size = len(fitted)
    shares_of = np.array(fitted)
    return Table(
        shares_of, shares_of - 0.1, disguise * np.eye(size), sampling * np.eye(size), total, rows
    )


@pytest.mark.parametrize("population", [False, True])
@pytest.mark.parametrize("every", [40, 41])
def test_parts_count_by_their_weights(every: int, population: bool) -> None:
    """Of 30 and 10 units of weight; records that do not tell make the others a sample."""
    tables = [table_of(30, 20, [0.2, 0.8], 1.0, 2.0), table_of(10, 20, [0.6, 0.4], 4.0, 8.0)]
    release: Any = SimpleNamespace(rows=every)
    fitted, unbiased, covariance, rows = combined(release, tables, population=population)
    assert fitted == pytest.approx([0.3, 0.7])
    assert unbiased == pytest.approx([0.2, 0.6])
    sampled = population or every > 40
    assert covariance == pytest.approx((2 if sampled else 1) * (9 / 16 + 4 / 16) * np.eye(2))
    assert rows == 40


def test_covariances_of_sums_over_records() -> None:
    """Two outputs of 3 and 5 records that weigh 2 and −1 in a cell, 0.5 and 1 in another."""
    weights, squares = np.array([[2.0, -1.0], [0.5, 1.0]]), np.array([3.0, 5.0])
    mean = np.array([0.25, 0.5])
    disguise, sampling = covariances(weights, squares, mean)
    second = np.array([[3 * 4 + 5, 3 - 5], [3 - 5, 3 * 0.25 + 5]])
    assert disguise == pytest.approx(second - np.diag([1.0, 6.5]))
    off = [np.outer(one - mean, one - mean) for one in weights.T]
    assert sampling == pytest.approx(3 * off[0] + 5 * off[1])


def test_what_ranges_are_called() -> None:
    cells = Coding.cells("x", [0, 1, 2, 2_000_000], [1, 2, 2_000_000, 3_456_789], missing=True)
    groups = np.array([0, 0, 1, 1, 2])
    assert labels_of(cells, groups) == ("0 to 2", "2 to 3456789", "missing")
    assert labels_of(cells, np.arange(5))[0] == cells.label(0)
    tens = Coding.cells("x", [0, 999_999.5], [999_999.5, 1e6])
    assert labels_of(tens, np.array([0, 0])) == ("0 to 1000000",)
    small = Coding.cells("x", [-1_234_567.8, 0.1234567], [0.1234567, 999_999])
    assert labels_of(small, np.array([0, 0])) == ("-1234568 to 999999",)
    sky = Coding.categories("x", ["sun", "rain"])
    assert labels_of(sky, np.array([0, 0])) == ("sun",)  # categories have no ranges


def test_cells_are_gathered_to_ranges() -> None:
    found = gathering([np.array([0, 0, 1]), np.array([0, 1])])
    assert found.tolist() == [
        [1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1],
    ]  # fmt: skip


def test_a_table_of_shares_in_words() -> None:
    plain = Shares(
        ("sky",),
        (("sun", "snow"),),
        np.array([0.955, 0.045]),
        np.array([0.96, 0.04]),
        np.diag([0.0004, 0.0]),
        1_234,
        population=True,
    )
    assert str(plain) == (
        "sky: 1,234 records, errors about the population\n  sun    95.5 % ± 2.0\n  snow    4.5 %"
    )
    assert plain.errors.tolist() == pytest.approx([0.02, 0.0])
    told = plain.to_dict()
    assert told["about"] == "population"
    assert "mean" not in told
    assert "cuts" not in told
    negative = replace(plain, covariance=np.diag([-1.0, 4.0]), mean=Mean(2.0, 0.5, 0.0))
    assert negative.errors.tolist() == [0.0, 2.0]
    assert negative.to_dict()["mean"]["interval"] == list(Mean(2.0, 0.5, 0.0).interval())
    assert str(negative).splitlines()[-1].startswith("  mean 2.00 (95 % interval 1.02 to 2.98")


def test_rows_of_a_table_by_hand() -> None:
    """Shares 0.1 and 0.3 of a row: 1/4 of it; d(p/s) = (3/4 dp − 1/4 dq) / 0.4."""
    table = np.array([[0.1, 0.3], [0.0, 0.0], [0.6, 0.0]])
    covariance = np.zeros((6, 6))
    covariance[:2, :2] = [[0.04, 0.01], [0.01, 0.09]]
    covariance[4, 4] = 0.01
    inside, errors = inside_rows(table, covariance)
    assert inside[0] == pytest.approx([0.25, 0.75])
    wanted = np.sqrt(0.75**2 * 0.04 + 0.25**2 * 0.09 - 2 * 0.75 * 0.25 * 0.01) / 0.4
    assert errors[0] == pytest.approx([wanted, wanted])
    assert np.isnan(inside[1]).all()
    assert np.isnan(errors[1]).all()
    assert inside[2].tolist() == [1, 0]
    assert errors[2] == pytest.approx([0, 0])


def test_a_cross_table_in_words() -> None:
    table = Crosstab(
        ("sky", "ill"),
        (("sun", "snow"), ("no", "yes")),
        np.array([[0.1, 0.3], [0.0, 0.0]]) / 0.4,
        np.array([[0.1, 0.3], [0.0, 0.0]]) / 0.4,
        np.zeros((4, 4)),
        500,
        population=False,
        independence=Independence(3.84, 1, 0.05004),
    )
    assert str(table) == (
        "sky × ill: 500 records, errors about the records; per cent of each row\n"
        "  sky     all          no         yes\n"
        "  sun   100.0  25.0 ± 0.0  75.0 ± 0.0\n"
        "  snow    0.0           –           –\n"
        "  χ² = 3.8, 1 degree of freedom, p = 0.05, the disguise allowed for"
    )
    told = table.to_dict()
    assert told["row_shares"] == [pytest.approx([0.25, 0.75]), [None, None]]
    assert told["row_errors"][1] == [None, None]
    assert told["independence"] == {"statistic": 3.84, "freedom": 1, "p_value": 0.05004}
    assert "χ²" not in str(replace(table, independence=None))
    assert replace(table, independence=None).to_dict()["independence"] is None
    two = replace(table, independence=Independence(3.84, 2, 0.05))
    assert "2 degrees of freedom" in str(two)


def test_one_row_or_one_value_cannot_be_tested() -> None:
    held = people(np.random.default_rng(1), 200) | {"drug": np.full(200, "a")}
    alike = PLANS["plain"].disguise(held, SCHEMA)
    one = crosstab(alike, "age", "sex", edges={"age": []})
    assert one.shares.shape == (1, 2)
    assert one.independence is None
    some = people(np.random.default_rng(1), 200)
    some["drug"] = np.where(some["drug"] == "c", "b", some["drug"])
    rare = crosstab(PLANS["plain"].disguise(some, SCHEMA), "drug", "sex").independence
    assert rare is not None
    assert rare.freedom == 1  # the third value does not occur


def test_left_inverses_vary_least_and_no_cell_is_taken_to_be_empty() -> None:
    """Outputs half of which nobody gave: the weights of a plain least-squares fit differ."""
    matrix = np.array([[0.8, 0.1], [0.1, 0.1], [0.1, 0.8]])
    observed = np.array([80.0, 10.0, 10.0])  # all of the first cell
    weights = left_inverse(matrix, observed)
    assert weights @ matrix == pytest.approx(np.eye(2))
    expected = matrix @ [100.0, 0.01 * 50]
    normal = matrix.T @ (matrix / expected[:, None])
    assert weights == pytest.approx(
        np.linalg.solve(normal, (matrix / expected[:, None]).T), abs=1e-4
    )
    square = np.array([[0.75, 0.25], [0.25, 0.75]])
    assert left_inverse(square, np.ones(2)) == pytest.approx(np.array([[1.5, -0.5], [-0.5, 1.5]]))
    alike = np.array([[0.5, 0.5], [0.25, 0.25], [0.25, 0.25]])
    with pytest.raises(MethodError, match="cannot be told apart"):
        left_inverse(alike, np.array([2.0, 1.0, 1.0]))
