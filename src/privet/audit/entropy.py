"""Privacy by differential entropy (Agrawal & Aggarwal): how wide a uniform law hides as much.

Π(A) = 2^h(A) is the width of an interval on which a uniform law has the entropy of A. What is left
of it to someone who saw the release is Π(A|B) = 2^h(A|B); 1 − Π(A|B)/Π(A) = 1 − 2^−I(A;B) is lost.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.channel.breach import shares_of_outputs

if TYPE_CHECKING:
    from privet.channel import Noise
    from privet.coding import Floats

__all__ = ["EntropyPrivacy", "entropy_privacy", "noise_privacy"]


class EntropyPrivacy(NamedTuple):
    """Π before and after a release, in the attribute's unit, and the part that is lost."""

    before: float
    after: float

    @property
    def lost(self) -> float:
        """1 − Π(A|B)/Π(A)."""
        return 1 - self.after / self.before


def noise_privacy(noise: Noise) -> float:
    """Return Π of the noise itself: 2α for uniform noise, √(2πe)·σ for Gaussian noise.

    >>> from privet.channel import Noise
    >>> round(noise_privacy(Noise.uniform("x", low=0, high=1, alpha=0.5)), 3)
    1.0
    """
    return noise.step * math.exp2(noise.entropy())


def entropy_privacy(noise: Noise) -> EntropyPrivacy:
    """Return the privacy of an attribute whose originals are spread evenly over the grid's points.

    On the grid h(A|B) = h(A) + h(noise) − h(B), because B is A plus the noise.
    """
    prior = np.full(noise.input_size, 1 / noise.input_size)
    own = _bits(prior)
    left = own + noise.entropy() - _bits(shares_of_outputs(noise, prior))
    return EntropyPrivacy(noise.step * math.exp2(own), noise.step * math.exp2(left))


def _bits(shares: Floats) -> float:
    kept = shares[shares > 0]
    return float(-(kept * np.log2(kept)).sum())
