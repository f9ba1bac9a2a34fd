"""Weighted evidence: every record counts in every open node by inverse weights.

For independent channels the number of originals in a box is estimated without bias by the sum over
records of the product of group weights, and its variance by Σw² − Σw. A node's table of one
attribute leaves that attribute's group out of the product and inverts it afterwards, so one
weighted histogram serves every sum of its cells.

Weights are rounded to whole numbers of a unit so small that it does not show and so large that no
sum overflows; addition is then exact in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import Box, code_type
from privet.errors import MethodError
from privet.estimate.base import BoxFrontier, Evidence, unit
from privet.estimate.best_pairs import best_pairs, can_choose
from privet.estimate.grouped import Counter, Layout, TableCounter, fits, observed_right
from privet.estimate.pairs import Pairs, SummedPairs, stack
from privet.estimate.weighing_kernels import weigh, weigh_correct
from privet.split.tables import Estimate, Linear

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Coding, Floats, Value
    from privet.release import Part
    from privet.split.policy import Policy
    from privet.split.scored import Scored, Splits
    from privet.table import Batch, IntArrays

__all__ = ["Inverted", "StatePart", "Summed", "WeightedEvidence", "WeightedFrontier"]


@dataclass(frozen=True, eq=False)
class Inverted(Linear):
    """A table estimated by inversion from weighted counts of what was observed.

    ``weights`` (values × outputs) inverts the attribute's channel inside the node's box, or is None
    for an exact attribute; ``labels`` (classes × observed classes) that of the class, or None.
    ``first`` and ``second`` are the sums of records' weights and of their squares over
    outputs × observed classes.
    """

    weights: Floats | None
    labels: Floats | None
    first: Floats
    second: Floats

    @cached_property
    def mean(self) -> Floats:
        """The estimated counts, values × classes; without bias."""
        return self._invert(self.first)

    def _invert(self, observed: Floats) -> Floats:
        table = observed if self.weights is None else self.weights @ observed
        return table if self.labels is None else table @ self.labels.T

    def variances(self, coefficients: Floats) -> Floats:
        """Return an unbiased estimate of the variance of each sum of cells."""
        return variances(self.weights, self.labels, self.second, self.mean, coefficients)

    def covariances(self, coefficients: Floats) -> Floats:
        """Return an unbiased estimate of the covariances of sums of cells, sums × sums."""
        sums = _observed(self.weights, self.labels, coefficients)
        squares = np.einsum("kuo,luo->kl", self.second * sums, sums, optimize=True)
        expected = np.einsum("kvc,lvc->kl", self.mean * coefficients, coefficients, optimize=True)
        covariances: Floats = squares - expected
        return covariances


def _observed(weights: Floats | None, labels: Floats | None, coefficients: Floats) -> Floats:
    """Return the coefficients that what was observed has in sums of cells."""
    sums = coefficients if weights is None else weights.T @ coefficients
    return sums if labels is None else sums @ labels


def variances(
    weights: Floats | None,
    labels: Floats | None,
    second: Floats,
    mean: Floats,
    coefficients: Floats,
) -> Floats:
    """Return an estimate of the variance of sums of cells of a table that was estimated linearly.

    A record adds the sum of coefficients × weights; its expectation is the coefficient of
    the cell its original lies in, so Σw² less the squared coefficients' own sum remains.
    """
    sums = _observed(weights, labels, coefficients)
    if weights is None and labels is None:
        exact: Floats = ((second - mean) * sums**2).sum((1, 2))
        return exact
    squares: Floats = (second * sums**2).sum((1, 2))
    expected: Floats = (mean * coefficients**2).sum((1, 2))
    return squares - expected


@dataclass(frozen=True, eq=False)
class Summed(Linear):
    """The sum of independent estimates with signs: one per part of a release."""

    estimates: tuple[Inverted, ...]
    signs: tuple[int, ...]

    @cached_property
    def mean(self) -> Floats:
        """The sum of the estimates."""
        signed = zip(self.signs, self.estimates, strict=True)
        mean: Floats = np.sum([sign * estimate.mean for sign, estimate in signed], axis=0)
        return mean

    def variances(self, coefficients: Floats) -> Floats:
        """Return the sum of the variances."""
        total: Floats = np.sum(
            [estimate.variances(coefficients) for estimate in self.estimates], axis=0
        )
        return total

    def covariances(self, coefficients: Floats) -> Floats:
        """Return the sum of the covariances."""
        total: Floats = np.sum(
            [estimate.covariances(coefficients) for estimate in self.estimates], axis=0
        )
        return total


@dataclass(frozen=True)
class _Group:
    """Attributes that went through one channel together, or one exact attribute."""

    codings: tuple[Coding, ...]
    channel: Channel | None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(coding.name for coding in self.codings)

    @property
    def size(self) -> int:
        """How many outputs the group has."""
        return self.codings[0].size if self.channel is None else self.channel.output_size

    def factors(self, box: Box) -> Floats | None:
        """Return the weight of each output for the group's condition in a box; None if free."""
        if not any(name in box.masks for name in self.names):
            return None
        if self.channel is None:
            coding = self.codings[0]
            return box.mask(coding.name, coding.size).astype(np.float64)
        return self.channel.weights(box)

    def weights(self, box: Box, name: str) -> Floats | None:
        """Return values × outputs: the weight of each value of one attribute inside the box."""
        if self.channel is None:
            return None
        size = next(coding.size for coding in self.codings if coding.name == name)
        mask = box.mask(name, size)
        if len(self.codings) == 1:
            return self.channel.inverse() * mask[:, None]
        rows = np.zeros((size, self.size))
        for value in np.flatnonzero(mask):
            rows[value] = self.channel.weights(box.narrowed(name, np.arange(size) == value))
        return rows

    def observed(self, batch: Batch) -> NDArray[Any]:
        """Return the group's outputs in a batch as joint codes."""
        if self.channel is not None:
            return self.channel.join(batch.columns)
        column = batch.columns[self.names[0]]
        return column if column.dtype.kind == "u" else self.codings[0].encode(column)


class _PartEvidence:
    """One part of a release, and how to weigh its records."""

    def __init__(self, part: Part, codings: Sequence[Coding], target: str, classes: int) -> None:
        self.part = part
        self.target = target
        self.groups = list(_groups(part, codings, target))
        self.place = {
            name: place for place, group in enumerate(self.groups) for name in group.names
        }
        self.offsets = np.cumsum([0, *(group.size for group in self.groups)]).astype(np.int64)
        channel = part.channel(target)
        self.labels = None if channel is None else channel.inverse()
        self.observed_classes = classes if channel is None else channel.output_size

    def _matrix(self, batch: Batch) -> tuple[NDArray[Any], NDArray[Any]]:
        matrix = np.empty(
            (len(batch), len(self.groups)), code_type(max(group.size for group in self.groups))
        )
        for place, group in enumerate(self.groups):
            matrix[:, place] = group.observed(batch)
        return matrix, np.ascontiguousarray(batch.columns[self.target])

    def program(self, boxes: Sequence[Box]) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Return each box's path of groups, their factors, and a bound on a record's weight."""
        paths = []
        for box in boxes:
            numbered = ((place, group.factors(box)) for place, group in enumerate(self.groups))
            paths.append([(place, factor) for place, factor in numbered if factor is not None])
        longest = max(1, *(len(path) for path in paths)) if paths else 1
        path = np.full((len(boxes), longest), -1)
        factors = np.zeros((len(boxes), longest, max(group.size for group in self.groups)))
        bounds = np.ones(len(boxes))
        for i, steps in enumerate(paths):
            for k, (place, factor) in enumerate(steps):
                path[i, k] = place
                factors[i, k, : len(factor)] = factor
                bounds[i] *= max(1.0, float(np.abs(factor).max()))
        return path, factors, bounds

    @property
    def sign(self) -> int:
        """How the part counts."""
        return self.part.sign

    @property
    def rows(self) -> int:
        """How many records the part has."""
        return self.part.table.rows

    def unit(self, bound: float) -> float:
        """Return how many units a weight of one has, so that no sum of weights overflows."""
        return unit(self.rows, bound)

    def count(self, boxes: Sequence[Box]) -> tuple[Floats, Floats]:
        """Return first and second sums, boxes × cells of all groups × observed classes."""
        path, factors, bounds = self.program(boxes)
        units = np.array([(self.unit(bound), self.unit(bound * bound)) for bound in bounds])
        shape = (len(boxes), int(self.offsets[-1]), self.observed_classes)

        def work(batch: Batch) -> IntArrays:
            first, second = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
            weigh(*self._matrix(batch), self.offsets, path, factors, units, first, second)
            return first, second

        first, second = self.part.table.count(work, "weighing")
        return first / units[:, :1, None], second / units[:, 1:, None]

    def estimate(self, name: str, box: Box, first: Floats, second: Floats) -> Inverted:
        """Return one attribute's table at one node."""
        place = self.place[name]
        cells = slice(self.offsets[place], self.offsets[place + 1])
        group = self.groups[place]
        one, two = first[cells], second[cells]
        if group.channel is None:
            inside = box.mask(name, group.size)[:, None]
            one, two = one * inside, two * inside
        return Inverted(group.weights(box, name), self.labels, one, two)

    def correct(self, boxes: Sequence[Box], right: Floats) -> tuple[Floats, Floats]:
        """Return Σa and Σa² of some sums, a being what a record weighs as right.

        ``right`` is boxes × classes × sums.
        """
        path, factors, bounds = self.program(boxes)
        rows, most = observed_right(right, self.labels, bounds)
        units = np.array([[self.unit(bound) for bound in most**power] for power in (1, 2)])

        def work(batch: Batch) -> IntArrays:
            out = np.zeros(units.shape, np.int64)
            weigh_correct(*self._matrix(batch), path, factors, rows, units, out)
            return (out,)

        (sums,) = self.part.table.count(work, "scoring")
        return sums[0] / units[0], sums[1] / units[1]


def _groups(part: Part, codings: Sequence[Coding], target: str) -> list[_Group]:
    by_name = {coding.name: coding for coding in codings}
    groups: list[_Group] = []
    done: set[str] = set()
    for coding in codings:
        if coding.name in done:
            continue
        channel = part.channel(coding.name)
        names = (coding.name,) if channel is None else channel.attributes
        if target in names:
            message = f"The method 'direct' cannot use {coding.name!r}: "
            message += "it went through a channel together with the class."
            raise MethodError(message)
        groups.append(_Group(tuple(by_name[name] for name in names), channel))
        done.update(names)
    return groups


@dataclass(frozen=True)
class StatePart:
    """A part whose groups have states, or whose records are few: what its counter adds up."""

    layout: Layout
    counter: Counter
    sign: int = 1

    @property
    def rows(self) -> int:
        """How many records the part has."""
        return self.layout.rows

    def count(self, boxes: Sequence[Box]) -> tuple[Floats, Floats]:
        """Return first and second sums, boxes × cells of all attributes × observed classes."""
        units = self.layout.units(self.layout.program(boxes))
        first, second = self.counter.count(boxes)
        return first / units[:, :1, None], second / units[:, 1:, None]

    def estimate(self, name: str, box: Box, first: Floats, second: Floats) -> Inverted:
        """Return one attribute's table at one node."""
        weights, one, two = self.layout.table(name, box, first, second)
        return Inverted(weights, self.layout.labels, one, two)

    def correct(self, boxes: Sequence[Box], right: Floats) -> tuple[Floats, Floats]:
        """Return Σa and Σa² of some sums, a being what a record weighs as right.

        ``right`` is boxes × classes × sums.
        """
        return self.counter.correct(boxes, right)


def _part(
    part: Part, codings: tuple[Coding, ...], target: str, classes: int
) -> StatePart | _PartEvidence:
    if not fits(part, codings, target, classes):
        return _PartEvidence(part, codings, target, classes)
    layout = Layout(codings, part.channels, target, classes, part.table.rows)
    return StatePart(layout, TableCounter(layout, part.table), part.sign)


class WeightedFrontier(BoxFrontier):
    """Open nodes, for all of which records are weighed in one pass when a table is asked for."""

    def __init__(self, owner: WeightedEvidence, boxes: list[Box]) -> None:
        super().__init__(owner.codings, boxes)
        self._parts = owner.parts

    @cached_property
    def _sums(self) -> list[tuple[Floats, Floats]]:
        return [part.count(self.boxes) for part in self._parts]

    def at(self, node: int) -> list[Estimate]:
        """Return one node's tables, one per attribute."""
        return [self.table(node, coding.name) for coding in self.codings]

    def table(self, node: int, name: str) -> Inverted | Summed:
        """Return one node's table of one attribute."""
        signs = tuple(part.sign for part in self._parts)
        estimates = tuple(
            part.estimate(name, self.boxes[node], first[node], second[node])
            for part, (first, second) in zip(self._parts, self._sums, strict=True)
        )
        return estimates[0] if signs == (1,) else Summed(estimates, signs)

    def best(self, policy: Policy, wanted: NDArray[np.bool_] | None = None) -> list[Scored | None]:
        """Return the best split of each node, in one block where every attribute has two values."""
        pairs = self.pairs() if can_choose(policy) else None
        if pairs is None:
            _ = self._sums  # counted by all threads here, before each takes a node
            return super().best(policy, wanted)
        splits = best_pairs(pairs, self.nodes, self.codings, policy)
        every = [True] * self.nodes if wanted is None else wanted.tolist()
        return [split if ask else None for split, ask in zip(splits, every, strict=True)]

    def pairs(self) -> Pairs | SummedPairs | None:
        """Return all tables in one block, if every attribute has two values."""
        parts = [part for part in self._parts if isinstance(part, StatePart)]
        if len(parts) < len(self._parts) or any(coding.size != 2 for coding in self.codings):
            return None
        blocks = tuple(
            stack(part.layout, self.boxes, *sums)
            for part, sums in zip(parts, self._sums, strict=True)
        )
        signs = tuple(part.sign for part in parts)
        return blocks[0] if signs == (1,) else SummedPairs(blocks, signs)


class WeightedEvidence(Evidence):
    """Evidence of a release by inverse weights; its channels must be invertible."""

    tests_splits = True
    least_z = Linear.gain_z

    def __init__(
        self,
        parts: Sequence[Part],
        codings: Sequence[Coding],
        target: str,
        classes: Sequence[Value],
    ) -> None:
        self.codings = tuple(codings)
        self.classes = tuple(classes)
        self.parts: list[StatePart | _PartEvidence] = [
            _part(part, self.codings, target, len(classes)) for part in parts
        ]

    @classmethod
    def of(
        cls, parts: Sequence[StatePart], codings: Sequence[Coding], classes: Sequence[Value]
    ) -> WeightedEvidence:
        """Return evidence of parts that are counted elsewhere."""
        made = cls((), codings, "", classes)
        made.parts = list(parts)
        return made

    def root(self) -> WeightedFrontier:
        """Return the frontier of the root, whose box is everything."""
        return WeightedFrontier(self, [Box()])

    def split(
        self, frontier: WeightedFrontier, splits: Splits, keep: NDArray[np.bool_]
    ) -> WeightedFrontier:
        """Return the boxes of kept children."""
        return WeightedFrontier(self, splits.boxes(frontier.boxes, self.codings, keep))

    def correct(self, boxes: Sequence[Box], right: Floats) -> tuple[Floats, Floats]:
        """Estimate how many originals are classified rightly, and the variance of that.

        The boxes are disjoint and cover everything, as the leaves of a tree do. ``right`` says how
        likely an original of a class in a box is to be right, for each of some sums: boxes ×
        classes × sums.
        """
        sums = right.shape[2]
        unsure = ((right != 0) & (right != 1)).any((0, 1))
        asked = np.concatenate([right, right[:, :, unsure] ** 2], axis=2)
        mean, variance = np.zeros(sums), np.zeros(sums)
        for part in self.parts:
            first, second = part.correct(boxes, asked)
            certain = first[:sums].copy()
            certain[unsure] = first[sums:]
            mean += part.sign * first[:sums]
            variance += second[:sums] - certain
        return mean, variance

    @property
    def rows(self) -> int:
        """How many originals there are."""
        return sum(part.sign * part.rows for part in self.parts)
