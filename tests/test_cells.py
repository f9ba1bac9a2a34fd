"""Cells by public knowledge: borders, scales and priors."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.channel import Band, GammaDiagonal
from privet.disguise import Plan, RandomSubstitution, Substitution, ValueClass
from privet.errors import PlanError, SchemaError
from privet.release import Release
from privet.schema import Attribute, Schema

SHAPES: list[dict[str, Any]] = [
    {"shape": "normal", "mean": 40, "sd": 15},
    {"shape": "lognormal", "median": 30, "sigma": 0.6},
    {"shape": "exponential", "mean": 25},
    {"quantiles": [10, 20, 30, 45, 70]},
]


def income(**cells: Any) -> Attribute:
    return Attribute.numeric("income", low=0, high=400, **cells)


def test_given_borders_are_the_cells() -> None:
    coding = income(edges=[20, 50, 120]).coding()
    assert coding.edges.tolist() == [20, 50, 120]
    assert coding.encode(np.array([0.0, 20.0, 20.5, 120.0, 400.0])).tolist() == [0, 0, 1, 2, 3]


def test_a_border_at_the_low_end_parts_that_value() -> None:
    coding = income(edges=[0, 50]).coding()
    assert coding.encode(np.array([0.0, 1e-9, 50.0, 51.0])).tolist() == [0, 1, 1, 2]


def test_log_cells_grow_by_a_factor() -> None:
    attribute = Attribute.numeric("x", low=1, high=4096, bins=12, scale="log")
    edges = attribute.coding().edges
    assert np.allclose(edges, 2.0 ** np.arange(1, 12), rtol=0.05)
    counts = Attribute.numeric("n", low=0, high=999, bins=3, scale="log", integer=True)
    assert counts.coding().edges.tolist() == [9.5, 99.5]


@pytest.mark.parametrize("prior", SHAPES)
def test_cells_hold_equal_shares_of_the_prior(prior: dict[str, Any]) -> None:
    """Cells of a prior hold what it says, but for the rounding of borders."""
    rng = np.random.default_rng(1)
    knots = np.interp(rng.random(400_000), np.linspace(0, 1, 7), [0, 10, 20, 30, 45, 70, 400])
    drawn = {
        "normal": rng.normal(40, 15, 400_000),
        "lognormal": 30 * np.exp(rng.normal(0, 0.6, 400_000)),
        "exponential": rng.exponential(25, 400_000),
        "quantiles": knots,
    }[prior.get("shape", "quantiles")]
    drawn = drawn[(drawn >= 0) & (drawn <= 400)]
    codes = income(bins=12, prior=prior).coding().encode(drawn)
    shares = np.bincount(codes) / len(drawn)
    assert len(shares) == 12
    assert (
        np.abs(12 * shares - 1).max() < 0.13
    )  # borders move by a twentieth of a cell at either end


def test_a_public_sample() -> None:
    rng = np.random.default_rng(2)
    people = np.minimum(rng.lognormal(3, 0.7, 5_000), 400)
    attribute = income(bins=10, prior={"sample": people})
    others = np.minimum(rng.lognormal(3, 0.7, 200_000), 400)
    shares = np.bincount(attribute.coding().encode(others)) / len(others)
    assert len(shares) == 10
    assert np.abs(10 * shares - 1).max() < 0.25
    zeros = income(bins=10, prior={"sample": np.where(people > 20, people, 0)})
    assert zeros.coding().edges[0] == 0  # the common value has a cell of its own


@given(
    st.sampled_from([{"scale": "log"}, *({"prior": prior} for prior in SHAPES)]),
    st.integers(1, 300),
    st.booleans(),
    st.sampled_from([(1, 400), (1, 75), (0, 400), (0, 75)]),
)
def test_cells_rise_cover_the_range_and_can_be_written_down(
    cells: dict[str, Any], bins: int, integer: bool, ends: tuple[int, int]
) -> None:
    low, high = ends if integer or "prior" in cells else (1, ends[1])
    attribute = Attribute.numeric("x", low=low, high=high, bins=bins, integer=integer, **cells)
    coding = attribute.coding()
    assert coding.lower is not None
    assert coding.upper is not None
    assert coding.known <= bins
    assert (coding.lower <= coding.upper).all()
    assert (np.diff(coding.edges) > 0).all()
    assert (coding.lower[0], coding.upper[-1]) == (low, high)
    fixed = attribute.with_fixed_cells()
    assert fixed.coding().to_dict() == coding.to_dict()
    for declared in (attribute, fixed):
        form = json.loads(json.dumps(declared.to_dict()))
        assert Attribute.from_dict("x", form) == declared
        schema = Schema([declared, Attribute.categorical("y", ["a", "b"])], target="y")
        assert Schema.from_dict(_toml(schema.to_toml())) == schema


def _toml(text: str) -> Any:
    import tomllib

    return tomllib.loads(text)


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ({"edges": [50, 20]}, "edges must rise"),
        ({"edges": [20, 20]}, "edges must rise"),
        ({"edges": [20, 400]}, "edges must lie from 0 to below 400"),
        ({"edges": [-1, 20]}, "edges must lie from 0 to below 400"),
        ({"edges": "many"}, "list of numbers"),
        ({"edges": [float("nan")]}, "list of numbers"),
        ({"edges": [20], "bins": 4}, "edges say all"),
        ({"edges": [20], "scale": "log"}, "edges say all"),
        ({"scale": "square"}, "'linear' or 'log'"),
        ({"scale": "log"}, "begins at 0 has no logarithm"),
        ({"prior": {"shape": "lognormal", "median": 30}}, "takes the numbers median and sigma"),
        ({"prior": {"shape": "lognormal", "median": 0, "sigma": 1}}, "must be above 0"),
        ({"prior": {"shape": "normal", "mean": 3, "sd": 0}}, "must be above 0"),
        ({"prior": {"shape": "round"}}, "one of normal, lognormal, exponential"),
        ({"prior": {"shape": "normal", "mean": 900, "sd": 10}}, "does not cover the range"),
        ({"prior": {"quantiles": [3, 2]}}, "must rise"),
        ({"prior": {"quantiles": [3, 500]}}, "outside the range 0 to 400"),
        ({"prior": {"sample": [3, 3]}}, "two different numbers"),
        ({"prior": {"sample": ["a"]}}, "list of numbers"),
        ({"prior": {"median": 3}}, "one of shape, quantiles or sample"),
        ({"prior": "log"}, "one of shape, quantiles or sample"),
    ],
)
def test_cells_that_cannot_be(cells: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SchemaError, match=complaint):
        income(**cells)
    schema = Schema([income(), Attribute.categorical("y", ["a", "b"])], target="y")
    with pytest.raises(PlanError, match=complaint):
        Plan({"income": Substitution(8, **cells), "y": Substitution(8)}).recipe(schema)


def test_other_cells_that_cannot_be() -> None:
    with pytest.raises(SchemaError, match="no values below 0, and the range begins at -5"):
        Attribute.numeric("x", low=-5, high=5, prior={"shape": "exponential", "mean": 2})
    with pytest.raises(SchemaError, match="there is no whole number"):
        Attribute.numeric("x", low=0, high=5, integer=True, edges=[1.2, 1.7])
    with pytest.raises(SchemaError, match="cannot have low, high, integer or cells"):
        Attribute("x", values=("a",), edges=(1.0,))
    y = Attribute.categorical("y", ["a", "b"])
    with pytest.raises(PlanError, match="is categorical: it has no scale"):
        Substitution(8, scale="log").released(y)
    with pytest.raises(PlanError, match="groups, not cells"):
        ValueClass(edges=[3]).released(y)


SCHEMA = Schema(
    [income(bins=6, prior=SHAPES[1]), Attribute.categorical("y", ["a", "b"])], target="y"
)
PEOPLE = {"income": [3.0, 30.0, 44.0, 80.0] * 25, "y": ["a", "b", "a", "b"] * 25}


@pytest.mark.parametrize("kind", ["gamma-diagonal", "band"])
def test_both_channels_over_such_cells_stand_on_the_card(kind: str, tmp_path: Any) -> None:
    release = RandomSubstitution(8, kind=kind).disguise(PEOPLE, SCHEMA)
    release.write(tmp_path / "r")
    back = Release.read(tmp_path / "r")
    cells = SCHEMA["income"].coding()
    coding = back.codings["income"]
    assert coding is not None
    assert coding.edges.tolist() == cells.edges.tolist()
    assert back.schema["income"].edges == tuple(cells.edges.tolist())
    (channel,) = back.parts[0].channels
    assert channel == (GammaDiagonal if kind == "gamma-diagonal" else Band)("income", 6, 8)


def test_the_plan_goes_before_the_schema() -> None:
    def cells(**wish: Any) -> Any:
        coding = RandomSubstitution(8, **wish).plan(SCHEMA).recipe(SCHEMA).steps[0].coding
        assert coding is not None
        return coding

    assert cells(edges={"income": [10, 50]}).edges.tolist() == [10, 50]
    assert cells(bins=4).edges.tolist() == income(bins=4, prior=SHAPES[1]).coding().edges.tolist()
    with pytest.raises(PlanError, match="no numeric attribute; those are income"):
        cells(edges={"y": [1]})
    with pytest.raises(PlanError, match="table of attributes"):
        cells(edges=[1])
    assert ValueClass(edges=[10, 50]).coding(SCHEMA["income"]).edges.tolist() == [10, 50]  # type: ignore[union-attr]
