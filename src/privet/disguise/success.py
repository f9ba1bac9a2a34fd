"""How well an attack did: its success beside a blind guess, a control and a null."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Success"]


class Success(NamedTuple):
    """The share of guesses that were right, and what it has to be judged by.

    ``low`` to ``high`` is its exact 95 % interval; ``blind`` is the success of the best guess
    that looks at nothing; ``control`` that of the same attack where nothing is disguised, and
    ``null`` where what is seen has nothing to do with the records.
    """

    value: float
    low: float
    high: float
    blind: float
    control: float
    null: float

    @classmethod
    def counted(
        cls, hits: int, trials: int, *, blind: float, control: float, null: float
    ) -> Success:
        """Return the success of ``hits`` right guesses among ``trials``."""
        from scipy.stats import binomtest

        held = binomtest(hits, trials).proportion_ci(0.95, method="exact")
        return cls(hits / trials, float(held.low), float(held.high), blind, control, null)
