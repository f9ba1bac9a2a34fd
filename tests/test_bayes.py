"""Naive Bayes: whole `check_estimator`, shares by hand, releases of every kind, honest errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

import privet as pv
from privet.coding import Coding
from privet.estimate.bayes import Terms, counted_term, equal_ranges, terms_of
from privet.schema import Attribute, Schema


@parametrize_with_checks([pv.NaiveBayesClassifier()])
def test_scikit_learn_compatible(estimator: Any, check: Any) -> None:
    check(estimator)


def weather(smoothing: float) -> pv.NaiveBayesClassifier:
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    return pv.NaiveBayesClassifier(smoothing).fit(release)


def test_the_weather_by_hand() -> None:
    """Sunny, High, Strong: Yes 9/14 · 2/9 · 3/9 · 3/9, No 5/14 · 3/5 · 4/5 · 3/5 (14 days)."""
    model = weather(1e-9)
    day = {"Outlook": ["Sunny"], "Humidity": ["High"], "Wind": ["Strong"]}
    table = pv.datasets.load("weather").to_pylist()
    products = []
    for answer in ("Yes", "No"):
        days = [one for one in table if one["Play"] == answer]
        product = len(days) / 14
        for name, (value,) in day.items():
            product *= sum(one[name] == value for one in days) / len(days)
        products.append(product)
    shares = model.predict_proba(day)[0]
    by_name = dict(zip(model.classes_.tolist(), shares.tolist(), strict=True))
    assert by_name["Yes"] == pytest.approx(products[0] / sum(products), rel=1e-6)
    assert model.predict(day) == ["No"]


def test_smoothing_by_hand() -> None:
    """Of 4 and 1 records: one record more, spread like all five (whose shares are 4/7 and 3/7)."""
    term = counted_term(Coding.categories("x", ["a", "b"]), np.array([[3.0, 1], [0, 1]]), 1.0)
    assert term.shares[0] == pytest.approx([(3 + 4 / 7) / 5, (1 + 3 / 7) / 5])
    assert term.shares[1] == pytest.approx([4 / 7 / 2, (1 + 3 / 7) / 2])
    assert term.errors[0, 0] == pytest.approx((0.75 * 0.25 / 4) ** 0.5)


@given(st.lists(st.floats(0, 9), min_size=1, max_size=40), st.booleans(), st.integers(1, 12))
def test_ranges_are_neighbours(margin: list[float], missing: bool, most: int) -> None:
    found = equal_ranges(np.array([*margin, 1.0]), missing=missing, most=most)
    assert found[0] == 0
    assert set(np.diff(found)) <= {0, 1}
    assert found.max() < most + missing
    if missing:
        assert (found[:-1] < found[-1]).all()


SCHEMA = Schema(
    [
        Attribute.categorical("sky", ["sun", "rain", "snow"]),
        Attribute.numeric("heat", low=0, high=40),
        Attribute.categorical("wind", ["no", "yes"]),
        Attribute.categorical("play", ["no", "yes"]),
    ],
    target="play",
)


def days(rows: int, seed: int = 1) -> dict[str, Any]:
    """Attributes that are independent inside a class, so that naive Bayes is right."""
    rng = np.random.default_rng(seed)
    play = rng.random(rows) < 0.6
    sky = np.where(
        play, rng.choice(3, rows, p=[0.6, 0.3, 0.1]), rng.choice(3, rows, p=[0.2, 0.4, 0.4])
    )
    return {
        "sky": np.array(["sun", "rain", "snow"])[sky],
        "heat": np.clip(rng.normal(np.where(play, 25, 15), 6), 0, 40),
        "wind": np.array(["no", "yes"])[(rng.random(rows) < np.where(play, 0.3, 0.7)).astype(int)],
        "play": np.array(["no", "yes"])[play.astype(int)],
    }


DISGUISES = {
    "substitution": pv.RandomSubstitution(gamma=4),
    "class too": pv.RandomSubstitution(gamma=6, target=6),
    "band": pv.Plan(
        {"heat": pv.Substitution(4, kind="band"), "play": pv.Exact()}, default=pv.Substitution(4)
    ),
    "noise": pv.AdditiveNoise(level=0.5, categorical=8),
    "joint group": pv.RandomizedResponse([["sky", "wind"], ["heat"]], gamma=8, bins=6),
    "flip groups": pv.RandomizedResponse([["wind"], ["sky", "heat"]], theta=0.8),
    "k-anonymity": pv.KAnonymity(k=3),
    "plain": pv.Plan({}, default=pv.Exact()),
}


@pytest.mark.filterwarnings("ignore::privet.errors.PrivetWarning")
@pytest.mark.parametrize("name", DISGUISES)
def test_a_release_of_any_kind(name: str) -> None:
    best = pv.NaiveBayesClassifier().fit(DISGUISES["plain"].disguise(days(20_000), SCHEMA))
    model = pv.NaiveBayesClassifier().fit(DISGUISES[name].disguise(days(20_000), SCHEMA, seed=1))
    test = days(5_000, seed=2)
    assert best.score(test) > 0.84
    assert model.score(test) > best.score(test) - (0.08 if name == "flip groups" else 0.03)
    for term in model.terms_.terms:
        assert term.shares.sum(axis=1) == pytest.approx(1)
        assert term.shares.min() > 0


def test_complements_tell_plain_counts() -> None:
    schema = Schema([SCHEMA["sky"], SCHEMA["wind"], SCHEMA["play"]], target="play")
    held = {name: days(500)[name] for name in schema.names}
    exact = terms_of(pv.Plan({}, default=pv.Exact()).disguise(held, schema))
    kept = terms_of(pv.Complement().disguise(held, schema))
    for one, other in zip(exact.terms, kept.terms, strict=True):
        assert one.shares == pytest.approx(other.shares)


def test_errors_are_honest() -> None:
    """P(sun | play) over 80 disguises and samples: spread as wide as the errors say."""
    distances = []
    for seed in range(80):
        release = pv.RandomSubstitution(gamma=5).disguise(days(2_000, seed), SCHEMA, seed=seed)
        term = terms_of(release).terms[0]
        distances.append((term.shares[1, 0] - 0.6) / term.errors[1, 0])
    # Of 80 normal numbers the deviation stays within 0.62 and 1.45 but once in a million runs.
    assert 0.62 < np.std(distances) < 1.45
    assert abs(np.mean(distances)) < 4.9 / 80**0.5 + 0.1  # smoothing draws a little


def test_noise_makes_terms_worth_fewer_records() -> None:
    """The same table, disguised more: terms are less sure, and smoothing draws them farther."""
    few = days(300)
    errors, moved = [], []
    for gamma in (1000, 3, 1.5):
        release = pv.RandomSubstitution(gamma=gamma).disguise(few, SCHEMA, seed=3)
        raw, drawn = (terms_of(release, smoothing).terms[2] for smoothing in (1e-6, 5.0))
        errors.append(float(raw.errors.mean()))
        common = raw.shares.mean(axis=0)
        moved.append(np.abs(drawn.shares - raw.shares).sum() / np.abs(raw.shares - common).sum())
    assert errors[0] < errors[1] < errors[2]
    assert moved[0] < 0.1  # five records beside more than a hundred
    assert moved[2] > 2 * moved[1] > 2 * moved[0]


def test_terms_travel(tmp_path: Path) -> None:
    model = weather(1.0)
    path = tmp_path / "model.json"
    path.write_text(model.terms_.to_json())
    again = pv.NaiveBayesClassifier.from_terms(Terms.read(path))
    table = pv.datasets.load("weather")
    assert (again.predict_proba(table) == model.predict_proba(table)).all()
    assert "Outlook:" in str(again.terms_)
    path.write_text(model.terms_.to_json().replace("0.", "1.", 1))
    with pytest.raises(pv.TreeError, match="altered"):
        Terms.read(path)


def test_plain_records_of_mixed_kinds() -> None:
    held = days(3_000)
    X = {name: held[name] for name in ("sky", "heat", "wind")}
    model = pv.NaiveBayesClassifier().fit(X, held["play"])
    assert model.score(X, held["play"]) > 0.84
    odd = {"sky": ["hail"], "heat": [10.0], "wind": ["yes"]}
    assert model.predict_proba(odd).sum() == pytest.approx(1)


def test_what_cannot_be() -> None:
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
    model = pv.NaiveBayesClassifier().fit(release)
    with pytest.raises(pv.InputError, match="disguised"):
        model.predict(release)
    with pytest.raises(pv.InputError, match="its own classes"):
        pv.NaiveBayesClassifier().fit(release, [1])
    with pytest.raises(pv.InputError, match="smoothing"):
        pv.NaiveBayesClassifier(0).fit(release)
    with pytest.raises(pv.InputError, match="no terms"):
        pv.NaiveBayesClassifier.from_terms([])
    with pytest.raises(pv.ReleaseError, match="two parties"):
        pv.NaiveBayesClassifier.from_terms([model.terms_, model.terms_])
