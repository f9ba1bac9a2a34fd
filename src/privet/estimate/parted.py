"""A joint table fitted in two parts: where the records lie, then which classes they have there.

EM of all classes at once fits chance as soon as it fits sharp borders of classes. How densely
records lie seldom has borders: it starts from the attributes as if nothing tied them, and takes few
steps. Given that, the classes are fitted alone. Each part goes as far as what is fitted to half of
the records foretells the other half.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.estimate.em import hurried, hurried_steps, log_likelihood, rows_of, turned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats
    from privet.estimate.em import Axis

__all__ = ["Start", "Steps", "fit_parted", "halved", "steps_by_halves"]

MOST = 400  # plain steps, as for tables that are fitted in one go
WAIT = 2  # hurried steps that do not foretell better, after which none is expected to


class Start(NamedTuple):
    """What a table starts from: its attributes' distributions, as if independent, and classes'."""

    margins: Sequence[Floats]
    classes: Floats

    def rows(self, records: float) -> Floats:
        """Return how many records lie where, if attributes have nothing to do with each other."""
        rows = np.full((), records)
        for margin in self.margins:
            rows = rows[..., None] * (margin / margin.sum())
        return rows

    def table(self, rows: Floats) -> Floats:
        """Return a table whose classes have the same shares everywhere."""
        table: Floats = rows[..., None] * (self.classes / self.classes.sum())
        return table


class Steps(NamedTuple):
    """How many hurried steps each part takes."""

    rows: int
    classes: int

    def for_twice(self) -> Steps:
        """Return the steps for twice as many records.

        What the channel keeps to a share σ is fitted once plain steps reach 1 / σ², and stands out
        from chance once the records reach a multiple of that. So plain steps go with the records,
        and hurried ones with their root.
        """
        return Steps(*(round(math.sqrt(2) * steps) for steps in self))


def halved(observed: Floats) -> tuple[Floats, Floats]:
    """Return what was observed of a random half of the records, and of the other.

    What is drawn is always the same, so that results are.
    """
    counts = observed.astype(np.int64)
    drawn = np.random.default_rng(0).binomial(counts, 0.5)
    return drawn.astype(np.float64), (counts - drawn).astype(np.float64)


def steps_by_halves(axes: Sequence[Axis], observed: Floats, start: Start) -> Steps:
    """Return the steps after which a half of the records best foretells the other half.

    One step brings what was counted without a disguise.
    """
    rows = classes = 1
    halves = halved(observed)
    lying = [rows_of(half) for half in halves]
    starts = [start.rows(half.sum()) for half in halves]
    if not _are_exact(axes[:-1]):
        pairs = zip(lying, lying[::-1], starts, strict=True)
        rows = round(float(np.mean([_best(axes[:-1], *pair) for pair in pairs])))
    if not _are_exact(axes):
        best = []
        for half, other, counts, first in zip(halves, halves[::-1], lying, starts, strict=True):
            fitted = _fitted(axes[:-1], counts, first, rows)
            best.append(_best(axes, half, other, start.table(fitted), fitted))
        classes = max(1, round(float(np.mean(best))))
    return Steps(rows, classes)


def _are_exact(axes: Sequence[Axis]) -> bool:
    return all(axis.is_exact for axis in axes)


def fit_parted(axes: Sequence[Axis], observed: Floats, start: Start, steps: Steps) -> Floats:
    """Return the fitted table: attributes × classes, the last of the axes."""
    total = rows_of(observed)
    rows = _fitted(axes[:-1], total, start.rows(total.sum()), steps.rows)
    return _fitted(axes, observed, start.table(rows), steps.classes, rows)


def _fitted(
    axes: Sequence[Axis], counts: Floats, table: Floats, steps: int, rows: Floats | None = None
) -> Floats:
    return next(islice(hurried(axes, counts, table, rows), steps, None))[0]


def _best(
    axes: Sequence[Axis], half: Floats, other: Floats, table: Floats, rows: Floats | None = None
) -> int:
    """Return after how many steps the fit of one half makes the other likeliest.

    A record more is expected as at the start: none of the other half is impossible.
    """
    likeliest, best = -np.inf, 0
    unseen = turned(axes, other).ravel()
    cells = np.flatnonzero(unseen)  # most are empty: a logarithm costs as much as all of a step
    unseen, first = unseen[cells], np.zeros(len(cells))
    path = islice(hurried(axes, half, table, rows), hurried_steps(MOST) + 1)
    for step, (_, means) in enumerate(path):
        expected = means.ravel()[cells]
        if step == 0:
            first = expected / max(float(half.sum()), 1.0)
        likelihood = log_likelihood(unseen, expected + first)
        if likelihood > likeliest:
            likeliest, best = likelihood, step
        elif step - best > WAIT:
            break
    return best
