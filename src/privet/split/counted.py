"""Tables that were counted, those of all open nodes in one block; their best splits, compiled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import in_threads, threads
from privet.split.candidates import best_split, every_candidate
from privet.split.criterion import criterion
from privet.split.scored import TIE, Scored, kind_of, placed, ratios
from privet.split.tables import Counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Ints
    from privet.split.policy import Policy

__all__ = ["CountTables", "best_counted", "offsets_of"]


@dataclass(frozen=True)
class CountTables:
    """Tables that were counted: whole numbers times ``scale``, nodes × cells × classes.

    The cells of attribute ``a`` are ``offsets[a]:offsets[a + 1]``. ``whole`` says that each node's
    tables count all records of its box, and the same ones. Where records have weights, which
    ``counts`` adds up, ``rows`` (nodes × cells) says how many records there are.
    """

    counts: Ints
    offsets: Ints
    scale: float = 1.0
    whole: bool = False
    rows: Ints | None = None

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.counts)

    @property
    def totals(self) -> Floats:
        """The class counts of each node."""
        totals: Floats = self.counts[:, : self.offsets[1]].sum(1) * self.scale
        return totals

    def at(self, node: int) -> list[Counted]:
        """Return one node's tables, one per attribute."""
        cells = self.counts[node] * self.scale
        rows = None if self.rows is None else self.rows[node].astype(np.float64)
        bounds = zip(self.offsets[:-1], self.offsets[1:], strict=True)
        return [
            Counted(cells[start:stop], None if rows is None else rows[start:stop])
            for start, stop in bounds
        ]

    def names(self) -> list[bytes]:
        """Name each node, if tables are ``whole``: nodes of one name hold the same records.

        A node holds all records of its box, hence all records of those cells that occur in it.
        """
        occurs = (self.counts != 0).reshape(self.nodes, -1)
        return [row.tobytes() for row in np.packbits(occurs, axis=1)]

    def of(self, nodes: Ints) -> CountTables:
        """Return the tables of some of the nodes, which are in order."""
        if len(nodes) == self.nodes:
            return self
        rows = None if self.rows is None else self.rows[nodes]
        return replace(self, counts=self.counts[nodes], rows=rows)


def offsets_of(codings: Sequence[Coding]) -> Ints:
    """Return where each attribute's cells start, and the end."""
    return np.cumsum([0, *(coding.size for coding in codings)]).astype(np.int64)


def best_counted(
    tables: CountTables, codings: Sequence[Coding], policy: Policy
) -> list[Scored | None]:
    """Return the best split of each node, or None where there is none."""
    search_tables = criterion(policy.criterion).search
    if search_tables is None:
        every = (every_candidate(tables.at(node), codings, policy) for node in range(tables.nodes))
        return [best_split(candidates, policy) for candidates in every]
    kinds = np.array([kind_of(coding, policy) for coding in codings])
    gains = np.empty((tables.nodes, len(codings)))
    places = np.empty((tables.nodes, len(codings)), np.int64)
    nexts = np.empty((tables.nodes, len(codings)), np.int64)
    infos = np.zeros((tables.nodes, len(codings)))
    cuts = np.empty((tables.nodes, len(codings)), np.int64)

    sizes = np.empty((0, 0), np.int64) if tables.rows is None else tables.rows

    def search(chosen: slice) -> None:
        search_tables(
            tables.counts[chosen],
            tables.scale,
            sizes[chosen],
            tables.offsets,
            kinds,
            float(policy.min_samples_leaf),
            float(policy.min_weight_leaf),
            gains[chosen],
            places[chosen],
            nexts[chosen],
            policy.cut_margin,
            infos[chosen],
            cuts[chosen],
        )

    step = max(1, -(-tables.nodes // (2 * threads())))
    for _ in in_threads(search, [slice(at, at + step) for at in range(0, tables.nodes, step)]):
        pass
    allowed = (places >= 0) & (gains >= -TIE)
    gains[~allowed] = -np.inf
    scores = gains
    if policy.ratio:
        rows = tables.totals.sum(1)
        dear = np.array([coding.ordered for coding in codings]) & allowed
        cost = np.log2(cuts, out=np.zeros(cuts.shape), where=dear) / rows[:, None]
        scores = ratios(gains - cost, infos, policy)
        allowed &= scores > -np.inf
    best = np.argmax(scores > scores.max(1, keepdims=True) - TIE, axis=1)
    splits: list[Scored | None] = []
    for node, attribute in enumerate(best.tolist()):
        if not allowed[node, attribute]:
            splits.append(None)
            continue
        place, after = int(places[node, attribute]), int(nexts[node, attribute])
        gain = float(gains[node, attribute])
        cells = slice(tables.offsets[attribute], tables.offsets[attribute + 1])
        table = tables.counts[node, cells]
        branch, counts, gap = _counted(table, codings[attribute], policy, place, after)
        means = counts * np.float64(tables.scale)
        sure = np.zeros(len(means), np.bool_)
        none = np.zeros(means.shape)
        score = float(scores[node, attribute])
        records = None
        if tables.rows is not None:
            taken = np.bincount(branch, tables.rows[node, cells], len(means))
            records = taken.astype(np.float64)
        sums = means, none, none[:, 0], sure
        splits.append(Scored(attribute, branch, gain, np.inf, score, *sums, gap, records))
    return splits


def _counted(
    cells: Ints, coding: Coding, policy: Policy, place: int, after: int
) -> tuple[NDArray[np.int16], Ints, tuple[int, int]]:
    """Write out the split that the compiled search chose: branches, class counts, the gap."""
    kind = kind_of(coding, policy)
    size = len(cells)
    if kind == 0:
        last, _ = coding.cut(place, after)
        branch = np.zeros(size, np.int16)
        branch[last + 1 :] = 1
        counts = np.add.reduceat(cells, (0, last + 1))
        return branch, counts, (place, after)
    if kind == 1:
        label, length = divmod(place, size)
        rows = cells.sum(1)
        share = np.divide(cells[:, label], rows, out=np.full(size, 2.0), where=rows > 0)
        branch = np.ones(size, np.int16)
        branch[np.argsort(share, kind="stable")[:length]] = 0
        branch, gap = placed(branch, rows == 0, rows, coding)
        return branch, np.stack([cells[branch == 0].sum(0), cells[branch == 1].sum(0)]), gap
    return np.arange(size, dtype=np.int16), cells, (-1, -1)
