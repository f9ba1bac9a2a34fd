"""GADP, EGADP and CGADP: what they keep, what they draw anew, and covariances without inverse."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from privet.disguise import CGADP, EGADP, GADP, plan_from_dict
from privet.disguise.cgadp import copula, scores
from privet.disguise.noised import coded
from privet.disguise.regression import SingularWarning, basis, regress, root
from privet.errors import DataError, PlanError
from privet.frames import columns
from privet.randomness import Randomness
from privet.release import Release
from privet.schema import Attribute, Schema
from privet.table import MemoryTable
from tests.twins import Floats

SCHEMA = Schema(
    [
        Attribute.numeric("size", low=0, high=20),
        Attribute.numeric("pay", low=-100, high=100),
        Attribute.numeric("age", low=0, high=99, integer=True),
        Attribute.categorical("sex", ["f", "m"]),
        Attribute.categorical("risk", ["low", "high"]),
    ],
    target="risk",
)
SECRET = ["size", "pay"]


def people(rows: int = 3000, seed: int = 1) -> dict[str, Any]:
    """Return records whose numbers depend on each other, on age and on sex."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(0, 100, rows), rng.integers(0, 2, rows)
    size = np.clip(10 + 0.04 * (age - 50) + 2 * sex + rng.normal(0, 1.5, rows), 0, 20)
    pay = np.clip(0.5 * (age - 50) + 5 * (size - 10) + rng.normal(0, 10, rows), -100, 100)
    risk = (pay > 10) ^ (rng.random(rows) < 0.1)
    return {
        "size": size,
        "pay": pay,
        "age": age,
        "sex": np.array(["f", "m"])[sex],
        "risk": np.array(["low", "high"])[risk.astype(int)],
    }


def moments(table: MemoryTable) -> tuple[Floats, Floats]:
    numbers = np.stack([table.columns[name].astype(float) for name in SCHEMA.names])
    return numbers.mean(axis=1), np.cov(numbers)


def both(method: GADP, records: dict[str, Any]) -> tuple[MemoryTable, MemoryTable]:
    release = method.disguise(records, SCHEMA, seed=1, shuffle=False)
    assert isinstance(release, Release)
    plain = {name: np.asarray(records[name]) for name in ("size", "pay", "age")}
    plain["sex"] = (records["sex"] == "m").astype(float)
    plain["risk"] = (records["risk"] == "high").astype(float)
    return MemoryTable(plain), release.parts[0].table.collect(10**6)


@pytest.mark.parametrize("proximity", [0.0, 0.5, 0.9])
def test_egadp_is_exact(proximity: float) -> None:
    before, after = both(EGADP(SECRET, proximity), people(60))
    for expected, moment in zip(moments(before), moments(after), strict=True):
        assert np.allclose(expected, moment, rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("proximity", [0.0, 0.7])
def test_gadp_keeps_covariances_up_to_chance(proximity: float) -> None:
    rows = 20_000
    before, after = both(GADP(SECRET, proximity), people(rows))
    spread = np.sqrt(np.diag(moments(before)[1]))
    (mean, covariance), (drawn, other) = moments(before), moments(after)
    # In units of the columns' own spread errors are below √(2/n), those of means below √(1/n).
    away = (covariance - other) / np.outer(spread, spread)
    assert np.abs(away).max() < 6 * np.sqrt(2 / rows)
    assert np.abs((mean - drawn) / spread).max() < 6 / np.sqrt(rows)


def test_proximity_is_the_correlation_of_what_is_not_predicted() -> None:
    records = people(20_000)
    for method in (GADP, EGADP):
        for proximity in (0.0, 0.6):
            before, after = both(method(SECRET, proximity), records)
            sides = np.stack(
                [before.columns[n].astype(float) for n in ("age", "sex", "risk")], axis=1
            )
            for name in SECRET:
                true, drawn = (
                    regress(t.columns[name][:, None], sides).residual for t in (before, after)
                )
                correlation = np.corrcoef(true[:, 0], drawn[:, 0])[0, 1]
                assert correlation == pytest.approx(proximity, abs=6 / np.sqrt(20_000))


def test_what_is_not_confidential_is_plain() -> None:
    before, after = both(GADP(["pay"]), people())
    for name in ("size", "age", "sex", "risk"):
        assert np.array_equal(before.columns[name], after.columns[name])
    assert (before.columns["pay"] != after.columns["pay"]).all()
    claim = GADP(["pay"]).claim(SCHEMA)
    assert claim.disclosed == ("size", "age", "sex", "risk")
    assert not claim.formal


def test_a_regression_by_hand() -> None:
    """Of x = 1, 2, 4, 5 on s = 0, 0, 1, 1 the means are 1.5 and 4.5."""
    fit = regress(np.array([[1.0], [2], [4], [5]]), np.array([[0.0], [0], [1], [1]]))
    assert fit.mean.ravel().tolist() == pytest.approx([1.5, 1.5, 4.5, 4.5])
    assert fit.covariance.item() == pytest.approx(1 / 3)


def test_domains_are_wider_or_kept() -> None:
    wide = GADP(SECRET).disguise(people(), SCHEMA)
    assert wide.schema["pay"].range == (-900, 900)
    assert wide.unbounded is not None
    assert wide.unbounded.original_schema(wide.schema) == SCHEMA
    kept = GADP(["age", "pay"], keep_domain=True).disguise(people(), SCHEMA)
    assert kept.schema == SCHEMA
    ages = kept.parts[0].table.collect(3000).columns["age"]
    assert np.array_equal(ages, np.rint(ages))


def test_covariances_without_an_inverse_are_handled_and_said() -> None:
    records = people(500) | {"size": 10 + people(500)["age"] / 10}  # known from the age
    schema = SCHEMA
    with pytest.warns(SingularWarning, match="1 of the other columns depend"):
        GADP(["pay"]).disguise(records, schema)
    with pytest.warns(SingularWarning, match="1 of the confidential numbers are known"):
        release = EGADP(["size", "pay"]).disguise(records, schema, shuffle=False)
    shown = release.parts[0].table.collect(500).columns
    # What the plain attributes determine stays what it is.
    assert np.allclose(shown["size"], records["size"])
    with pytest.warns(SingularWarning, match="no inverse"):
        CGADP(["pay"]).disguise(records, schema)


def test_a_covariance_that_can_be_inverted_says_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for method in (GADP, EGADP, CGADP):
            method(SECRET).disguise(people(500), SCHEMA)


def test_a_root_of_any_covariance() -> None:
    rng = np.random.default_rng(1)
    half = rng.normal(size=(5, 3))
    square = root(half @ half.T)
    assert np.allclose(square @ square.T, half @ half.T)


def test_normal_scores_by_hand() -> None:
    """Ranks 1, 2½, 2½, 4 of four are at 1/8, 1/2, 1/2, 7/8."""
    normal = scores(np.array([[1.0], [5], [5], [9]])).ravel()
    assert normal.tolist() == pytest.approx([-1.1503493803760079, 0, 0, 1.1503493803760079])


def test_rank_correlations_become_normal_ones() -> None:
    rng = np.random.default_rng(2)
    normal = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 20_000)
    correlation = copula(np.exp(normal), 1)[0, 1]
    assert correlation == pytest.approx(0.6, abs=6 * 0.8 / np.sqrt(20_000))
    clash = copula(np.array([[1.0, 1, 3], [2, 3, 1], [3, 2, 2], [4, 4, 4]]), 1)
    assert np.linalg.eigvalsh(clash)[0] > -1e-9
    assert np.allclose(np.diag(clash), 1)


def test_cgadp_keeps_distributions_and_rank_correlations() -> None:
    records = people(8000)
    records["size"] = np.exp(records["size"] / 10)  # not normal
    before, after = both(CGADP(SECRET), records)
    for name in SECRET:
        one, two = np.sort(before.columns[name]), np.sort(after.columns[name])
        assert one[0] <= two[0] <= two[-1] <= one[-1]
        quantiles = np.searchsorted(one, two[[2000, 4000, 6000]]) / 8000
        assert quantiles == pytest.approx([0.25, 0.5, 0.75], abs=6 * np.sqrt(0.5 / 8000))
    for first, second in (("size", "pay"), ("pay", "age")):
        one, two = (
            np.corrcoef(rankdata(table.columns[first]), rankdata(table.columns[second]))[0, 1]
            for table in (before, after)
        )
        assert one == pytest.approx(two, abs=0.05)


TIED = Schema(
    [
        Attribute.numeric("a", low=0, high=1e4),
        Attribute.numeric("b", low=-9, high=9),
        Attribute.numeric("c", low=0, high=9, integer=True),
        Attribute.categorical("d", ["p", "q", "r", "s"]),
        Attribute.categorical("kind", ["x", "y"]),
    ],
    target="kind",
)


def tied(rows: int) -> dict[str, Any]:
    """Records whose b goes with the class, more weakly with c and d; half of the c are 0."""
    rng = np.random.default_rng(4)
    latent = rng.multivariate_normal(np.zeros(4), 0.5 * np.eye(4) + 0.5, rows)
    kind = latent[:, 1] + rng.normal(0, 0.5, rows) > 0.5
    return {
        "a": np.exp(latent[:, 0]),
        "b": np.clip(latent[:, 1], -9, 9),
        "c": np.clip(np.floor(2 * latent[:, 2]), 0, 9),
        "d": np.array(["p", "q", "r", "s"])[np.digitize(latent[:, 3], [-1, 0, 1.5])],
        "kind": np.array(["x", "y"])[kind.astype(int)],
    }


def spearman(table: MemoryTable) -> Floats:
    """Rank correlations of all columns, categories by indicators of all but the first."""
    numbers = [table.columns[name] for name in ("a", "b", "c", "kind")]
    numbers += [table.columns["d"] == code for code in (1, 2, 3)]
    correlations: Floats = np.corrcoef(rankdata(np.column_stack(numbers), axis=0), rowvar=False)
    return correlations


@pytest.mark.parametrize("proximity", [0.0, 0.5])
@pytest.mark.parametrize("secret", [["a", "b"], ["b", "c"]])
def test_cgadp_keeps_rank_correlations_with_tied_columns(
    secret: list[str], proximity: float
) -> None:
    records = tied(3000)
    table = coded(columns(records, TIED.names), TIED)
    method = CGADP(secret, proximity)
    runs = []
    for seed in range(30):
        with Randomness.seeded(seed) as source:
            runs.append(spearman(method.perturb(table, TIED, source)))
    away = np.mean(runs, axis=0) - spearman(table)
    assert np.abs(away).max() < (0.09 if "c" in secret else 0.03)  # half of c are alike


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (GADP(["sex"]), "'sex' is categorical"),
        (GADP(["height"]), "names 'height', which the schema does not have"),
        (GADP([]), "must name numeric attributes"),
        (GADP(["pay", "pay"]), "each once"),
        (GADP("pay"), "must be a list of names"),
        (EGADP(SECRET, 1), "proximity must be a number from 0 up to, but not, 1"),
        (CGADP(SECRET, -0.1), "CGADP: proximity must be"),
        (GADP(SECRET, keep_domain=1), "keep_domain must be true or false"),  # type: ignore[arg-type]
    ],
)
def test_settings_that_cannot_be(method: GADP, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        method.disguise(people(), SCHEMA)


def test_what_is_drawn_too_far_off_is_cut_and_said() -> None:
    """One record is 1,000 times as far off as all others, and predicts as far off."""
    rows = 4000
    rng = np.random.default_rng(1)
    records = people(rows) | {"age": np.where(np.arange(rows) == 0, 99, rng.integers(0, 2, rows))}
    records["pay"] = np.where(np.arange(rows) == 0, 0.0, 100.0 * (records["age"] - 0.5) * 2)
    with pytest.warns(UserWarning, match="'pay' were drawn so far outside"):
        release = GADP(["pay"]).disguise(records, SCHEMA)
    release.verify()


def test_numbers_that_may_be_missing_are_not_confidential_by_themselves() -> None:
    gaps = Attribute.numeric("pay", low=-100, high=100, missing="category")
    schema = SCHEMA.with_attributes(
        gaps if attribute.name == "pay" else attribute for attribute in SCHEMA
    )
    assert GADP().changed(schema) == ["size", "age"]
    records = people(400)
    records["pay"][::7] = np.nan
    release = EGADP().disguise(records, schema, shuffle=False)
    pay = release.parts[0].table.collect(400).columns["pay"]
    assert np.array_equal(pay, records["pay"], equal_nan=True)
    with pytest.raises(PlanError, match="'pay' may be missing"):
        GADP(["pay"]).disguise(records, schema)


def test_records_that_cannot_be() -> None:
    with pytest.raises(DataError, match="'pay' is constant"):
        GADP(SECRET).disguise(people() | {"pay": np.full(3000, 5.0)}, SCHEMA)
    with pytest.raises(DataError, match="too few for their covariances"):
        GADP(SECRET).disguise(people(5), SCHEMA)
    with pytest.raises(DataError, match="orthogonal"):
        EGADP(SECRET).disguise(people(7), SCHEMA)
    with pytest.raises(DataError, match="no column 'risk'"):
        EGADP(SECRET).disguise({k: v for k, v in people().items() if k != "risk"}, SCHEMA)
    with pytest.raises(DataError, match="outside its range"):
        CGADP(SECRET).disguise(people() | {"age": np.full(3000, 500)}, SCHEMA)


def test_a_plan_in_words() -> None:
    asked = plan_from_dict({"method": "egadp", "confidential": ["pay"], "proximity": 0.2})
    assert asked == EGADP(["pay"], 0.2)


def test_seeds_repeat_and_are_stamped() -> None:
    first, second = (EGADP(SECRET).disguise(people(), SCHEMA, seed=3) for _ in range(2))
    assert first.to_frame().equals(second.to_frame())
    assert first.seeded
    other = EGADP(SECRET).disguise(people(), SCHEMA)
    assert not other.to_frame().equals(first.to_frame())


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_units_of_columns_make_no_difference(scale: float) -> None:
    rng = np.random.default_rng(4)
    sides, true = rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    units = np.array([1.0, scale])
    with warnings.catch_warnings(action="error"):
        plain, other = regress(true, sides), regress(true * units, sides * units)
    assert np.allclose(other.mean, plain.mean * units)
    # A number known from another is found whatever its unit, and so is a superfluous column.
    known = np.column_stack([true[:, 0], sides @ [1.0, -1.0]]) * units
    with pytest.warns(SingularWarning, match="1 of the confidential numbers"):
        regress(known, sides)
    with pytest.warns(SingularWarning, match="1 of the other columns"):
        regress(true, np.column_stack([sides, scale * sides.sum(axis=1)]))


def test_correlations_that_do_not_fit_together_are_made_to() -> None:
    """Three columns, each pair seen in ranks that one normal law cannot have."""
    rng = np.random.default_rng(3)
    a = np.repeat([0.0, 1.0], 20)
    ranked = np.column_stack([a, a + 1e-3 * rng.random(40), -a + 1e-3 * rng.random(40)])
    ranked[:3, 2] = [1.0, 1.1, 1.2]
    law = copula(scores(ranked), 3)
    values = np.linalg.eigvalsh(law)
    assert np.allclose(np.diag(law), 1.0)
    assert np.allclose(law, law.T)
    assert values[0] > -1e-12
    assert (np.abs(law) <= 1 + 1e-12).all()


def test_columns_that_never_vary_have_no_basis() -> None:
    left, lost = basis(np.zeros((5, 2)))
    assert left.shape == (5, 0)
    assert lost == 0
    left, lost = basis(np.column_stack([np.ones(4), np.zeros(4), 2 * np.ones(4), np.arange(4.0)]))
    assert left.shape == (4, 2)
    assert lost == 1
    assert np.allclose(left.T @ left, np.eye(2))


def test_a_column_that_never_varies_tells_nothing_and_does_no_harm() -> None:
    """Whether one that is beside the confidential ones is there or not: the same numbers."""
    records = people(400)
    alike = {**records, "sex": np.full(400, "f")}
    with Randomness.seeded(5) as source:
        table = coded(alike, SCHEMA)
        drawn = CGADP(SECRET).perturb(table, SCHEMA, source)
        few = MemoryTable({name: table.columns[name] for name in SCHEMA.names if name != "sex"})
        without = SCHEMA.with_attributes([one for one in SCHEMA if one.name != "sex"])
        other = CGADP(SECRET).perturb(few, without, source)
    for name in SECRET:
        assert np.isfinite(drawn.columns[name]).all()
        np.testing.assert_allclose(drawn.columns[name], other.columns[name])
    with Randomness.seeded(5) as source:
        varied = CGADP(SECRET).perturb(coded(records, SCHEMA), SCHEMA, source)
    assert not np.allclose(varied.columns["size"], other.columns["size"])  # sex tells something


WIDE = Schema(
    [
        Attribute.numeric("pay", low=10, high=30, integer=True, bins=4),
        Attribute.numeric("age", low=0, high=90, missing="category"),
        Attribute.numeric("rent", low=0, high=5),
        Attribute.categorical("ill", ["no", "yes"]),
    ],
    target="ill",
)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"confidential": "pay"}, "must be a list of names"),
        ({"confidential": ["moon"]}, "names 'moon'"),
        ({"confidential": ["ill"]}, "'ill' is categorical"),
        ({"confidential": ["age"]}, "'age' may be missing"),
        ({"confidential": []}, "each once"),
        ({"confidential": ["pay", "pay"]}, "each once"),
        ({"proximity": 1}, "proximity must be a number from 0 up to, but not, 1"),
        ({"proximity": -0.1}, "proximity must be a number"),
        ({"keep_domain": 1}, "keep_domain must be true or false"),
    ],
)
def test_settings_that_no_kind_takes(settings: dict[str, Any], said: str) -> None:
    for kind in (GADP, EGADP, CGADP):
        with pytest.raises(PlanError, match=f"^{kind.__name__}.*{said}"):
            kind(**settings).check(WIDE)


def test_what_is_confidential_and_how_it_is_released() -> None:
    assert GADP().changed(WIDE) == ["pay", "rent"]
    assert GADP(["rent", "pay"]).changed(WIDE) == ["pay", "rent"]
    assert GADP(["rent"]).changed(WIDE) == ["rent"]
    for settings in ({}, {"confidential": ("pay",)}, {"proximity": 0}, {"keep_domain": True}):
        GADP(**settings).check(WIDE)
    released = GADP().released(WIDE["pay"])
    assert released.range == (10 - 80, 30 + 80)
    assert (released.integer, released.bins) == (False, None)
    assert GADP(keep_domain=True).released(WIDE["pay"]) is WIDE["pay"]
    assert CGADP().released(WIDE["pay"]) is WIDE["pay"]


class Far(GADP):
    """Draws numbers at both ends, and beyond."""

    def drawn(self, fit: Any, source: Any) -> Any:
        del source
        return np.tile([[-200.0], [12.4], [12.6], [300.0]], (len(fit.mean) // 4, 1))


@pytest.mark.parametrize("keep", [False, True])
def test_numbers_are_cut_off_where_their_range_ends(keep: bool) -> None:
    schema = Schema([WIDE["pay"], WIDE["ill"]], target="ill")
    raw = {"pay": [11, 12, 20, 30] * 3, "ill": ["no", "yes", "yes", "no"] * 3}
    method = Far(["pay"], keep_domain=keep)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = method.disguise(raw, schema, shuffle=False)
    shown = release.parts[0].table.collect(12).columns["pay"][:4].tolist()
    assert shown == ([10, 12, 13, 30] if keep else [-70, 12.4, 12.6, 110])
    assert len(caught) == (0 if keep else 1)
    assert all("'pay' were drawn so far outside" in str(one.message) for one in caught)


def test_a_constant_column_is_refused() -> None:
    schema = Schema([WIDE["pay"], WIDE["rent"], WIDE["ill"]], target="ill")
    raw = {"pay": [11, 12, 20, 30, 15, 16], "rent": [2.0] * 6, "ill": ["no", "yes"] * 3}
    for kind in (GADP, EGADP, CGADP):
        with pytest.raises(DataError, match="the column 'rent' is constant"):
            kind().disguise(raw, schema)
        assert kind(["pay"]).disguise(raw, schema).rows == 6
