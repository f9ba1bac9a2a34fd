"""Attacks on additive noise, and privacy by entropy."""

import math
import warnings

import numpy as np
import pytest

import privet as pv
from privet.audit import compare
from privet.audit.attacks.recovery import bayes, pca, spectral
from privet.audit.breach import breaches
from privet.audit.entropy import entropy_privacy, noise_privacy
from privet.channel import Noise
from privet.disguise.base import Disguise
from privet.errors import InputError
from tests.twins import Floats

SCHEMA = pv.Schema(
    [
        pv.Attribute.numeric("age", low=0, high=90, integer=True),
        pv.Attribute.numeric("pay", low=0, high=1),
        pv.Attribute.categorical("y", ["no", "yes"]),
    ],
    target="y",
)


def people(rows: int, seed: int) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 91, rows).astype(float)
    pay = np.clip(age / 90 + rng.normal(0, 0.05, rows), 0, 1)
    return {"age": age, "pay": pay, "y": np.where(age > 45, "yes", "no").tolist()}


def outcomes(disguise: pv.AdditiveNoise, rows: int = 4_000) -> dict[tuple[str, str], object]:
    table = people(rows, 1)
    found = pv.audit(disguise.disguise(table, SCHEMA, seed=2), table, trees=False, seed=3)
    return {(one.attack, one.about): one for one in found.attacks}


def low_rank(rng: np.random.Generator, noise: str) -> tuple[Floats, Floats, Floats]:
    """Rank 3 of 30 attributes, with noise as large as the signal."""
    truth = rng.normal(size=(4_000, 3)) @ rng.normal(size=(3, 30))
    scale = truth.std(axis=0)
    drawn = rng.normal(size=truth.shape)
    if noise == "uniform":
        drawn = rng.uniform(-(3**0.5), 3**0.5, truth.shape)
    return truth, truth + drawn * scale, scale


@pytest.mark.parametrize("noise", ["uniform", "gaussian"])
@pytest.mark.parametrize("recover", [spectral, pca, bayes])
def test_recovery_cuts_the_error_to_a_third(recover: object, noise: str) -> None:
    truth, noisy, scale = low_rank(np.random.default_rng(1), noise)
    left = np.sqrt(np.mean(((recover(noisy, scale) - truth) / scale) ** 2))  # type: ignore[operator]
    assert 0.28 < left < 0.35  # √(3/30) = 0.316 of the noise lies in the signal's directions


def test_one_attribute_by_itself_cannot() -> None:
    """Univariate Bayes, at its best for Gaussians, leaves √½ of noise as large as the signal."""
    truth, noisy, scale = low_rank(np.random.default_rng(2), "gaussian")
    alone = np.concatenate(
        [bayes(noisy[:, [place]], scale[[place]]) for place in range(noisy.shape[1])], axis=1
    )
    left = np.sqrt(np.mean(((alone - truth) / scale) ** 2))
    assert left == pytest.approx(0.5**0.5, abs=0.02)


def test_without_structure_nothing_is_recovered() -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=(4_000, 10))
    noisy = truth + rng.normal(size=truth.shape)
    left = np.sqrt(np.mean((bayes(noisy, np.ones(10)) - truth) ** 2))
    assert left == pytest.approx(0.5**0.5, abs=0.03)


def test_the_audit_runs_every_attack_on_noise() -> None:
    found = outcomes(pv.AdditiveNoise(level=0.5))
    for name in (
        "noise-guess",
        "noise-spectral",
        "noise-pca",
        "noise-recovery",
        "breach-edge",
        "breach-posterior",
    ):
        for about in ("age", "pay"):
            one = found[name, about]
            assert one.control == 1.0  # type: ignore[attr-defined]
            assert one.null < one.value + 0.05  # type: ignore[attr-defined]
            assert one.low <= one.value <= one.high  # type: ignore[attr-defined]
    # What goes together is recovered together: better than from one number alone.
    alone, both = found["noise-guess", "pay"], found["noise-recovery", "pay"]
    assert both.detail.startswith("leaves")  # type: ignore[attr-defined]
    assert alone.value > alone.blind  # type: ignore[attr-defined]


def test_edge_breaches_are_named_for_what_they_are() -> None:
    """Ages + U[−50, 50]: the share of records with a support under half the promise, exactly."""
    found = outcomes(pv.AdditiveNoise(alpha=50), rows=20_000)
    one = found["breach-edge", "age"]
    noise = Noise.uniform("age", low=0, high=90, alpha=50, steps=90)
    ages = np.arange(91)
    expected = 0.0
    for step in range(-50, 51):
        noisy = ages + step
        width = np.minimum(90, noisy + 50) - np.maximum(0, noisy - 50)
        expected += (width < 0.5 * noise.width(0.95)).mean() / 101
    assert abs(one.value - expected) < 5 * np.sqrt(expected / 20_000)  # type: ignore[attr-defined]
    assert "narrowest" in one.detail  # type: ignore[attr-defined]


def test_breaches_are_named_record_by_record() -> None:
    """Every original lies where its record's breach says, and 125 says 75 at least."""
    table = people(3_000, 6)
    release = pv.AdditiveNoise(alpha=50).disguise(table, SCHEMA, seed=1, shuffle=False)
    found = breaches(release, "age")
    ages = np.asarray(table["age"])
    assert ((found.low <= ages) & (ages <= found.high)).all()
    noisy = release.to_frame()["age"].to_numpy()
    assert (found.low[noisy >= 125] >= 75).all()
    assert found.edge[noisy >= 125].all()
    assert found.edge.any()
    assert not found.edge.all()
    assert found.shares[0] == found.edge.mean()
    assert ((found.mass >= 0.1 - 1e-9) & (found.mass <= 1 + 1e-9)).all()
    assert (found.posterior == (found.mass >= 0.6)).all()
    with pytest.raises(InputError, match="no attribute 'y'"):
        breaches(release, "y")
    with pytest.raises(InputError, match="bound"):
        breaches(release, "age", bound=0)


def test_noise_has_no_epsilon_in_the_report() -> None:
    table = people(1_000, 4)
    release = pv.AdditiveNoise(level=1).disguise(table, SCHEMA)
    found = pv.audit(release, trees=False, seed=1)
    said = "'age' and 'pay' have noise added: ε has no bound."
    assert found.exceeds(max_epsilon=1e9) == [said]
    assert found.measures[0].epsilon is None
    assert found.measures[0].intervals is not None
    assert found.measures[0].intervals[1] >= 1
    assert "no finite ε" in found.verdict[0]
    assert found.grades["promise"] == "partial"


def test_a_miner_can_audit_noise() -> None:
    release = pv.AdditiveNoise("gaussian", level=0.5).disguise(people(3_000, 5), SCHEMA)
    found = pv.audit(release, attacks=["noise-guess", "breach-posterior"], trees=False, seed=1)
    assert {one.about for one in found.attacks} == {"age", "pay"}


def test_entropy_of_noise_is_that_of_the_papers() -> None:
    """Uniform: Π = 2α. Gaussian: Π = √(2πe)·σ."""
    uniform = Noise.uniform("x", low=0, high=1, alpha=0.3)
    assert noise_privacy(uniform) == pytest.approx(0.6, abs=1e-3)
    gaussian = Noise.gaussian("x", low=0, high=1, sigma=0.1)
    assert noise_privacy(gaussian) == pytest.approx(0.1 * np.sqrt(2 * np.pi * np.e), abs=1e-3)


def test_conditional_entropy_of_a_uniform_original() -> None:
    """A uniform on [0, 1] with U[−½, ½] added: h(A|B) = −½ nat, so Π(A|B) = e^−½ (A. & A. 2001)."""
    found = entropy_privacy(Noise.uniform("x", low=0, high=1, alpha=0.5))
    assert found.before == pytest.approx(1, abs=1e-3)
    assert found.after == pytest.approx(np.exp(-0.5), abs=1e-3)
    assert found.lost == pytest.approx(1 - np.exp(-0.5), abs=1e-3)
    tiny = entropy_privacy(Noise.uniform("x", low=0, high=1, alpha=1e-3))
    assert tiny.after < 0.005


def test_compared_plans_with_noise_have_no_epsilon() -> None:
    table = people(1_500, 7)
    plans = {"noise": pv.AdditiveNoise(level=0.5), "γ": pv.RandomSubstitution(gamma=8)}
    found = compare(plans, table, SCHEMA, attacks=["breach-edge", "guess"], seed=1)
    assert [one.epsilon is None for one in found.points] == [
        one.plan == "noise" for one in found.points
    ]
    assert "none" in str(found)
    assert "null" in found.to_json()


def test_what_has_no_bound_is_compared_without_epsilon() -> None:
    """k-anonymity, groups flipped together and plain attributes: the claim is infinite."""
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    names = [one.name for one in schema.inputs]
    plans: dict[str, Disguise] = {
        "k": pv.KAnonymity(2),
        "flip": pv.RandomizedResponse([names], theta=0.8),
        "plain": pv.Plan({}, default=pv.Exact()),
        "γ": pv.RandomSubstitution(gamma=3),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an attribute that keeps one value
        found = compare(plans, table, schema, attacks=["read"], seed=1)
    assert {one.plan: one.epsilon for one in found.points} == {
        "k": None,
        "flip": None,
        "plain": None,
        "γ": pytest.approx(3 * math.log(3), rel=1e-6),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an attribute that keeps one value
        agreed = compare({"k": plans["k"]}, table, schema, agreed=names, attacks=["read"], seed=1)
    assert agreed.points[0].epsilon is None
