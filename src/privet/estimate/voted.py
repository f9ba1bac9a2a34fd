"""A vote's accuracy about the originals, weighed along the diagram of what trees elect.

A record weighs, for each class, the sum over all answers that elect it of the product of what its
released values weigh for these answers. It is added up from the last group of attributes to the
first, once for each combination of released values that occurs, so that a forest whose leaves
intersect in very many boxes is measured like a single tree.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.coding import Box
from privet.errors import MethodError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints, Mask
    from privet.estimate.weigher import Weigher
    from privet.table import Batch, IntArrays
    from privet.tree.diagram import Diagram, Level, Lump, Voters

__all__ = ["Right", "right"]

BLOCK = 1 << 13  # records weighed at once
BINS, SMALLEST, DIGITS = 512, -128, 30  # of exponents, by which weights are added up
MOST_NUMBERS = 1 << 22  # of states by released values by classes, at one level


_EXPONENTS = np.arange(BINS) + SMALLEST - DIGITS


class Right(NamedTuple):
    """How many originals a vote is right about, estimated.

    ``least`` and ``most`` allow for what cells that thresholds cut leave open.
    """

    counted: float
    variance: float
    least: float
    most: float


def right(voters: Voters, weighers: Sequence[Weigher]) -> Right:
    """Estimate how many originals the trees' vote is right about, and the estimate's variance."""
    count = variance = least = most = 0.0
    for weigher in weighers:
        first, second, low, high = _Part(voters, weigher).sums().tolist()
        count += weigher.sign * first
        variance += second - first
        least += weigher.sign * low
        most += weigher.sign * high
    return Right(count, variance, least, most)


class _Part:
    """One part of a release: what its records say of each answer that trees ask for.

    Plain attributes come first: a record has one answer there, and what is not answered by some
    record needs no state.
    """

    def __init__(self, voters: Voters, weigher: Weigher) -> None:
        self.voters, self.weigher = voters, weigher
        self.codings = voters.trees[0].codings
        self.names = [coding.name for coding in self.codings]
        self.cut = {
            at: any(len(lump.routes) > 1 for lump in voters.lumps(at, whole=False))
            for at in voters.tested
        }
        groups: dict[tuple[str, ...], list[int]] = {}
        for at in voters.tested:
            if self.names[at] not in weigher.readable:
                message = f"{self.names[at]!r} went through a channel that has no inverse."
                raise MethodError(message, hint="score the forest on plain records.")
            groups.setdefault(weigher.group(self.names[at]), []).append(at)
        is_plain = {
            names: weigher.is_plain(names[0]) and not self.cut[group[0]]
            for names, group in groups.items()
        }
        self.plain = [group[0] for names, group in groups.items() if is_plain[names]]
        self.groups = [group for names, group in groups.items() if not is_plain[names]]
        self.diagrams: dict[bool, Diagram] = {}

    def sums(self) -> Floats:
        """Return Σa and Σa², a being what a record weighs as right, and what cuts make of Σa."""
        labels = self.weigher.labels

        def work(batch: Batch) -> IntArrays:
            out = np.zeros((4, BINS), np.int64)
            for begin in range(0, len(batch), BLOCK):
                piece = slice(begin, min(begin + BLOCK, len(batch)))
                weights = labels[:, self.weigher.target(batch, piece)].T  # records × classes
                columns = self.weigher.columns(batch, piece)
                whole, sure, possible = self._elected(columns, len(weights))
                said = (whole * weights).sum(1)
                cuts = [(every * weights).sum(1) for every in (sure, possible)]
                for place, values in enumerate((said, said * said, *cuts)):
                    _add(values, out[place])
            return (out,)

        (sums,) = self.weigher.count(work, "scoring")
        total: Floats = np.ldexp(sums.astype(np.float64), _EXPONENTS).sum(1)
        return total

    def _lumps(self, group: Sequence[int], *, whole: bool) -> list[tuple[Lump, ...]]:
        return [self.voters.lumps(at, whole=whole) for at in group]

    def _boxes(self, group: Sequence[int], *, whole: bool) -> list[Box]:
        """Return the box of each answer of a group."""
        names = [self.names[at] for at in group]
        return [
            Box({name: lump.mask for name, lump in zip(names, answer, strict=True)})
            for answer in product(*self._lumps(group, whole=whole))
        ]

    def _elected(self, columns: dict[str, NDArray[Any]], rows: int) -> tuple[Floats, ...]:
        """Return each record's weight for each class: elected, surely so, and possibly so."""
        begin, start = self._begun(columns, rows)
        elected = []
        for whole in (True, False) if any(self.cut.values()) else (True,):
            diagram = self.voters.follow(begin, self.groups, whole=whole)
            ends = diagram.ends
            single = ends & (ends.sum(1, keepdims=True) == 1)
            kinds = [ends] if whole else [single, ends]
            elected += self._weighed(diagram, start, columns, kinds, whole=whole)
        return tuple(elected) if len(elected) > 1 else (elected[0],) * 3

    def _begun(self, columns: dict[str, NDArray[Any]], rows: int) -> tuple[Mask, Ints]:
        """Return the leaves that records can reach by their plain values, and which each has."""
        answered = np.zeros(rows, np.int64)
        firsts = np.zeros(1, np.int64)
        taking = []
        for at in self.plain:
            lumps = self.voters.lumps(at, whole=True)
            which = np.argmax([lump.mask for lump in lumps], 0)
            taking.append((which, np.array([self.voters.taking(at, *x.routes) for x in lumps])))
            codes = which[columns[self.names[at]]]
            _, firsts, answered = np.unique(
                answered * len(lumps) + codes, return_index=True, return_inverse=True
            )
        begin = np.ones((len(firsts), self.voters.leaves), np.bool_)
        for at, (which, taken) in zip(self.plain, taking, strict=True):
            begin &= taken[which[columns[self.names[at]][firsts]]]
        return begin, answered

    def _weighed(
        self,
        diagram: Diagram,
        start: Ints,
        columns: dict[str, NDArray[Any]],
        kinds: Sequence[Mask],
        *,
        whole: bool,
    ) -> list[Floats]:
        """Return what each record weighs for each class, by each kind of which ends count."""
        ends = np.concatenate(kinds, 1).astype(np.float64)
        rows = len(start)
        states = max((level.goes.shape[0] for level in diagram.levels), default=0)
        step = max(1, MOST_NUMBERS // (max(1, states) * ends.shape[1]))  # none where all agree
        total = np.empty((rows, ends.shape[1]))
        boxes = [self._boxes(group, whole=whole) for group in self.groups]
        for begin in range(0, rows, step):
            piece = slice(begin, min(begin + step, rows))
            here = {name: column[piece] for name, column in columns.items()}
            below, rest = np.zeros((0, 1, ends.shape[1])), np.zeros(len(start[piece]), np.int64)
            pairs = list(zip(self.groups, boxes, diagram.levels, strict=True))
            for group, answers, level in reversed(pairs):
                below, rest = self._climbed(level, answers, group, here, (below, rest), ends)
            at = diagram.starts[start[piece]]
            total[piece] = _taken(at, below, rest, ends)
        return np.split(total, len(kinds), axis=1)

    def _climbed(
        self,
        level: Level,
        answers: Sequence[Box],
        group: Sequence[int],
        columns: dict[str, NDArray[Any]],
        after: tuple[Floats, Ints],
        ends: Floats,
    ) -> tuple[Floats, Ints]:
        """Return what a level's states weigh, by what was released from it on, and whose it is."""
        below, rest = after
        values = rest
        for name in self.weigher.group(self.names[group[0]]):
            codes = columns[name].astype(np.int64)
            _, values = np.unique(values * (int(codes.max()) + 1) + codes, return_inverse=True)
        _, firsts, values = np.unique(values, return_index=True, return_inverse=True)
        seen = {name: column[firsts] for name, column in columns.items()}
        weights = self.weigher.weights(answers, seen, len(firsts))
        later = rest[firsts]
        states = np.zeros((level.goes.shape[0], len(firsts), ends.shape[1]))
        for goes, weight in zip(level.goes.T, weights, strict=True):
            inner = goes >= 0
            states[inner] += below[goes[inner]][:, later] * weight[:, None]
            states[~inner] += ends[-1 - goes[~inner]][:, None] * weight[:, None]
        return states, values


def _taken(at: Ints, below: Floats, rest: Ints, ends: Floats) -> Floats:
    """Return what records weigh that start at states, or at ends."""
    inner = at >= 0
    taken = np.empty((len(at), ends.shape[1]))
    taken[inner] = below[at[inner], rest[inner]]
    taken[~inner] = ends[-1 - at[~inner]]
    return taken


def _add(values: Floats, out: Ints) -> None:
    """Add numbers to sums by their exponents: whole numbers, so that the order does not matter.

    A forest's weights reach over so many orders of size that no single unit suits them.
    """
    fractions, exponents = np.frexp(values)
    digits = np.rint(np.ldexp(fractions, DIGITS)).astype(np.int64)
    np.add.at(out, np.clip(exponents - SMALLEST, 0, BINS - 1), digits)
