"""Recovering records from additive noise: noise is spread over all directions, signal over few.

Each function takes noisy records, n × m, and the noise's standard deviation of each attribute, and
returns estimates of the originals. Attributes are divided by their noise first, so that the noise
has unit variance in every direction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from privet.coding import Floats


__all__ = ["bayes", "pca", "spectral"]


def spectral(noisy: Floats, deviations: Floats) -> Floats:
    """Keep the directions whose variance pure noise would not reach (Kargupta and others).

    Eigenvalues of the covariance of n records of pure unit noise stay below (1 + √(m/n))².
    """
    scaled, mean = _scaled(noisy, deviations)
    values, vectors = np.linalg.eigh(_covariance(scaled))
    rows, columns = noisy.shape
    kept = vectors[:, values > (1 + np.sqrt(columns / rows)) ** 2]
    return _projected(scaled, kept) * deviations + mean


def pca(noisy: Floats, deviations: Floats) -> Floats:
    """Project on the directions of the originals, whose number is read off the largest gap.

    The originals' covariance is that of the noisy records less the noise's (Huang and others):
    the same directions. The gap is a ratio of neighbouring eigenvalues of the noisy records, so
    that one strong direction does not hide the others.
    """
    scaled, mean = _scaled(noisy, deviations)
    values, vectors = np.linalg.eigh(_covariance(scaled))
    falling = np.maximum(values[::-1], 1e-12)
    rank = int(np.argmax(falling[:-1] / falling[1:])) + 1
    return _projected(scaled, vectors[:, ::-1][:, :rank]) * deviations + mean


def bayes(noisy: Floats, deviations: Floats) -> Floats:
    """Return the mean of the originals given the noisy records, both taken for Gaussian.

    μ + Σ_X (Σ_X + D)⁻¹ (w − μ), with Σ_X estimated as in ``pca``.
    """
    scaled, mean = _scaled(noisy, deviations)
    values, vectors = np.linalg.eigh(_covariance(scaled))
    spread = np.maximum(values - 1, 0.0)
    shrunk = (vectors * (spread / (spread + 1))) @ vectors.T
    return np.asarray((scaled @ shrunk) * deviations + mean, np.float64)


def _scaled(noisy: Floats, deviations: Floats) -> tuple[Floats, Floats]:
    mean: Floats = noisy.mean(axis=0)
    return (noisy - mean) / deviations, mean


def _covariance(scaled: Floats) -> Floats:
    return np.asarray(scaled.T @ scaled / max(1, len(scaled) - 1), np.float64)


def _projected(scaled: Floats, directions: Floats) -> Floats:
    return np.asarray(scaled @ directions @ directions.T, np.float64)
