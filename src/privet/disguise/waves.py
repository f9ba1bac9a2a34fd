"""Two waves: cells that suit the records, drawn from what a few of them released.

A random share of the records, whatever they hold, is disguised over many cells of equal width (or
of equal width in the logarithm). From these released records alone follows about how numbers are
distributed, and from that the cells of all other records. No record is disguised twice, so each
keeps its γ per attribute; and the cells tell nothing that the released wave does not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privet.cells import Prior
from privet.disguise.treatment import Substitution
from privet.errors import DataError, PlanError
from privet.estimate.distribution import observed_counts
from privet.estimate.em import Axis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privet.channel import Channel
    from privet.coding import Coding, Floats
    from privet.disguise.treatment import Treatment
    from privet.release import Part
    from privet.schema import Attribute, Schema

__all__ = [
    "FINE",
    "LEAST",
    "SHARE",
    "check_share",
    "drawn_cells",
    "first_wave",
    "is_open",
    "prior_of",
    "suiting",
]

SHARE = 0.05  # of the records in the first wave
FINE = 128  # cells of a number in the first wave; a band blurs more than that
LEAST = 500  # records of a first wave: fewer say too little of a distribution
_EVEN = 0.1  # of the cells are shared out evenly over the range, for what the wave has not seen
_STEPS = 200  # of EM, each smoothed: more fit the noise
_KNOTS = 256  # quantiles that are kept of a distribution


def check_share(wave: object) -> float:
    """Return the share of the first wave."""
    number = isinstance(wave, int | float) and not isinstance(wave, bool)
    if not number or not 0 < wave < 1:  # type: ignore[operator]
        message = "wave must be a number above 0 and below 1, the share of the first records; "
        message += "or 'auto', or 0 for a single wave."
        raise PlanError(message, hint=f"wave = {SHARE} is usual.")
    return float(wave)  # type: ignore[arg-type]


def first_wave(treatments: dict[str, Treatment], schema: Schema) -> dict[str, Treatment]:
    """Return the treatments of the first wave for numbers whose cells are not given."""
    drawn = suiting(treatments, schema) or {
        name: treatment
        for name, treatment in treatments.items()
        if isinstance(treatment, Substitution) and is_open(treatment, schema[name])
    }
    if not drawn:
        message = "A first wave is for numbers whose cells are not given; there are none."
        raise PlanError(message, hint="leave out the wave, or the edges.")
    for name, treatment in drawn.items():
        if _cells(treatment, schema[name]) > FINE:
            message = f"Attribute {name!r}: at most {FINE} cells can be drawn from a first wave."
            raise PlanError(message, hint="use fewer bins, or give edges.")
    return {name: replace(asked, bins=FINE, kind="band") for name, asked in drawn.items()}


def suiting(treatments: Mapping[str, Treatment], schema: Schema) -> dict[str, Substitution]:
    """Return the treatments of numbers whose cells a wave draws unasked.

    Bands whose cells are not given, and not too many. Where there are none, a share that was asked
    for draws the cells of other channels.
    """
    return {
        name: treatment
        for name, treatment in treatments.items()
        if isinstance(treatment, Substitution)
        and treatment.kind_for(schema[name]) == "band"
        and is_open(treatment, schema[name])
        and _cells(treatment, schema[name]) <= FINE
    }


def _cells(treatment: Substitution, attribute: Attribute) -> int:
    return treatment.released(attribute).coding().known


def is_open(treatment: Substitution, attribute: Attribute) -> bool:
    """Whether where a number is cut is not given, and makes a difference."""
    if attribute.is_categorical:
        return False
    if treatment.matrix is not None or treatment.edges is not None or treatment.prior:
        return False
    own = treatment.bins is None and treatment.scale is None
    if attribute.prior is not None or (own and attribute.edges is not None):
        return False
    low, high = attribute.range
    cells = _cells(treatment, attribute)
    # One cell per value needs no distribution.
    return low < high and not (attribute.integer and high - low < cells)


def drawn_cells(
    wave: Part, first: dict[str, Treatment], treatments: dict[str, Treatment], schema: Schema
) -> dict[str, Treatment]:
    """Return the treatments of all other records, with cells drawn from the released wave."""
    rows = wave.table.rows
    if rows < LEAST:
        message = f"The first wave has {rows:,} records, too few to draw cells from; "
        raise DataError(message + f"at least {LEAST:,} are needed.", hint="give edges or a prior.")
    second = dict(treatments)
    for name, treatment in first.items():
        asked = treatments[name]
        channel = wave.channel(name)
        coding = treatment.coding(schema[name])
        if not isinstance(asked, Substitution) or channel is None or coding is None:
            continue
        counts = observed_counts(wave, name, coding.size)
        prior = prior_of(coding, channel, counts, schema[name])
        cells = _cells(asked, schema[name])
        second[name] = replace(asked, bins=cells, scale=None, prior=prior.to_dict())
    return second


def prior_of(coding: Coding, channel: Channel, counts: Floats, attribute: Attribute) -> Prior:
    """Return how a number is distributed, from released counts and what the card says.

    The likeliest shares by EM, every step followed by a mean over neighbouring cells (Li et al.
    2020, "Estimating numerical distributions under local differential privacy").
    """
    matrix = Axis.of(channel, coding.size).dense
    shares = np.full(coding.size, 1.0 / coding.size)
    observed = counts / counts.sum()
    for _ in range(_STEPS):
        expected = matrix @ shares
        shares *= matrix.T @ np.divide(
            observed, expected, out=np.zeros_like(observed), where=expected > 0
        )
        known = shares[: coding.known]
        padded = np.concatenate([known[:1], known, known[-1:]])
        shares[: coding.known] = (padded[:-2] + 2 * known + padded[2:]) / 4
        shares /= shares.sum()
    known = (1 - _EVEN) * shares[: coding.known] / shares[: coding.known].sum()
    low, high = attribute.range
    borders = np.append(low, np.asarray(coding.upper, np.float64))
    heaped = np.append(0.0, np.cumsum(known)) + _EVEN * (borders - low) / (high - low)
    levels = np.arange(1, _KNOTS) / _KNOTS
    return Prior("quantiles", tuple(np.interp(levels, heaped, borders).tolist()))
