"""The best of several cuts: how much of it is noise, by what halves of the records would say."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from privet.coding import Box
from privet.disguise import RandomSubstitution
from privet.estimate.flattered import SIDE, reach
from privet.estimate.measured import Z
from privet.estimate.weighted import WeightedEvidence, WeightedFrontier
from privet.schema import Attribute, Schema
from privet.split.criterion import criterion

GINI = criterion("gini")


def table(mean: Any, covariance: Any) -> Any:
    """A table whose cuts have roots of gains with this covariance, whatever their coefficients."""
    return SimpleNamespace(
        mean=np.array(mean, float), covariances=lambda _: np.array(covariance, float)
    )


MEAN = [[90, 10], [50, 50], [10, 90]]  # two cuts that gain the same


@pytest.mark.parametrize("together", [0.0, 0.5, 0.99])
def test_of_two_equal_cuts_with_normal_noise(together: float) -> None:
    """The larger of two has a mean of √((1 − ρ) / π), and each half √2 the noise of all."""
    mean = np.sqrt(2) * np.sqrt((1 - together) / np.pi)
    expected = mean + norm.ppf(0.95) * np.sqrt(1 - mean**2)
    # The draws are the same each time: 0.1 is five deviations of a mean of a thousand pairs.
    for scale in (1.0, 1e-6):
        found = reach(table(MEAN, scale * np.array([[1, together], [together, 1]])), GINI)
        assert found == pytest.approx(expected, abs=0.1)


def test_without_a_rival_nothing_flatters() -> None:
    sure = [[90, 10], [85, 15], [10, 90]]  # the second cut gains far more
    assert reach(table(sure, 1e-4 * np.eye(2)), GINI) == pytest.approx(SIDE, abs=0.1)
    assert reach(table(MEAN[:2], [[1.0]]), GINI) == SIDE
    assert reach(table(MEAN, np.zeros((2, 2))), GINI) == SIDE  # nothing is uncertain
    assert reach(table([[5, 5]] * 3, np.zeros((0, 0))), GINI) == SIDE  # nothing gains
    empty = [[90, 10], [0, 0], [10, 90]]  # cuts on either side of an empty cell are one
    assert reach(table(empty, [[1.0]]), GINI) == SIDE


def test_contrasts_of_the_best_cut_of_a_band_are_held() -> None:
    """Classes change evenly over 24 cells: a dozen cuts are as good, and noise takes its pick."""
    rows, times = 1_000, 400
    heat = (np.arange(rows) + 0.5) * 24 / rows
    play = np.where(np.random.default_rng(5).random(rows) < heat / 24, "yes", "no")
    inputs = [Attribute.numeric("heat", low=0, high=24, bins=24)]
    schema = Schema([*inputs, Attribute.categorical("play", ["no", "yes"])], target="play")
    disguise = RandomSubstitution(gamma=8, bins=24, kind="band", wave=0)
    true = np.zeros((24, 2))
    np.add.at(true, (heat.astype(int), (play == "yes").astype(int)), 1)
    after = np.arange(24) > np.arange(23)[:, None]
    share = true.sum(0) / rows
    apart = np.array([-share[1], share[0]])  # of the second class beyond its share
    held, plain = 0, 0
    for seed in range(times):
        release = disguise.disguise({"heat": heat, "play": play}, schema, seed=seed)
        coding = release.codings["heat"]
        assert coding is not None
        evidence = WeightedEvidence(release.parts, [coding], "play", schema.classes)
        found = WeightedFrontier(evidence, [Box()]).table(0, "heat")
        counts = np.stack([~after @ found.mean, after @ found.mean], axis=1)
        best = int(GINI.impurity(counts).sum(1).argmin())
        sum_of = after[best][None, :, None] - after[best] @ true.sum(1) / rows
        coefficients = sum_of * apart
        off = (coefficients * (found.mean - true)).sum()
        off /= np.sqrt(found.variances(coefficients)[0])
        held += abs(off) <= max(reach(found, GINI), Z)
        plain += abs(off) <= Z
    # It is 96 and 83 of a hundred; five deviations of such shares of 400 are 5 and 9 points.
    assert held / times > 0.9
    assert plain / times < 0.92
    assert held > plain + 20
