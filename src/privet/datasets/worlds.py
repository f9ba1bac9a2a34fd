"""Random worlds: tables that nobody can tune to, because every seed makes another world.

A world has six to twelve attributes, numbers and categories, of which at least a third have nothing
to do with the class. Numbers are flat, bell-shaped, skewed, counts, or mostly zero; categories may
be rare. In two worlds of three the attributes depend on each other. The two to five classes, some
of them rare, follow a random tree or slanting borders, and up to a fifth of the labels are drawn at
random.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import InputError
from privet.schema import Attribute, Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from privet.coding import Floats, Ints, Mask

    Attributes = Sequence["_Number | _Category"]
    Values = Sequence[NDArray[Any]]
    Generator = np.random.Generator
    Labels = Ints

__all__ = ["World"]

REACH = 3.5  # standard deviations of a hidden normal number, beyond which it is cut off
SKETCH = 8_192  # records from which a world takes its borders
DEPENDENT = 2 / 3  # of the worlds
RAREST = 0.02  # of the records: the least share meant for a class
SMALLEST = 0.04  # of the records: a smaller node of the true tree is not divided
KEPT = 0.5  # of the nodes of a true tree that keep the class of the node above
TREES = 0.6  # of the worlds; the others have slanting borders
WIDER = 0.1  # of a range, by which it is declared wider at most
KINDS = ("flat", "bell", "skewed", "count", "zeros", "category", "category")


@dataclass(frozen=True)
class _Number:
    """An attribute of numbers, made of ranks in (0, 1)."""

    name: str
    kind: str
    shape: float
    zeros: float
    below: float
    above: float

    @classmethod
    def drawn(cls, name: str, kind: str, random: Generator) -> _Number:
        shape, zeros = random.uniform(0.5, 1.2), random.uniform(0.3, 0.7)
        return cls(name, kind, shape, zeros, *random.uniform(0, WIDER, 2).tolist())

    def values(self, ranks: Floats) -> NDArray[Any]:
        if self.kind == "flat":
            return 100 * ranks
        if self.kind == "bell":
            return 50 + 10 * _normal(ranks)
        if self.kind == "skewed":
            return 20 * np.exp(self.shape * _normal(ranks))
        if self.kind == "count":
            return np.floor(-2.5 * self.shape * np.log1p(-ranks)).astype(np.int64)
        rest = np.maximum((ranks - self.zeros) / (1 - self.zeros), 0.0)
        return np.where(rest > 0, 20 * np.exp(self.shape * _normal(np.maximum(rest, _LEAST))), 0.0)

    def attribute(self) -> Attribute:
        low, high = self.values(np.array([_LEAST, 1 - _LEAST])).tolist()
        if self.kind == "count":
            return Attribute.numeric(self.name, low=low, high=high, integer=True)
        width = high - low
        below = 0.0 if self.kind in {"zeros", "skewed"} else self.below
        return Attribute.numeric(self.name, low=low - below * width, high=high + self.above * width)


@dataclass(frozen=True)
class _Category:
    """An attribute of categories, made of ranks: where they are cut, and which value is where."""

    name: str
    borders: Floats
    order: Ints

    @classmethod
    def drawn(cls, name: str, random: Generator) -> _Category:
        size = int(random.integers(2, 9))
        shares = 1 / np.arange(1, size + 1) ** random.uniform(0, 1.5)
        borders = np.cumsum(shares / shares.sum())[:-1]
        return cls(name, borders, random.permutation(size))

    @property
    def words(self) -> list[str]:
        return [f"v{place}" for place in range(len(self.order))]

    def values(self, ranks: Floats) -> NDArray[Any]:
        return self.order[np.searchsorted(self.borders, ranks)]

    def attribute(self) -> Attribute:
        return Attribute.categorical(self.name, self.words)


@dataclass(frozen=True)
class _Tree:
    """The truth as a tree: a class, or a test and two branches."""

    label: int
    place: int = -1
    left: Any = None  # the categories, or the largest number, of the first branch
    branches: tuple[_Tree, _Tree] | None = None

    @property
    def leaves(self) -> int:
        return 1 if self.branches is None else sum(branch.leaves for branch in self.branches)

    def labels(self, values: Values) -> Labels:
        labels = np.full(len(values[0]), self.label)
        if self.branches is not None:
            left = _goes_left(values[self.place], self.left)
            for branch, rows in zip(self.branches, (left, ~left), strict=True):
                labels[rows] = branch.labels([column[rows] for column in values])
        return labels


@dataclass(frozen=True)
class _Slant:
    """The truth as slanting borders: a score of several attributes, cut at ``borders``.

    A number adds its slope times its distance from the centre, a category its own amount.
    """

    terms: tuple[tuple[int, Any], ...]
    borders: Floats

    def score(self, values: Values) -> Floats:
        score = np.zeros(len(values[0]))
        for place, term in self.terms:
            column = values[place]
            score += term[column] if isinstance(term, np.ndarray) else term * column
        return score

    def labels(self, values: Values) -> Labels:
        return np.searchsorted(self.borders, self.score(values)).astype(np.int64)


@dataclass(frozen=True)
class World:
    """The law of a random table.

    >>> World.drawn(3).table(100).num_rows
    100
    """

    seed: int
    attributes: tuple[_Number | _Category, ...]
    loadings: Floats  # attributes × the hidden causes they share
    relevant: tuple[int, ...]
    shares: Floats  # of the classes among labels drawn at random
    noise: float
    truth: _Tree | _Slant

    @classmethod
    def drawn(cls, seed: int | None = None) -> World:
        """Return the world of a seed; that of 0 if none is given."""
        seed = 0 if seed is None else seed
        if isinstance(seed, bool) or seed < 0:
            message = "Parameter seed must be a whole number from 0: it names the world."
            raise InputError(message, hint='load("world", seed=1) and schema("world", seed=1).')
        random = np.random.default_rng([seed, 0])
        size = int(random.integers(6, 13))
        attributes = tuple(_attribute(f"a{place}", random) for place in range(size))
        loadings = np.zeros((size, 2))
        if random.random() < DEPENDENT:
            tied = random.random((size, 1)) < 0.75
            loadings = tied * random.uniform(-0.7, 0.7, (size, 2))
        most = size - -(-size // 3)
        relevant = np.sort(random.permutation(size)[: random.integers(2, most + 1)])
        classes = int(random.choice([2, 2, 2, 3, 4, 5]))
        shares = np.maximum(random.dirichlet(np.full(classes, 2.0)), RAREST)
        shares /= shares.sum()
        ranks = _ranks(loadings, SKETCH, random)
        sketch = [
            attribute.values(column) for attribute, column in zip(attributes, ranks, strict=True)
        ]
        places: list[int] = relevant.tolist()
        if random.random() < TREES:
            depth = int(random.integers(2, 5))
            truth: _Tree | _Slant = _tree(sketch, attributes, places, depth, shares, random)
        else:
            truth = _slant(sketch, attributes, places, shares, random)
        noise = float(random.uniform(0.0, 0.2))
        return cls(seed, attributes, loadings, tuple(places), shares, noise, truth)

    @property
    def leaves(self) -> int | None:
        """How many leaves the true tree has; None if borders slant.

        >>> [World.drawn(seed).leaves for seed in (3, 4, 5)]
        [4, 8, None]
        """
        return self.truth.leaves if isinstance(self.truth, _Tree) else None

    @property
    def schema(self) -> Schema:
        """The public domains; most ranges are a little wider than the numbers are."""
        target = Attribute.categorical("class", _classes(len(self.shares)))
        return Schema(
            [*(attribute.attribute() for attribute in self.attributes), target], target="class"
        )

    def table(self, rows: int) -> pa.Table:
        """Return ``rows`` records."""
        import pyarrow as pa

        if isinstance(rows, bool) or rows != int(rows) or rows < 1:
            message = "Parameter rows must be a whole number from 1."
            raise InputError(message)
        random = np.random.default_rng([self.seed, 1])
        ranks = _ranks(self.loadings, rows, random)
        values = [
            attribute.values(column)
            for attribute, column in zip(self.attributes, ranks, strict=True)
        ]
        labels = self.truth.labels(values)
        turned = random.random(rows) < self.noise
        labels[turned] = random.choice(len(self.shares), int(turned.sum()), p=self.shares)
        columns = {
            attribute.name: np.array(attribute.words)[column]
            if isinstance(attribute, _Category)
            else column
            for attribute, column in zip(self.attributes, values, strict=True)
        }
        return pa.table(columns | {"class": np.array(_classes(len(self.shares)))[labels]})


_LEAST = NormalDist().cdf(-REACH)
_GRID = np.linspace(-REACH, REACH, 4_001)
_RANKS = np.array([NormalDist().cdf(point) for point in _GRID])


def _normal(ranks: Floats) -> Floats:
    """Return the normal numbers of ranks."""
    numbers: Floats = np.interp(ranks, _RANKS, _GRID)
    return numbers


def _ranks(loadings: Floats, rows: int, random: Generator) -> Floats:
    """Return attributes × rows: ranks that hang together as much as attributes share causes."""
    own = np.sqrt(1 - (loadings**2).sum(1, keepdims=True))
    hidden = loadings @ random.normal(size=(2, rows))
    hidden += own * random.normal(size=(len(loadings), rows))
    ranks: Floats = np.interp(hidden, _GRID, _RANKS)
    return ranks


def _classes(size: int) -> list[str]:
    return [f"c{label}" for label in range(size)]


def _attribute(name: str, random: Generator) -> _Number | _Category:
    kind = str(random.choice(KINDS))
    if kind == "category":
        return _Category.drawn(name, random)
    return _Number.drawn(name, kind, random)


def _goes_left(column: NDArray[Any], left: Any) -> Mask:
    inside: Mask = left[column] if isinstance(left, np.ndarray) else column <= left
    return inside


def _tree(
    sketch: Values,
    attributes: Attributes,
    places: list[int],
    depth: int,
    shares: Floats,
    random: Generator,
    label: int = -1,
) -> _Tree:
    """Return a random tree of rules with exceptions: half of the nodes keep the class above."""
    if label < 0 or random.random() >= KEPT:
        label = int(random.choice(len(shares), p=shares))
    if depth == 0 or len(sketch[0]) < SMALLEST * SKETCH:
        return _Tree(label)
    for place in random.permutation(places).tolist():
        column, attribute = sketch[place], attributes[place]
        if isinstance(attribute, _Category):
            left: Any = random.random(len(attribute.order)) < 0.5
        else:
            left = float(np.quantile(column, random.uniform(0.2, 0.8)))
        inside = _goes_left(column, left)
        if inside.any() and not inside.all():
            halves = [[column[rows] for column in sketch] for rows in (inside, ~inside)]
            first, second = (
                _tree(half, attributes, places, depth - 1, shares, random, label) for half in halves
            )
            if first.branches is None and second.branches is None and first.label == second.label:
                second = _Tree((first.label + 1) % len(shares))
            return _Tree(label, place, left, (first, second))
    return _Tree(label)


def _slant(
    sketch: Values, attributes: Attributes, places: list[int], shares: Floats, random: Generator
) -> _Slant:
    """Return slanting borders through at most three attributes."""
    terms: list[tuple[int, Any]] = []
    for place in places[:3]:
        attribute = attributes[place]
        if isinstance(attribute, _Category):
            terms.append((place, random.normal(size=len(attribute.order))))
        else:
            slope = random.uniform(0.5, 1.5) * random.choice([-1, 1])
            terms.append((place, float(slope / np.std(sketch[place]))))
    score = _Slant(tuple(terms), np.empty(0)).score(sketch)
    return _Slant(tuple(terms), np.quantile(score, np.cumsum(shares)[:-1]))
