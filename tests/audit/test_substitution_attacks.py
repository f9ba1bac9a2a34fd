"""Recovery that breaks additive noise, on substitution (DXZ §2.3), and the detector of errors."""

import numpy as np

import privet as pv
from privet.audit import Audit

FACTORS, COLUMNS, ROWS = 3, 20, 3000
NAMES = [f"x{place}" for place in range(COLUMNS)]


def records() -> tuple[dict[str, np.ndarray], pv.Schema]:
    """Twenty attributes of rank three."""
    rng = np.random.default_rng(1)
    held = rng.normal(size=(ROWS, FACTORS)) @ rng.normal(size=(FACTORS, COLUMNS))
    held = np.clip(held / held.std(axis=0), -3, 3)
    columns = {name: held[:, place] for place, name in enumerate(NAMES)}
    columns["kind"] = np.where(held[:, 0] > 0, "up", "down")
    attributes = [pv.Attribute.numeric(name, low=-3, high=3) for name in NAMES]
    kinds = pv.Attribute.categorical("kind", ["up", "down"])
    return columns, pv.Schema([*attributes, kinds], target="kind")


def left(found: Audit, attack: str) -> tuple[float, float]:
    """Return the mean share of the noise that an attack leaves, and what it wins over blind."""
    outcomes = [one for one in found.attacks if one.attack == attack]
    assert len(outcomes) == COLUMNS
    assert {one.control for one in outcomes} == {1.0}
    shares = [float(one.detail.split()[1]) for one in outcomes]
    return float(np.mean(shares)), float(np.mean([one.value - one.blind for one in outcomes]))


def test_recovery_succeeds_on_noise_and_fails_on_substitution() -> None:
    columns, schema = records()
    gamma, bins = 8, 20
    names = ["substitution-spectral", "substitution-pca"]
    plain = pv.RandomSubstitution(gamma=gamma, bins=bins, kind="gamma-diagonal")
    substituted = plain.disguise(columns, schema, seed=1)
    found = pv.audit(substituted, columns, attacks=names, trees=False, seed=1)
    # Noise of the same standard deviation as the substitution taken for noise.
    law = np.where(np.eye(bins) > 0, gamma, 1) / (gamma + bins - 1)
    shares = np.histogram(columns["x1"], np.linspace(-3, 3, bins + 1))[0] / ROWS
    squares = np.subtract.outer(np.arange(bins), np.arange(bins)) ** 2
    sigma = float(np.sqrt((law * squares).sum(axis=0) @ shares)) * 6 / bins
    noisy = pv.AdditiveNoise("gaussian", sigma=sigma).disguise(columns, schema, seed=1)
    beside = pv.audit(noisy, columns, attacks=["noise-spectral", "noise-pca"], trees=False, seed=1)
    for kind in ("spectral", "pca"):
        of_noise, won_noise = left(beside, f"noise-{kind}")
        of_substitution, won = left(found, f"substitution-{kind}")
        assert of_noise < 0.45  # √(3/20) = 0.39 of the noise lies in the signal's directions
        assert won_noise > 0.1
        assert of_substitution > 0.5
        assert won < 0.04


def test_the_audit_tells_of_counts_that_prove_themselves_wrong() -> None:
    columns, schema = records()
    few = {name: column[:300] for name, column in columns.items()}
    release = pv.RandomSubstitution(gamma=3, bins=20, kind="gamma-diagonal", wave=0).disguise(
        few, schema, seed=1
    )
    found = pv.audit(release, attacks=["guess"], trees=False)  # a miner sees it, too
    assert [one.about for one in found.detected] == NAMES
    for one in found.detected:
        seen = pv.Distribution.of(release, one.about)
        assert one.norm == seen.norm / 300
        assert one.norm - 1 == seen.detected
    assert "‖X̂‖₁ > n" in found.to_text()
    assert "‖X̂‖₁ &gt; n" in found.to_html()
    mild = pv.RandomSubstitution(gamma=10**6, bins=4, kind="gamma-diagonal", wave=0).disguise(
        columns, schema, seed=1
    )
    assert "‖X̂‖₁" not in pv.audit(mild, attacks=["guess"], trees=False).to_text()
