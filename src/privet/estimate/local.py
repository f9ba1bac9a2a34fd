"""The method ``local``: distributions reconstructed class by class, again at every node (AS).

Every record sits in one node. A node's table of an attribute comes from what its own records show,
each class by itself; when a node is split, its records are given to the cells of the tested
attribute in the estimated numbers, as ``by-class`` does once for all. An attribute that was tested
on the path keeps the cells its records were given to there: noise among records that were chosen by
their noisy value no longer has the law on the card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.channel import CoarseNoise, Noise
from privet.compiled import in_threads
from privet.errors import MethodError
from privet.estimate.base import CountedFrontier, Evidence
from privet.estimate.byclass import STOP, assign
from privet.estimate.distribution import Distribution
from privet.estimate.matrix_reconstruction import LIMIT
from privet.estimate.noisy import coarse_channel
from privet.estimate.reconstruction import deconvolved, intervals_for
from privet.split.counted import CountTables, offsets_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Coding, Floats, Ints, Mask, Value
    from privet.release import Release
    from privet.split.scored import Splits

__all__ = ["LocalEvidence"]

UNIT = 1 << 20  # of an estimated count, in whole numbers


@dataclass(frozen=True, eq=False)
class _Node:
    """An open node: its rows, the cells given to them on the path, and every attribute's table."""

    rows: Ints
    given: Mapping[int, NDArray[Any]]
    tables: tuple[Floats, ...]


class _Seen:
    """What was released of an attribute: codes, and the channel they come from, if any."""

    def __init__(self, codes: NDArray[Any], channel: Channel | None, size: int) -> None:
        self.codes = codes
        self.channel = channel
        self.size = size
        self.outputs = size
        if isinstance(channel, CoarseNoise):
            self.outputs = channel.noise.output_size
        elif channel is not None:
            self.outputs = channel.output_size

    def counts(self, rows: Ints, label: NDArray[Any], classes: int) -> Floats:
        """Return how often each class shows each code among some rows."""
        joint = label * np.int64(self.outputs) + self.codes[rows]
        counts = np.bincount(joint, minlength=classes * self.outputs)
        return counts.reshape(classes, self.outputs).astype(np.float64)

    def estimates(self, counts: Floats) -> list[Floats]:
        """Return the estimated cells of each class."""
        channel = self.channel
        if channel is None:
            return list(counts)
        if isinstance(channel, CoarseNoise):
            heaped = np.add.reduceat(counts, channel.starts, axis=1)
            return [deconvolved((channel,), row, stop=STOP).counts for row in heaped]
        how = "rescale" if channel.inputs == channel.outputs else "em"
        return [Distribution(row, channel).counts(how) for row in counts]


class LocalEvidence(Evidence):
    """Evidence of a release of one part, reconstructed at every node; it works in memory."""

    def __init__(self, release: Release, codings: Mapping[str, Coding | None]) -> None:
        part = release.parts[0]
        table = part.table.collect(LIMIT)
        self.classes: tuple[Value, ...] = tuple(release.schema.classes)
        self._label = table.columns[release.schema.target].astype(np.int64)
        cells = intervals_for(table.rows)
        read: list[Coding] = []
        self._seen: list[_Seen] = []
        for attribute in release.schema.inputs:
            name = attribute.name
            channel = part.channel(name)
            column = table.columns[name]
            if channel is not None and len(channel.attributes) > 1:
                message = f"The method 'local' cannot read {', '.join(channel.attributes)}, which "
                raise MethodError(message + "were disguised together.", hint="use method='auto'.")
            coding = codings[name]
            if isinstance(channel, Noise):
                column = channel.observed(column)
                channel = coarse_channel(release, channel, cells)
                coding = channel.coding
            elif coding is not None and column.dtype.kind != "u":
                column = coding.encode(column)
            if coding is None:
                message = f"The method 'local' knows no cells of {name!r}."
                raise MethodError(message)
            read.append(coding)
            self._seen.append(_Seen(column, channel, coding.size))
        self.codings = tuple(read)
        self._offsets = offsets_of(self.codings)

    def root(self) -> CountedFrontier:
        """Return the frontier of the root, with all records."""
        return self._frontier([self._node(np.arange(len(self._label)), {})])

    def _frontier(self, nodes: list[_Node]) -> CountedFrontier:
        shape = (len(nodes), int(self._offsets[-1]), len(self.classes))
        counts = np.zeros(shape, np.int64)
        for place, node in enumerate(nodes):
            counts[place] = np.rint(np.concatenate(node.tables) * UNIT)
        return CountedFrontier(self.codings, CountTables(counts, self._offsets, 1 / UNIT), nodes)

    def split(self, frontier: CountedFrontier, splits: Splits, keep: Mask) -> CountedFrontier:
        """Give the records of split nodes to cells, and each child its own; reconstruct anew."""
        before: list[_Node] = frontier.state
        wanted: list[tuple[Ints, dict[int, NDArray[Any]]]] = []
        place = 0
        for number, node in enumerate(before):
            branches = int(splits.branches[number])
            kept = keep[place : place + branches]
            place += branches
            if not kept.any():
                continue
            tested = int(splits.attribute[number])
            codes = self._cells(node, tested)
            taken = splits.branch[number][codes]
            for branch in np.flatnonzero(kept):
                inside = taken == branch
                given = {name: column[inside] for name, column in node.given.items()}
                wanted.append((node.rows[inside], given | {tested: codes[inside]}))
        return self._frontier(list(in_threads(lambda node: self._node(*node), wanted)))

    def _node(self, rows: Ints, given: Mapping[int, NDArray[Any]]) -> _Node:
        label = self._label[rows]
        classes = len(self.classes)
        tables = []
        for place, seen in enumerate(self._seen):
            if place in given:
                joint = given[place].astype(np.int64) * classes + label
                counts = np.bincount(joint, minlength=seen.size * classes)
                tables.append(counts.reshape(seen.size, classes).astype(np.float64))
            else:
                tables.append(np.stack(seen.estimates(seen.counts(rows, label, classes)), axis=1))
        return _Node(rows, given, tuple(tables))

    def _cells(self, node: _Node, place: int) -> NDArray[Any]:
        """Return the cells of an attribute that a node's records are given to."""
        if place in node.given:
            return node.given[place]
        seen = self._seen[place]
        codes = seen.codes[node.rows]
        if seen.channel is None:
            return codes
        label = self._label[node.rows]
        counts = seen.counts(node.rows, label, len(self.classes))
        return assign(codes, label, list(node.tables[place].T), counts)
