"""Flattered: by how much noise speaks for the best of several cuts.

Where cuts of an attribute are nearly as good, the one that noise favours most is taken, and what is
estimated of it is too good. How much too good, halves of the records would say: the cut that is
best by one half is measured without favour by the other. No record is drawn for that: gains are
sums of many, so that estimates from one half are those from all with as much noise again added
(their noise has twice the variance), from the other half with the same noise subtracted. Half of
the records choose with less certainty than all do; what this tells is rather too much than too
little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.split.tables import members

if TYPE_CHECKING:
    from privet.coding import Floats
    from privet.estimate.weighted import Inverted, Summed
    from privet.split.criterion import Criterion

__all__ = ["reach"]

DRAWS = 1_000  # of noise, each with both signs
SIDE = 1.6448536269514722  # what 5 % of normal numbers are above


def reach(table: Inverted | Summed, purity: Criterion) -> float:
    """Return how many standard errors below its estimate the best cut's contrast may truly be.

    ``table`` is the attribute's at the node. A gain goes with the square of the contrast of classes
    between the sides: it is the roots of gains that are estimated with normal noise. That of a cut
    which is taken is taken for normal too, with a mean above zero: 5 % of it lies further up than
    what is returned, which is ``SIDE`` where no other cut comes near.
    """
    lasts = np.flatnonzero(table.mean.any(1))[:-1, None]
    member = members((np.arange(len(table.mean)) > lasts).astype(np.int16), 2)
    counts = member @ table.mean
    total = counts.sum(1)
    gains = purity.impurity(total) - purity.impurity(counts).sum(1)
    slopes = purity.slope(total)[:, None] - purity.slope(counts)
    roots = np.sqrt(np.maximum(gains, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        coefficients = np.einsum("kbv,kbc->kvc", member, slopes / (2 * roots)[:, None, None])
    covariance = table.covariances(coefficients[gains > 0])
    uncertain = covariance.diagonal() > 0
    covariance = covariance[np.ix_(uncertain, uncertain)]
    if len(covariance) < 2:
        return SIDE
    noise = _normal(covariance)
    taken = (roots[gains > 0][uncertain] + noise).argmax(1)
    own = noise[np.arange(len(noise)), taken] / np.sqrt(covariance.diagonal())[taken]
    # The halves differ by twice the noise that was added; the one that chose has √2 the error.
    mean = np.sqrt(2) * own.mean()
    variance = 2 * (own**2).mean() - 1 - mean**2
    return float(mean + SIDE * np.sqrt(np.clip(variance, 0.0, 1.0)))


def _normal(covariance: Floats) -> Floats:
    """Return normal numbers with mean zero, draws × places: the same ones each time."""
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    drawn = np.random.default_rng(0).standard_normal((DRAWS, len(covariance))) @ root
    return np.concatenate([drawn, -drawn])
