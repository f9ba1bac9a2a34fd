"""The collector's equations of the paper: from counts of barred events to counts of true ones.

n parties with one θ see an event E_1 … E_n through an (n+1)-state system by the number of parties
whose event is barred, that is flipped (ZCM §4.2). Mining uses the records' weights, which
give the same numbers and also work for different θ; this is the paper's own way.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privet.channel.flip import Flip, check_theta
from privet.errors import MethodError

if TYPE_CHECKING:
    from privet.channel.flip import Theta
    from privet.coding import Box, Floats
    from privet.release import Release

__all__ = ["bar_counts", "bar_matrix", "closed_form", "flip_patterns", "solved"]


def bar_matrix(parties: int, theta: Theta) -> Floats:
    """Return M_n (ZCM eq. 4): column j is the law of the bars observed of j true ones.

    Of j barred parties some i tell the opposite and so are seen unbarred, of the others k.

    >>> bar_matrix(2, 0.75)[1].tolist()
    [0.375, 0.625, 0.375]
    """
    truth = float(check_theta(theta, "bar_matrix"))
    matrix = np.zeros((parties + 1, parties + 1))
    for j in range(parties + 1):
        for i in range(j + 1):
            for k in range(parties - j + 1):
                lies = i + k
                share = math.comb(j, i) * math.comb(parties - j, k)
                matrix[j - i + k, j] += share * (1 - truth) ** lies * truth ** (parties - lies)
    return matrix


def solved(observed: Floats, theta: Theta) -> Floats:
    """Return the true counts by number of bars, by solving the system; the first is P(E_1…E_n)."""
    counts = np.asarray(observed, np.float64)
    return np.asarray(np.linalg.solve(bar_matrix(len(counts) - 1, theta), counts), np.float64)


def closed_form(observed: Floats, theta: Theta) -> float:
    """Return P(E_1…E_n) = Σ_k P*(k barred) θ^(n−k) (θ−1)^k / (2θ−1)^n.

    >>> closed_form(np.array([60.0, 30.0, 10.0]), 1)
    60.0
    """
    truth = float(check_theta(theta, "closed_form"))
    counts = np.asarray(observed, np.float64)
    n = len(counts) - 1
    terms = [counts[k] * truth ** (n - k) * (truth - 1) ** k for k in range(n + 1)]
    return float(sum(terms) / (2 * truth - 1) ** n)


def flip_patterns(release: Release, box: Box) -> Floats:
    """Count the released records of a box by which tested groups are barred, 2ⁿ of them.

    Pattern p has bit i set where the i-th tested flip group is barred. Conditions on what went
    through no channel must hold. One pass: patterns are counted, the records never copied.
    """
    (part,) = release.parts
    groups = [channel for channel in part.channels if set(channel.attributes) & set(box.masks)]
    if not all(isinstance(channel, Flip) for channel in groups):
        message = "Bars are counted for flip groups only: another channel is in the way."
        raise MethodError(message, hint="mine by method='direct', which weighs records.")
    grouped = {name for channel in groups for name in channel.attributes}
    counts = np.zeros(1 << len(groups))
    for batch in part.table.batches():
        inside = np.ones(len(batch), np.bool_)
        for name in set(box.masks) - grouped:
            inside &= box.masks[name][batch.columns[name]]
        pattern = np.zeros(len(batch), np.int64)
        for bit, channel in enumerate(groups):
            here, barred = np.ones(len(batch), np.bool_), np.ones(len(batch), np.bool_)
            for name in set(channel.attributes) & set(box.masks):
                mask = box.masks[name]
                here &= mask[batch.columns[name]]
                barred &= mask[1 - batch.columns[name]]
            inside &= here | barred
            pattern |= barred.astype(np.int64) << bit
        counts += np.bincount(pattern[inside], minlength=len(counts))
    return counts


def bar_counts(release: Release, box: Box) -> Floats:
    """Count the released records of a box by the number of barred groups: the paper's P*(k Bar)."""
    patterns = flip_patterns(release, box)
    bars = np.array([int(pattern).bit_count() for pattern in range(len(patterns))])
    return np.bincount(bars, weights=patterns).astype(np.float64)
