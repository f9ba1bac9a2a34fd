"""Classes by slanting borders: a sum over the attributes says which class a record has.

A table has thousands of cells, and a border that slants through them is found cell by cell only
where records are many or hardly disguised. But few numbers say where it runs: each attribute adds
something to the score of each class, a number in proportion to its value. They are fitted to what
was observed through the channels, with all cells at once. Some records may have a class that hangs
on nothing, so a border can be sharp although none of its sides is pure.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.estimate.em import Product, rows_of, turned
from privet.estimate.means import expected_in_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Coding, Floats
    from privet.estimate.em import Axis
    from privet.estimate.view import View

__all__ = ["Slant", "features_of", "slanted"]

# How much scores are expected to change with an attribute's standard deviation, in nats: so much
# that it hardly matters, but for borders that no record contradicts. With 4, worlds of three to
# five classes lost up to a tenth of the gap: the last of them needs the steepest score.
STEEP = 30.0
BLIND = 0.1  # the share of records whose class hangs on nothing, where the search begins
MOST_BLIND = 0.5
STEPS, ENOUGH = 400, 0.01  # of the search, at most; nats that a step has to bring


class Slant(NamedTuple):
    """What each feature of each attribute adds to the scores of classes, and who has none.

    ``weights`` are features × classes, one array an attribute; ``lean`` are the scores where all
    features are zero, ``shares`` those of classes that hang on nothing, ``blind`` of all records.
    """

    weights: tuple[Floats, ...]
    lean: Floats
    shares: Floats
    blind: float

    def seen(self, features: Sequence[Floats]) -> Floats:
        """Return the chances of each class in each cell for records whose class hangs on it."""
        scores = self.lean
        for place, (weights, own) in enumerate(zip(self.weights, features, strict=True)):
            after = [1] * (len(features) - place - 1)
            scores = scores + (own @ weights).reshape(len(own), *after, -1)
        highest = reduce(np.maximum, np.moveaxis(scores, -1, 0))
        chances: Floats = np.exp(scores - highest[..., None])
        chances /= rows_of(chances)[..., None]
        return chances

    def table(self, rows: Floats, features: Sequence[Floats]) -> Floats:
        """Return a table of so many rows in each cell."""
        chances = (1 - self.blind) * self.seen(features) + self.blind * self.shares
        return rows[..., None] * chances


def features_of(coding: Coding, view: View, counts: Floats) -> Floats:
    """Return what an attribute may add to scores by: groups × features.

    Of numbers that is the value, of mean 0, and whether it is missing; of categories, which one it
    is. ``counts`` says how many records each group has. All have a mean square of 1, so that a
    search goes as fast along each; what is rarer than one record counts as one.
    """
    records = max(float(counts.sum()), 1.0)
    features = _features(coding, view, counts)
    squares = np.maximum(counts @ features**2, 1.0) / records
    scaled: Floats = features / np.sqrt(squares)
    return scaled


def _features(coding: Coding, view: View, counts: Floats) -> Floats:
    if not coding.ordered:
        return view.means(np.eye(coding.size))
    inside = np.zeros(coding.size)
    inside[: coding.known] = expected_in_cells(coding, view.fine(counts)[: coding.known])
    known = view.means((np.arange(coding.size) < coding.known).astype(np.float64))
    values = view.means(inside) / np.where(known > 0, known, 1.0)
    lying = counts * known
    middle = float(values @ lying) / max(float(lying.sum()), 1e-300)
    return np.stack([known * (values - middle), 1 - known][: 1 + coding.missing], axis=1)


def slanted(
    axes: Sequence[Axis],
    observed: Floats,
    rows: Floats,
    classes: Floats,
    features: Sequence[Floats],
) -> Slant:
    """Return the slant that makes what was observed likeliest, given the rows of each cell."""
    from scipy.optimize import minimize
    from scipy.special import expit, logit

    product, counts = Product(axes), turned(axes, observed)
    records = max(float(observed.sum()), 1.0)
    shares = classes / classes.sum()
    sizes = [own.shape[1] * len(shares) for own in features]
    ends = np.cumsum(sizes)

    def slant_of(numbers: Floats) -> Slant:
        parts = np.split(numbers[:-1], ends)
        weights = tuple(part.reshape(-1, len(shares)) for part in parts[:-1])
        blind = MOST_BLIND * expit(numbers[-1])
        return Slant(weights, parts[-1] + np.log(np.maximum(shares, 1e-12)), shares, float(blind))

    def unlikely(numbers: Floats) -> tuple[float, Floats]:
        slant = slant_of(numbers)
        chances = slant.seen(features)
        means = product.forward(
            rows[..., None] * ((1 - slant.blind) * chances + slant.blind * shares)
        )
        means = np.maximum(means, 1e-300)
        likelihood = float((counts * np.log(means)).sum())
        slope = rows[..., None] * product.back(counts / means)
        leaning = chances * slope
        blinder = slant.blind * (1 - slant.blind / MOST_BLIND)
        blinded = float(slope.reshape(-1, len(shares)).sum(0) @ shares - leaning.sum())
        more = (1 - slant.blind) * (leaning - chances * rows_of(leaning)[..., None])
        along = [_along(more, place) for place in range(len(features))]
        slopes = [(own.T @ sums).ravel() for own, sums in zip(features, along, strict=True)]
        slopes += [along[0].sum(0), np.array([blinder * blinded])]
        loose = numbers.copy()
        loose[-1] = 0.0
        loose /= STEEP**2
        value = likelihood - float(loose @ numbers) / 2
        return -value / records, (loose - np.concatenate(slopes)) / records

    begin = np.zeros(int(ends[-1]) + len(shares) + 1)
    begin[-1] = logit(BLIND / MOST_BLIND)
    options = {"maxiter": STEPS, "ftol": ENOUGH / records}
    found = minimize(unlikely, begin, jac=True, method="L-BFGS-B", options=options)
    return slant_of(found.x)


def _along(table: Floats, place: int) -> Floats:
    """Return sums over all axes but one and the last, by products: sums of short rows are slow."""
    own = table.shape[place]
    before = np.ones(math.prod(table.shape[:place]))
    sums = (before @ table.reshape(len(before), -1)).reshape(own, -1, table.shape[-1])
    along: Floats = np.ones(sums.shape[1]) @ sums
    return along
