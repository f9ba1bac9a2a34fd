"""Regression of confidential numbers: four records by hand, and columns that depend on others."""

import warnings
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.disguise.cgadp import copula, scores
from privet.disguise.regression import (
    SingularWarning,
    basis,
    regress,
    root,
    side_columns,
    warn_singular,
)
from privet.errors import DataError
from privet.randomness import Randomness
from privet.table import MemoryTable
from tests.golden import golden

SCHEMA = pv.Schema(
    [
        pv.Attribute.numeric("pay", low=0, high=9),
        pv.Attribute.numeric("age", low=0, high=90, missing="category"),
        pv.Attribute.categorical("sky", ["sun", "rain", "snow"], missing="category"),
        pv.Attribute.categorical("ill", ["no", "yes"]),
    ],
    target="ill",
)


def test_side_columns_by_hand() -> None:
    table = MemoryTable(
        {
            "pay": np.array([1.0, 2, 3, 4]),
            "age": np.array([10.0, np.nan, 40, np.nan]),
            "sky": np.array([0, 1, 2, 3]),
            "ill": np.array([0, 1, 1, 0]),
        }
    )
    ages, known = [10.0, 25, 40, 25], [1.0, 0, 1, 0]
    skies, ill = [[0.0, 1, 0, 0], [0.0, 0, 1, 0], [0.0, 0, 0, 1]], [0.0, 1, 1, 0]
    made = side_columns(table, SCHEMA, ["pay"])
    assert made.T.tolist() == [known, ages, *skies, ill]
    assert side_columns(table, SCHEMA, ["age", "sky"]).T.tolist() == [[1, 2, 3, 4], ill]
    none = MemoryTable(dict(table.columns) | {"age": np.full(4, np.nan)})
    assert side_columns(none, SCHEMA, ["pay", "sky", "ill"]).T.tolist() == [[0.0] * 4] * 2
    assert side_columns(table, SCHEMA, SCHEMA.names).shape == (4, 0)
    whole = MemoryTable(dict(table.columns) | {"age": np.array([1.0, 2, 3, 4])})
    assert side_columns(whole, SCHEMA, ["pay", "sky", "ill"]).T.tolist() == [[1, 2, 3, 4]]


def test_bases_by_hand() -> None:
    spanned, spare = basis(np.array([[3.0, 0], [4, 0]]))
    assert np.abs(spanned).ravel().tolist() == pytest.approx([0.6, 0.8])
    assert spare == 0  # what does not vary is dropped in silence
    spanned, spare = basis(np.zeros((3, 2)))
    assert spanned.shape == (3, 0)
    assert spare == 0
    twice = np.array([[1.0, 2, 0], [1, 2, 0], [0, 0, 5]])
    spanned, spare = basis(twice)
    assert spanned.shape == (3, 2)
    assert spare == 1
    assert spanned.T @ spanned == pytest.approx(np.eye(2))
    assert spanned @ spanned.T @ twice == pytest.approx(twice)


def test_columns_of_any_unit_are_directions_of_their_own() -> None:
    """Each is brought to the same length first: a small one is not taken for rounding."""
    columns = np.column_stack([1e-14 * np.array([1.0, 0, 1]), 1e9 * np.array([0.0, 1, 1])])
    spanned, spare = basis(columns)
    assert spanned.shape == (3, 2)
    assert spare == 0


TRUE, SIDE = np.array([[1.0], [2], [4], [5]]), np.array([[0.0], [0], [1], [1]])


@pytest.mark.parametrize("more", [[], [5.0], [1e9]])
def test_four_records_by_hand(more: list[float]) -> None:
    """Two groups: their means foretell, and halves are missed, 4·¼ over three."""
    constants = [np.full((4, 1), number) for number in more]
    fit = regress(TRUE, np.column_stack([SIDE + sum(more) / 2, *constants]))
    assert fit.mean.ravel() == pytest.approx([1.5, 1.5, 4.5, 4.5])
    assert fit.residual.ravel() == pytest.approx([-0.5, 0.5, -0.5, 0.5])
    assert fit.covariance == pytest.approx(np.array([[1 / 3]]))
    assert fit.sides.shape == (4, 2)
    assert fit.sides[:, 0] == pytest.approx([0.5] * 4)
    assert fit.sides.T @ fit.sides == pytest.approx(np.eye(2))


def test_records_must_outnumber_columns_by_two() -> None:
    assert regress(TRUE[1:], np.empty((3, 0))).covariance == pytest.approx(np.array([[7 / 3]]))
    with pytest.raises(DataError, match="3 records for 2 columns"):
        regress(TRUE[1:], SIDE[1:])
    with pytest.raises(DataError, match="2 records for 1 columns"):
        regress(TRUE[:2], np.empty((2, 0)))
    both = np.column_stack([TRUE, [3.0, 1, 4, 1]])
    assert regress(both, np.empty((4, 0))).covariance.shape == (2, 2)
    with pytest.raises(DataError, match="4 records for 3 columns"):
        regress(both, SIDE)


def said(true: Any, sides: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        regress(true, sides)
    return [str(one.message) for one in caught]


def test_owners_are_told_of_columns_that_depend_on_others() -> None:
    rng = np.random.default_rng(1)
    true, sides = rng.normal(size=(20, 2)), rng.normal(size=(20, 2))
    assert said(true, sides) == []
    (spare,) = said(true, np.column_stack([sides, sides.sum(axis=1)]))
    assert spare.endswith("inverse: 1 of the other columns depend on the rest.")
    doubled = np.column_stack([true[:, :1], 2 * true[:, :1]])
    (lost,) = said(1e6 * doubled, sides)
    assert lost.endswith("inverse: 1 of the confidential numbers are known from the others.")
    (lost,) = said(sides[:, :1] * 3, sides)
    assert "1 of the confidential" in lost
    (both,) = said(doubled, np.column_stack([sides, sides]))
    assert "2 of the other columns depend on the rest and 1 of the confidential" in both
    with pytest.warns(SingularWarning, match="3 of the other columns depend on the rest\\."):
        warn_singular(3, 0)


def test_roots_by_hand() -> None:
    """Eigenvalues 3 and −1, of which the second counts as nothing."""
    assert root(np.array([[1.0, 2], [2, 1]])) ** 2 == pytest.approx(np.full((2, 2), 0.75))
    made = root(np.array([[0.04, 0.01], [0.01, 0.09]]))
    assert made @ made.T == pytest.approx(np.array([[0.04, 0.01], [0.01, 0.09]]))


def test_exact_noise_needs_a_direction_for_every_number() -> None:
    """A constant, one residual, one number of noise and one record more: four."""
    true = np.array([[1.0], [5], [2], [9]])
    with Randomness.seeded(2) as source:
        for proximity in (0.0, 0.6):
            method = pv.EGADP(proximity=proximity)
            fit = regress(true, np.empty((4, 0)))
            drawn = method.drawn(fit, source)
            assert drawn.mean() == pytest.approx(true.mean())
            assert drawn.var() == pytest.approx(true.var())
            away, before = drawn - drawn.mean(), true - true.mean()
            assert (away * before).sum() == pytest.approx(proximity * (before**2).sum())
            with pytest.raises(DataError, match=r"3 records; noise .* 2 columns needs at least 4"):
                method.drawn(regress(true[:3], np.empty((3, 0))), source)


def test_copulas_by_hand() -> None:
    """Ranks of four, two of them swapped: a rank correlation of 0.8, 2·sin(π·0.8/6)."""
    plain = scores(np.array([[1.0, 1], [2, 2], [3, 4], [4, 3]]))
    for drawn in (0, 1, 2):
        made = copula(plain, drawn)
        assert made == pytest.approx(np.array([[1, 0.81347], [0.81347, 1]]), abs=1e-5)
    # Equal columns of two numbers: more than 1 once ties are put right, so cut back to 1.
    tied = scores(np.repeat([[0.0, 0], [1, 1]], 3, axis=0))
    assert copula(tied, 2) == pytest.approx(np.ones((2, 2)))
    assert copula(tied, 0) == pytest.approx(np.ones((2, 2)))
    assert copula(scores(np.arange(5.0)[:, None]), 1).tolist() == [[1.0]]


def test_scores_by_hand() -> None:
    """Five records, the last two equal: ranks 1, 2, 3, 4.5 and 4.5."""
    made = scores(np.array([[7.0, 1], [8, 2], [9, 3], [10, 4], [10, 5]]))
    assert made[:, 0] == pytest.approx([-1.281552, -0.524401, 0, 0.841621, 0.841621], abs=1e-6)
    assert made[:, 1] == pytest.approx([-1.281552, -0.524401, 0, 0.524401, 1.281552], abs=1e-6)


def test_copulas_are_the_same_again() -> None:
    rng = np.random.default_rng(4)
    plain = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4))
    mixed = np.column_stack([np.rint(plain[:, :2]), plain[:, 2:], plain[:, 0] > 0])
    alike = np.column_stack([plain[:, 0] > 0, plain[:, 0] > 0.1, plain[:, 1]]).astype(np.float64)
    found = [
        copula(scores(columns), drawn)
        for columns in (plain, mixed, alike)
        for drawn in range(1, columns.shape[1] + 1)
    ]
    assert all(np.diag(made) == pytest.approx(1) for made in found)
    assert all(np.linalg.eigvalsh(made)[0] > -1e-9 for made in found)
    golden("settings", "copulas", found)


@pytest.mark.parametrize("kind", [pv.GADP, pv.EGADP, pv.CGADP])
def test_tables_of_many_sides_are_the_same_again(kind: Any) -> None:
    """Numbers below 1, gaps, constants and categories beside two confidential numbers."""
    rng = np.random.default_rng(3)
    rows = 80
    schema = pv.Schema(
        [
            pv.Attribute.numeric("pay", low=0, high=100),
            pv.Attribute.numeric("kids", low=0, high=9, integer=True),
            pv.Attribute.numeric("share", low=0, high=1),
            pv.Attribute.numeric("flat", low=0, high=5),
            pv.Attribute.numeric("age", low=0, high=90, missing="category"),
            pv.Attribute.categorical("sky", ["sun", "rain", "snow"]),
            pv.Attribute.categorical("ill", ["no", "yes"]),
        ],
        target="ill",
    )
    share = rng.random(rows) / 2
    raw = {
        "pay": np.round(100 * share + rng.uniform(0, 40, rows), 1),
        "kids": rng.integers(0, 5, rows),
        "share": share,
        "flat": np.full(rows, 2.5),
        "age": np.where(np.arange(rows) % 6 == 0, np.nan, np.round(80 * share)),
        "sky": np.array(["sun", "rain", "snow"])[rng.integers(0, 3, rows)],
        "ill": np.where(share > 0.2, "yes", "no"),
    }
    found = []
    for proximity, keep in ((0.0, False), (0.5, True)):
        method = kind(["pay", "kids"], proximity=proximity, keep_domain=keep)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            release = method.disguise(raw, schema, seed=5, shuffle=False)
        columns = release.parts[0].table.collect(rows).columns
        told = [str(one.message) for one in caught]
        found.append([columns, told, [release.schema[n].range for n in ("pay", "kids")]])
        if keep:
            assert (columns["kids"] == np.rint(columns["kids"])).all()
        assert np.array_equal(columns["share"], share)
    golden("settings", f"many sides: {kind.__name__}", found)
