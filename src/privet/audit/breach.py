"""Breaches of additive noise, record by record: what each released number discloses (AS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.audit.fidelity import estimated_shares
from privet.channel import Noise
from privet.channel.breach import CONFIDENCE, PART, supports
from privet.errors import InputError

if TYPE_CHECKING:
    from privet.coding import Floats, Mask
    from privet.release import Release

__all__ = ["Breaches", "breaches"]

PARTS, BOUND = 10, 0.6  # parts of a range, and the mass in one of them that is a breach


@dataclass(frozen=True, eq=False)
class Breaches:
    """What each record's noisy value tells, in the order of the release's rows.

    ``low`` and ``high`` are the only originals possible; ``edge`` marks records where they are
    nearer than half the promised width. ``mass`` is the posterior chance of the likeliest of the
    ``parts`` equal parts of the range, and ``posterior`` marks where it is at least the bound.
    """

    low: Floats
    high: Floats
    mass: Floats
    edge: Mask
    posterior: Mask

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of records with an edge breach and with a posterior breach."""
        return float(self.edge.mean()), float(self.posterior.mean())


def breaches(release: Release, name: str, *, bound: float = BOUND, parts: int = PARTS) -> Breaches:
    """Find the breaches of a noisy attribute, from the release and its card alone.

    How originals are spread is reconstructed from the release.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=500, seed=1), pv.datasets.schema("as-f1")
    >>> release = pv.AdditiveNoise(alpha=50).disguise(table, schema)
    >>> told = breaches(release, "age")
    >>> len(told.edge), bool((told.high >= told.low).all())
    (500, True)
    """
    noise = release.parts[0].channel(name)
    if len(release.parts) != 1 or not isinstance(noise, Noise):
        raise InputError(f"The release has no attribute {name!r} with noise in its one part.")
    if not 0 < bound <= 1 or isinstance(parts, bool) or not isinstance(parts, int) or parts < 1:
        raise InputError("bound must be above 0 and at most 1, parts a whole number of at least 1.")
    column = np.concatenate([batch.columns[name] for batch in release.parts[0].table.batches()])
    outputs = noise.observed(column).astype(np.int64)
    first, last = supports(noise)
    mass = _masses(noise, estimated_shares(release.parts[0], noise), parts)[outputs]
    narrow = (last - first) * noise.step < PART * noise.width(CONFIDENCE)
    low, high = (noise.released(side[outputs] + noise.reach) for side in (first, last))
    return Breaches(low, high, mass, narrow[outputs], mass >= bound)


def _masses(noise: Noise, shares: Floats, parts: int) -> Floats:
    """Return for each output the posterior chance of the likeliest part of the range."""
    place = np.minimum(np.arange(noise.input_size) * parts // noise.input_size, parts - 1)
    law = np.fft.rfft(noise.weights_of_steps / noise.scale, noise.output_size)
    masses = np.empty((parts, noise.output_size))
    for part in range(parts):
        own = np.fft.rfft(np.where(place == part, shares, 0.0), noise.output_size)
        masses[part] = np.maximum(np.fft.irfft(own * law, noise.output_size), 0.0)
    total = masses.sum(axis=0)
    return np.asarray(masses.max(axis=0) / np.maximum(total, 1e-12), np.float64)
