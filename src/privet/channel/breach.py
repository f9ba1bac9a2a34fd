"""Where noise hides less than it seems to: what a released number tells of its original.

AS names two breaches. A noisy value that only a narrow range can give: age + U[−50, 50] = 125 says
that the age is 75 at least. And a noisy value most of whose originals lie in one interval. Both are
asked here of every output of a channel: with nothing but the schema, when a release is planned,
originals are taken to be spread evenly; an auditor knows, or estimates, how they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from privet.channel.noise import Noise
    from privet.coding import Floats, Ints

__all__ = ["Interval", "interval_of", "posterior_widths", "shares_of_outputs", "supports"]

CONFIDENCES = (0.5, 0.95, 0.999)  # at which a claim says how wide an interval is
CONFIDENCE = 0.95  # at which a breach is judged
PART = 0.5  # of the promised width: a narrower interval is a breach


class Interval(NamedTuple):
    """What noise promises of an attribute, from the noise and the range alone.

    ``widths`` of the interval that holds the true value, at each of ``CONFIDENCES``. ``narrow``
    is the share of records, for evenly distributed originals, whose released number leaves an
    interval of less than half that width at 95 %; ``narrowest`` the worst of them, as a width.
    """

    law: str
    widths: tuple[float, ...]
    narrow: float
    narrowest: float

    def to_dict(self) -> dict[str, object]:
        """Return what the card says."""
        pairs = zip(CONFIDENCES, self.widths, strict=True)
        return {
            "noise": self.law,
            "width": {f"{100 * confidence:g} %": width for confidence, width in pairs},
            "narrow_share": self.narrow,
            "narrowest": self.narrowest,
        }

    def sentence(self, names: str) -> str:
        """Say it in words."""
        half, most = self.widths[:2]
        law = {"gaussian": "Gaussian"}.get(self.law, self.law)
        said = (
            f"{names} is released with {law} noise, which has no finite ε. For someone who knows "
            f"nothing else the true value lies in an interval of width {half:.4g} at 50 % and "
            f"{most:.4g} at 95 % confidence."
        )
        if self.narrow > 0:
            said += (
                f" Warning: near the ends of the range it is narrower. For evenly distributed "
                f"values it is less than half that width for {100 * self.narrow:.2g} % of records, "
                f"and {self.narrowest:.2g} at worst; someone who knows the distribution of the "
                f"values may know it better still."
            )
        return said


def interval_of(noise: Noise) -> Interval:
    """Return what a noise promises, and where it keeps least of it."""
    widths = tuple(noise.width(confidence) for confidence in CONFIDENCES)
    left = posterior_widths(noise, CONFIDENCE)
    breached = left < PART * widths[CONFIDENCES.index(CONFIDENCE)]
    even = np.full(noise.input_size, 1 / noise.input_size)
    narrow = float(shares_of_outputs(noise, even)[breached].sum())
    return Interval(noise.law, widths, narrow, float(left.min()))


def supports(noise: Noise) -> tuple[Ints, Ints]:
    """Return the first and the last grid point that each output is possible from.

    >>> from privet.channel import Noise
    >>> age = Noise.uniform("age", low=20, high=90, alpha=50, steps=70)
    >>> first, last = supports(age)
    >>> output = int(age.observed(np.array([125.0]))[0])
    >>> 20 + int(first[output]), 20 + int(last[output])
    (75, 90)
    """
    outputs = np.arange(noise.output_size)
    return np.maximum(0, outputs - 2 * noise.reach), np.minimum(noise.steps, outputs)


def shares_of_outputs(noise: Noise, shares: Floats) -> Floats:
    """Return how likely each output is for originals with these shares of the grid's points."""
    length = noise.output_size
    law = np.fft.rfft(noise.weights_of_steps / noise.scale, length)
    outputs = np.fft.irfft(np.fft.rfft(shares, length) * law, length)
    return np.maximum(outputs, 0.0)


def posterior_widths(noise: Noise, confidence: float) -> Floats:
    """Return for each output the narrowest interval that holds the original, spread evenly before.

    Given an output, originals are as likely as the noise between them and it: a piece of the law,
    which falls to both sides. The interval lies round the law's middle, or at an end of the piece.
    """
    weights = noise.weights_of_steps
    middle = noise.reach
    heaped = np.concatenate([[0], np.cumsum(weights)])
    first, last = supports(noise)
    begin = np.arange(noise.output_size) - last  # of the piece, as steps of the noise
    end = np.arange(noise.output_size) - first
    wanted = np.ceil(confidence * (heaped[end + 1] - heaped[begin])).astype(np.int64)
    round_middle = heaped[middle + 1 :] - heaped[middle::-1]
    half = np.searchsorted(round_middle, wanted, "left")
    from_begin = np.searchsorted(heaped, heaped[begin] + wanted, "left") - begin
    to_end = end + 1 - (np.searchsorted(heaped, heaped[end + 1] - wanted, "right") - 1)
    # An even number of points may do: the middle, half − 1 to one side and half to the other.
    known = np.minimum(half, middle)
    fewer = round_middle[np.maximum(known - 1, 0)] + weights[middle + known] >= wanted
    centred = 2 * half + 1 - (fewer & (half > 0))
    points = np.where(
        middle - half < begin, from_begin, np.where(middle + half > end, to_end, centred)
    )
    return np.asarray((points - 1) * noise.step, np.float64)
