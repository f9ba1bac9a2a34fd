"""A joint table fitted in two parts: where the records lie, then which classes they have there.

EM of all classes at once fits chance as soon as it fits sharp borders of classes. How densely
records lie seldom has borders: it starts from the attributes' own distributions and what pairs of
them hang together by (``tied``), and takes few steps. Given that, the classes are fitted alone.
Each part goes as far as what is fitted to half of the records foretells the other half.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.estimate.em import hurried, hurried_steps, log_likelihood, rows_of, turned
from privet.estimate.slanted import slanted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from privet.coding import Floats
    from privet.estimate.em import Axis

    Coarse = tuple[Sequence[Axis], Floats, "Start"]

__all__ = ["Start", "Steps", "fit_parted", "halved", "margin_of", "steps_by_halves"]

MOST = 400  # plain steps, as for tables that are fitted in one go
CLEARLY = 1.0  # nats: a start that foretells the other half better by less is not better
WAIT = 2  # hurried steps that do not foretell better, after which none is expected to


class Start(NamedTuple):
    """What a table starts from: which share of the records each cell has, and each class.

    ``features`` are those that a slanting border may hang on, one array an attribute; none if
    classes start alike everywhere.
    """

    cells: Floats
    classes: Floats
    features: Sequence[Floats] = ()

    def rows(self, records: float) -> Floats:
        """Return how many records lie where."""
        return records * self.cells

    def table(self, rows: Floats) -> Floats:
        """Return a table whose classes have the same shares everywhere."""
        table: Floats = rows[..., None] * (self.classes / self.classes.sum())
        return table


class Steps(NamedTuple):
    """How many hurried steps each part takes, and whether classes start from a slanting border."""

    rows: int
    classes: int
    slants: bool = False

    def for_twice(self) -> Steps:
        """Return the steps for twice as many records.

        What the channel keeps to a share σ is fitted once plain steps reach 1 / σ², and stands out
        from chance once the records reach a multiple of that. So plain steps go with the records,
        and hurried ones with their root.
        """
        rows, classes = (round(math.sqrt(2) * steps) for steps in (self.rows, self.classes))
        return Steps(rows, classes, self.slants)


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
    slants = False
    halves = halved(observed)
    lying = [rows_of(half) for half in halves]
    if not _are_exact(axes[:-1]):
        pairs = zip(lying, lying[::-1], strict=True)
        found = [_best(axes[:-1], *pair, start.rows(pair[0].sum())) for pair in pairs]
        rows, lying = _mean(found), [best.table for best in found]
    if not _are_exact(axes):
        alike, slanting = [], []
        for half, other, fitted in zip(halves, halves[::-1], lying, strict=True):
            alike.append(_best(axes, half, other, start.table(fitted), fitted))
            if start.features:
                slant = slanted(axes, half, fitted, start.classes, start.features)
                table = slant.table(fitted, start.features)
                slanting.append(_best(axes, half, other, table, fitted))
        slants = bool(slanting) and _likelihood(slanting) > _likelihood(alike) + CLEARLY
        classes = max(0 if slants else 1, _mean(slanting if slants else alike))
    return Steps(rows, classes, slants)


def margin_of(axis: Axis, observed: Floats) -> Floats:
    """Return how many records have each code of an attribute, by what was observed of it.

    It starts from the same for all and goes as far as halves of the records say.
    """
    if axis.is_exact:
        return observed
    return as_far_as_told([axis], observed, np.full(axis.inputs, observed.sum() / axis.inputs))


def as_far_as_told(axes: Sequence[Axis], observed: Floats, table: Floats) -> Floats:
    """Return a table fitted to what was observed as far as halves of the records say."""
    halves = halved(observed)
    pairs = zip(halves, halves[::-1], strict=True)
    steps = math.sqrt(2) * _mean(_best(axes, *pair, table / 2) for pair in pairs)
    return _fitted(axes, observed, table, round(steps))


def _mean(found: Iterable[Foretold]) -> int:
    return round(float(np.mean([best.steps for best in found])))


def _likelihood(found: Iterable[Foretold]) -> float:
    return sum(best.likelihood for best in found)


def _are_exact(axes: Sequence[Axis]) -> bool:
    return all(axis.is_exact for axis in axes)


def fit_parted(
    axes: Sequence[Axis], observed: Floats, start: Start, steps: Steps, coarse: Coarse | None = None
) -> Floats:
    """Return the fitted table: attributes × classes, the last of the axes.

    A slanting border is looked for in the ``coarse`` view of the same, if there is one.
    """
    total = rows_of(observed)
    rows = _fitted(axes[:-1], total, start.rows(total.sum()), steps.rows)
    table = start.table(rows)
    if steps.slants:
        seen, counts, begin = coarse or (axes, observed, start)
        lying = rows_of(counts)
        lying = _fitted(seen[:-1], lying, begin.rows(lying.sum()), steps.rows)
        slant = slanted(seen, counts, lying, begin.classes, begin.features)
        table = slant.table(rows, start.features)
    return _fitted(axes, observed, table, steps.classes, rows)


def _fitted(
    axes: Sequence[Axis], counts: Floats, table: Floats, steps: int, rows: Floats | None = None
) -> Floats:
    return next(islice(hurried(axes, counts, table, rows), steps, None))[0]


class Foretold(NamedTuple):
    """The fit of half of the records that makes the other half likeliest, after so many steps."""

    steps: int
    likelihood: float
    table: Floats


def _best(
    axes: Sequence[Axis], half: Floats, other: Floats, table: Floats, rows: Floats | None = None
) -> Foretold:
    """Return after how many steps the fit of one half makes the other likeliest.

    A record more is expected as at the start: none of the other half is impossible. A hurried step
    starts from a table of more or fewer records than there are; only shares count.
    """
    best = Foretold(0, -np.inf, table)
    unseen = turned(axes, other).ravel()
    cells = np.flatnonzero(unseen)  # most are empty: a logarithm costs as much as all of a step
    unseen, first = unseen[cells], np.zeros(len(cells))
    path = islice(hurried(axes, half, table, rows), hurried_steps(MOST) + 1)
    for step, (fitted, means) in enumerate(path):
        expected, total = means.ravel()[cells], float(means.sum())
        if step == 0:
            first = expected / max(total, 1.0)
        likelihood = log_likelihood(unseen, (expected + first) / (total + 1.0))
        if likelihood > best.likelihood:
            best = Foretold(step, likelihood, fitted.copy())
        elif step - best.steps > WAIT:
            break
    return best
