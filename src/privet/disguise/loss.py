"""Privacy loss of complementation: what leaked records disclose on average (Fong, chapter 6).

The thesis counts matches: a leaked record of T′ or T^P matches as many collected records as are
equal to it. With n = |T^U|, s samples and q copies, r leaked records match

    r / (|T′| + |T^P|) · Σ_t count_S(t)·(q − count_S(t))

on average. Two statements of the thesis are false and not repeated here: with dummies the loss is
not always below a third of r·s/n (the ratio reaches ½), and doubling the universe does not always
make a rare record rarer among the stored ones than among the collected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import InputError

if TYPE_CHECKING:
    from privet.coding import Ints
    from privet.release.universe import Universe

__all__ = ["Loss", "dummy_bound", "dummy_ratio", "fewest_copies", "loss_of", "storage_bound"]


@dataclass(frozen=True)
class Loss:
    """What ``leaked`` records of T′ and T^P disclose.

    ``lost`` is the loss in full (§6.1.1), with the chance that records are rebuilt and with what a
    record tells; ``value`` is what it comes to if none are and each tells all, as the thesis has
    it on: the expected number of matches. It lies between ``low`` and ``high`` (§6.1),
    which depend on sizes only; ``without`` is the same for a table stored as it is;
    ``among_real`` is the value if the leaked records are known to be no dummies. ``exposed`` is
    how many kinds of collected records are likelier to be met in the store than in the collected
    table.
    """

    leaked: int
    samples: int
    copies: int
    universe: int
    value: float
    low: float
    high: float
    without: float
    among_real: float
    exposed: int
    kinds: int
    stored: int
    lost: float

    def sentences(self) -> list[str]:
        """Say it in words, with a warning where the method is weak."""
        said = [
            (
                f"{self.leaked} leaked record(s) match {self.value:.4g} collected ones on average "
                f"(between {self.low:.4g} and {self.high:.4g} for tables of this size; "
                f"{self.without:.4g} if the table were stored as it is)."
            )
        ]
        if not math.isclose(self.lost, self.value):
            said.append(
                f"With the chance of rebuilding records, and what each tells, as given, the loss "
                f"is {self.lost:.4g} records."
            )
        if self.value > 0.9 * self.high:
            said.append(
                "Warning: the collected records are spread evenly, which is near the worst "
                "case; dummies at least halve it, but let T^P alone give every record back."
            )
        if self.exposed:
            said.append(
                f"Warning: {self.exposed:,} of {self.kinds:,} kinds of collected records are rare, "
                "and more likely to be met among the stored records than among the collected."
            )
        if self.among_real > self.value:
            said.append(
                f"Dummies are recognisable: if none of the leaked is one, they match "
                f"{self.among_real:.4g}."
            )
        return said


def loss_of(
    universe: Universe,
    collected: Ints,
    copies: int,
    leaked: int = 1,
    *,
    alpha: float = 0.0,
    p_d: float = 1.0,
    p_r: float | None = None,
) -> Loss:
    """Return the loss of a store that ``collected`` so many of each cell, in some copies.

    In full it is r/|T_D| · ((1 − α)·P_D·Σ M(t, t′) + α·P_R·|T_D|·|T_S|), T_D being T′ and T^P
    together (Fong, §6.1.1). ``alpha`` is the probability that whoever has the leaked records
    rebuilds the collected ones, none by default: few records rebuild nothing. ``p_d`` is the
    private information of a stored record that matches, ``p_r`` that of a pair of a stored and a
    collected record once all are rebuilt; by default 1/|T_D|, so that rebuilding gives each
    collected record away once.
    """
    if not (0 <= alpha <= 1 and p_d >= 0 and (p_r is None or p_r >= 0)):
        message = "alpha must be from 0 to 1, and P_D and P_R numbers of at least 0."
        raise InputError(message, hint="the thesis takes 0, 1 and 1/(|T′| + |T^P|).")
    collected = collected.astype(np.float64)
    samples = float(collected.sum())
    size = universe.size
    stored = copies * size - samples
    left = copies - collected
    matches = float((collected * left).sum())
    real = universe.is_real(np.arange(size))
    real_left = float(left[real].sum())
    if universe.dummy is not None:
        real_left = copies * universe.real_size - samples  # T′ holds dummies only
    shares = collected / samples if samples else collected
    exposed = (collected > 0) & (left / max(stored, 1.0) > shares)
    rebuilt = samples if p_r is None else p_r * stored * samples
    spread = samples * samples * (size - 1) / (size * stored) if stored else 0.0
    return Loss(
        leaked,
        int(samples),
        copies,
        size,
        leaked * matches / stored if stored else 0.0,
        leaked * max(0.0, samples / size - spread),
        leaked * samples / size,
        leaked * float((collected * collected).sum()) / samples if samples else 0.0,
        leaked * matches / real_left if real_left else 0.0,
        int(exposed.sum()),
        int((collected > 0).sum()),
        int(stored),
        leaked * ((1 - alpha) * p_d * matches + alpha * rebuilt) / stored if stored else 0.0,
    )


def fewest_copies(universe: Universe, collected: Ints) -> int:
    """Return the smallest q that any choice of T′ allows (Lemma 6-1): max(c, ⌈2s/n⌉)."""
    samples = int(collected.sum())
    return max(int(collected.max(initial=0)), -(-2 * samples // universe.size))


def dummy_bound(samples: int, real: int, fold: int = 2, leaked: int = 1) -> float:
    """Return the most that is lost with dummies, at q = c; the universe is ``fold`` times ``real``.

    Thesis §6.2, its note for an R-fold universe.
    """
    root = 2 * math.sqrt((fold * real - 1) * (fold - 1))
    return leaked * samples * (fold * real - root + fold - 2) / (real * fold**2 * (real - 1))


def dummy_ratio(real: int) -> float:
    """Return the bound with dummies over r·s/n: a third at n = 13, towards ½ for a large universe.

    >>> round(dummy_ratio(13), 12)
    0.333333333333
    """
    return (real - math.sqrt(2 * real - 1)) / (2 * (real - 1))


def storage_bound(universe: Universe, samples: int) -> int:
    """Return the records that T′ and T^P hold at worst: all samples alike (§6.3), (n − 1)·s.

    As distinct records with counts they take two rows per cell at most, whatever this is.
    """
    return (universe.size - 1) * samples
