"""Additive noise of an owner: levels, whole numbers, plans, and what is refused."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.disguise import plan_from_dict
from privet.errors import DataError, PlanError
from privet.release import Release

AGE = pv.Attribute.numeric("age", low=10, high=90)
SCHEMA = pv.Schema(
    [
        AGE,
        pv.Attribute.numeric("visits", low=0, high=30, integer=True),
        pv.Attribute.categorical("sky", ["clear", "grey"]),
        pv.Attribute.categorical("y", ["no", "yes"]),
    ],
    target="y",
)
PEOPLE: dict[str, list[Any]] = {
    "age": [10.0, 33.3, 71.25, 90.0] * 25,
    "visits": [0, 3, 17, 30] * 25,
    "sky": ["clear", "grey", "grey", "clear"] * 25,
    "y": ["no", "yes", "no", "yes"] * 25,
}


@settings(max_examples=60)
@given(
    st.sampled_from(["uniform", "gaussian"]),
    st.floats(0.01, 3),
    st.floats(0.3, 0.999),
    st.booleans(),
)
def test_the_interval_is_as_wide_as_the_level_asks(
    kind: str, level: float, confidence: float, integer: bool
) -> None:
    attribute = pv.Attribute.numeric("a", low=0, high=60, integer=integer)
    made = pv.AdditiveNoise(kind, level=level, confidence=confidence, steps=300)
    noise = made.channel(attribute)
    step = 1.0 if integer else 60 / 300
    width = noise.width(confidence)
    assert width >= 60 * level * (1 - 1e-4) - 1e-6  # drawn on a grid
    assert width <= 60 * level + 3 * step


def test_the_paper_s_example() -> None:
    """Ages in [10, 90], an interval of 20 at 95 %: a level of 25 %, α = 10.5, σ = 5.1."""
    uniform = pv.AdditiveNoise(level=0.25).channel(AGE)
    assert uniform.width(0.95) == pytest.approx(20, abs=0.06)
    assert uniform.spread * uniform.step == pytest.approx(20 / 0.95 / 2, abs=0.03)
    gaussian = pv.AdditiveNoise("gaussian", level=0.25).channel(AGE)
    assert gaussian.deviation == pytest.approx(20 / 3.92, abs=0.03)


def test_widths_at_any_confidence() -> None:
    """The paper's table: c·W, c·2α, 2z·σ; 6.58σ at 99.9 %, not the slides' 6.8."""
    assert pv.ValueClass(bins=4).width_at(AGE, 0.5) == pytest.approx(10)
    assert pv.AdditiveNoise(alpha=10).width_at(AGE, 0.95) == pytest.approx(19, abs=0.04)
    gaussian = pv.AdditiveNoise("gaussian", sigma=10)
    for confidence, width in ((0.5, 13.49), (0.95, 39.2), (0.999, 65.8)):
        assert gaussian.width_at(AGE, confidence) == pytest.approx(width, abs=0.06)


def test_out_of_core_as_in_memory(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(PEOPLE), tmp_path / "people.parquet")
    noise = pv.AdditiveNoise("gaussian", level=1, categorical="withheld")
    options: dict[str, Any] = {"seed": 3, "shuffle": False}
    release = noise.disguise(PEOPLE, SCHEMA, **options)
    to = tmp_path / "noisy.release"
    streamed = noise.disguise(tmp_path / "people.parquet", SCHEMA, to=to, **options)
    assert streamed.to_frame().equals(release.to_frame())


def test_whole_numbers_stay_whole() -> None:
    schema = SCHEMA.with_attributes(attribute for attribute in SCHEMA if attribute.name != "sky")
    released = pv.AdditiveNoise("gaussian", level=0.5).disguise(PEOPLE, schema).to_frame()
    visits = released["visits"].to_numpy()
    assert (visits == np.floor(visits)).all()
    loose = pv.AdditiveNoise("gaussian", level=0.5, integer=False).disguise(PEOPLE, schema)
    visits = loose.to_frame()["visits"].to_numpy()
    assert (visits != np.floor(visits)).any()
    forced = pv.AdditiveNoise(level=0.5, integer=True).disguise(PEOPLE, schema).to_frame()
    age = forced["age"].to_numpy()
    assert (age == np.floor(age)).all()


def test_a_release_with_noise_goes_to_disk_and_back(tmp_path: object) -> None:
    release = pv.AdditiveNoise(level=1, categorical="withheld").disguise(PEOPLE, SCHEMA)
    release.write(f"{tmp_path}/noisy.release")
    again = Release.read(f"{tmp_path}/noisy.release")
    assert again.to_frame().equals(release.to_frame())
    assert again.claim.epsilon == math.inf
    assert again.claim.noisy == ("age", "visits")
    assert again.claim.disclosed == ("y",)
    said = " ".join(again.claim.sentences())
    assert "no finite ε" in said
    assert "Warning" in said  # from the schema alone


def test_no_epsilon_where_everything_is_disguised() -> None:
    plan = pv.Plan({"y": pv.Substitution(5), "sky": pv.Substitution(5)}, pv.AdditiveNoise(level=1))
    claim = plan.claim(SCHEMA)
    assert claim.disclosed == ()
    assert claim.epsilon == math.inf
    assert "Left out of these bounds: 'age', 'visits'" in " ".join(claim.sentences())


def test_planning_warns_without_data() -> None:
    said = pv.AdditiveNoise(alpha=50, categorical="exact").claim(SCHEMA).sentences()
    age = next(sentence for sentence in said if sentence.startswith("'age'"))
    assert "Warning" in age
    assert "% of records" in age


def test_a_card_with_another_range_makes_no_sense() -> None:
    release = pv.AdditiveNoise(level=1, categorical="withheld").disguise(PEOPLE, SCHEMA)
    part = release.parts[0]
    channels = (replace(part.channels[0], high=91.0), *part.channels[1:])  # type: ignore[type-var]
    with pytest.raises(pv.PrivetError, match="does not fit the attribute's range"):
        replace(release, parts=(replace(part, channels=channels),))


def test_a_number_off_the_grid_does_not_verify() -> None:
    release = pv.AdditiveNoise(level=1, categorical="withheld").disguise(PEOPLE, SCHEMA)
    release.parts[0].table.collect(100).columns["age"][3] += 1e-7
    with pytest.raises(pv.PrivetError, match="1 values of 'age' outside"):
        release.verify()


@pytest.mark.parametrize(
    ("categorical", "method"), [("exact", "exact"), ("withheld", "withheld"), (5, "substitution")]
)
def test_categories_of_a_whole_table(categorical: str | int, method: str) -> None:
    release = pv.AdditiveNoise(level=1, categorical=categorical).disguise(PEOPLE, SCHEMA)
    assert release.treatments["sky"] == method
    assert release.treatments["age"] == "additive-noise"


def test_plans_in_toml() -> None:
    plan = plan_from_dict(
        {
            "default": "exact",
            "attributes": {"age": {"method": "additive-noise", "kind": "gaussian", "level": 0.5}},
        }
    )
    assert plan.claim(SCHEMA).noisy == ("age",)
    whole = plan_from_dict({"method": "additive-noise", "level": 0.5, "categorical": "exact"})
    assert whole.claim(SCHEMA).noisy == ("age", "visits")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"kind": "cauchy"}, "kind of noise"),
        ({"level": 0}, "level"),
        ({"level": -1}, "level"),
        ({"level": math.nan}, "level"),
        ({"level": "much"}, "level"),
        ({"confidence": 0}, "confidence"),
        ({"confidence": 1}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"alpha": 0}, "alpha"),
        ({"alpha": math.inf}, "alpha"),
        ({"sigma": 1}, "sigma"),
        ({"kind": "gaussian", "alpha": 1}, "alpha"),
        ({"kind": "gaussian", "sigma": -1}, "sigma"),
        ({"alpha": 1, "level": 1}, "two ways"),
        ({"integer": 1}, "integer"),
        ({"steps": 0}, "steps"),
        ({"steps": 1 << 20}, "steps"),
    ],
)
def test_bad_settings(options: dict[str, Any], word: str) -> None:
    with pytest.raises(PlanError, match=word):
        pv.AdditiveNoise(**options).channel(AGE)
    with pytest.raises(PlanError, match=word):
        pv.AdditiveNoise(**options, categorical="exact").claim(SCHEMA)


@pytest.mark.parametrize(
    ("attribute", "options", "word"),
    [
        (SCHEMA["sky"], {}, "categorical"),
        (pv.Attribute.numeric("a", low=1, high=1), {}, "single value"),
        (pv.Attribute.numeric("a", low=0, high=1, missing="category"), {}, "missing"),
        (pv.Attribute.numeric("a", low=0.5, high=1), {"integer": True}, "whole numbers"),
        (pv.Attribute.numeric("a", low=0, high=1e6, integer=True), {}, "whole numbers"),
        (AGE, {"alpha": 1e9}, "too large"),
    ],
)
def test_attributes_that_take_no_noise(
    attribute: pv.Attribute, options: dict[str, Any], word: str
) -> None:
    with pytest.raises(PlanError, match=word):
        pv.AdditiveNoise(**options).released(attribute)


def test_categories_must_be_told_about() -> None:
    with pytest.raises(PlanError, match="'sky' is categorical"):
        pv.AdditiveNoise(level=1).disguise(PEOPLE, SCHEMA)
    with pytest.raises(PlanError, match="categorical must be"):
        pv.AdditiveNoise(level=1, categorical="noise").disguise(PEOPLE, SCHEMA)


@pytest.mark.parametrize(
    ("value", "word"), [(math.nan, "missing"), (math.inf, "range"), (91.0, "range")]
)
def test_values_outside_the_domain(value: float, word: str) -> None:
    people = PEOPLE | {"age": [value, *PEOPLE["age"][1:]]}
    with pytest.raises(DataError, match=word) as caught:
        pv.AdditiveNoise(level=1, categorical="exact").disguise(people, SCHEMA)
    assert "91" not in str(caught.value)


def test_the_least_uniform_noise_is_one_step_to_either_side() -> None:
    assert pv.AdditiveNoise(level=0.001, steps=1000).channel(AGE).spread == 1


def test_what_to_do_about_missing_numbers_is_said_in_full() -> None:
    fee = pv.Attribute.numeric("fee", low=0, high=1, missing="category")
    with pytest.raises(PlanError) as caught:
        pv.AdditiveNoise(level=0.5).channel(fee)
    assert caught.value.hint == (
        "fill missing values, and delete `missing` from the schema, or disguise it by substitution."
    )


@pytest.mark.parametrize("confidence", [0.28, 0.5, 0.6, 0.7, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("level", [None, 0.03, 0.25, 0.5, 0.77, 1, 2.5])
@pytest.mark.parametrize("steps", [4, 100])
def test_uniform_noise_is_the_least_that_is_wide_enough(
    confidence: float, level: float | None, steps: int
) -> None:
    """2m + 1 points, of which ⌈c·(2m + 1)⌉ make an interval of one step less."""
    wanted = Fraction(str(1 if level is None else level)) * steps
    half = 1
    while math.ceil(Fraction(str(confidence)) * (2 * half + 1)) - 1 < wanted:
        half += 1
    made = pv.AdditiveNoise(level=level, confidence=confidence, steps=steps)
    assert made.channel(AGE).spread == half


def test_gaussian_noise_of_a_level_by_hand() -> None:
    """Half of a hundred steps and one more, over twice 1.959964 and 0.674490 deviations."""
    made = pv.AdditiveNoise("gaussian", level=0.5, steps=100)
    assert float(made.channel(AGE).spread) == pytest.approx(51 / (2 * 1.959964), rel=1e-6)
    half = replace(made, confidence=0.5)
    assert float(half.channel(AGE).spread) == pytest.approx(51 / (2 * 0.674490), rel=1e-6)
    whole = pv.AdditiveNoise("gaussian", steps=100).channel(AGE)
    assert float(whole.spread) == pytest.approx(101 / (2 * 1.959964), rel=1e-6)


@pytest.mark.parametrize(
    ("low", "high", "steps"), [(10, 40, 30), (-10, 40, 50), (0, 65_535, 65_535), (4e4, 6e4, 20_000)]
)
def test_whole_numbers_are_their_own_grid(low: float, high: float, steps: int) -> None:
    attribute = pv.Attribute.numeric("a", low=low, high=high, integer=True)
    assert pv.AdditiveNoise(alpha=3).channel(attribute).steps == steps
    loose = pv.AdditiveNoise(alpha=3, integer=False, steps=17).channel(attribute)
    assert loose.steps == 17
    forced = pv.AdditiveNoise(alpha=3, integer=True)
    assert forced.channel(pv.Attribute.numeric("a", low=low, high=high)).steps == steps


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [(0, 65_536, "more than 65,536"), (0, 1.5, "range's ends"), (0.5, 2, "range's ends")],
)
def test_ranges_that_have_no_grid_of_whole_numbers(low: float, high: float, word: str) -> None:
    attribute = pv.Attribute.numeric("a", low=low, high=high)
    with pytest.raises(PlanError, match=word):
        pv.AdditiveNoise(alpha=3, integer=True).channel(attribute)


@pytest.mark.parametrize("steps", [True, 2.5, "5", -1, 65_537, None])
def test_steps_are_whole_numbers(steps: Any) -> None:
    with pytest.raises(PlanError, match="steps must be a whole number from 1 to 65536"):
        pv.AdditiveNoise(steps=steps).channel(AGE)


def test_borders_of_settings_of_noise() -> None:
    assert pv.AdditiveNoise(alpha=90, steps=1).channel(AGE).steps == 1
    assert pv.AdditiveNoise(alpha=1, steps=65_536).channel(AGE).steps == 65_536
    assert pv.AdditiveNoise().confidence == 0.95
    for confidence in ("much", 1.5, -0.5):
        with pytest.raises(PlanError, match="confidence must be a number"):
            pv.AdditiveNoise(confidence=confidence).channel(AGE)  # type: ignore[arg-type]
    for integer in (True, False, None):
        assert pv.AdditiveNoise(alpha=4, integer=integer).channel(AGE).law == "uniform"
