"""The best split of every node where tables were counted, by a compiled search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import in_threads, threads
from privet.tree.kernels import best_in_tables
from privet.tree.scored import TIE, Scored, kind_of, placed, ratios

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding
    from privet.estimate.base import CountTables
    from privet.tree.policy import Policy

__all__ = ["best_counted"]


def best_counted(
    tables: CountTables, codings: Sequence[Coding], policy: Policy
) -> list[Scored | None]:
    """Return the best split of each node, or None where there is none."""
    kinds = np.array([kind_of(coding, policy) for coding in codings])
    gains = np.empty((tables.nodes, len(codings)))
    places = np.empty((tables.nodes, len(codings)), np.int64)
    nexts = np.empty((tables.nodes, len(codings)), np.int64)
    infos = np.zeros((tables.nodes, len(codings)))
    cuts = np.empty((tables.nodes, len(codings)), np.int64)

    def search(chosen: slice) -> None:
        best_in_tables(
            tables.counts[chosen],
            tables.scale,
            tables.offsets,
            kinds,
            float(policy.min_samples_leaf),
            policy.criterion == "gini",
            gains[chosen],
            places[chosen],
            nexts[chosen],
            policy.cut_margin,
            infos[chosen],
            cuts[chosen],
        )

    step = -(-tables.nodes // (2 * threads()))
    for _ in in_threads(search, [slice(at, at + step) for at in range(0, tables.nodes, step)]):
        pass
    allowed = (places >= 0) & (gains >= policy.min_gain - TIE)
    gains[~allowed] = -np.inf
    scores = gains
    if policy.ratio:
        rows = tables.counts[:, : tables.offsets[1]].sum((1, 2)) * tables.scale
        dear = np.array([coding.ordered for coding in codings]) & allowed
        cost = np.log2(cuts, out=np.zeros(cuts.shape), where=dear) / rows[:, None]
        scores = ratios(gains - cost, infos, policy)
        allowed &= scores > -np.inf
    best = np.argmax(scores > scores.max(1, keepdims=True) - TIE, axis=1)
    found: list[Scored | None] = []
    for node, attribute in enumerate(best.tolist()):
        if not allowed[node, attribute]:
            found.append(None)
            continue
        place, after = int(places[node, attribute]), int(nexts[node, attribute])
        gain = float(gains[node, attribute])
        cells = tables.counts[node, tables.offsets[attribute] : tables.offsets[attribute + 1]]
        branch, counts, gap = _counted(cells, codings[attribute], policy, place, after)
        means = counts * np.float64(tables.scale)
        exact = np.full(len(means), np.inf)
        none = np.zeros(means.shape)
        score = float(scores[node, attribute])
        found.append(Scored(attribute, branch, gain, np.inf, score, means, none, exact, gap))
    return found


def _counted(
    cells: NDArray[np.int64], coding: Coding, policy: Policy, place: int, after: int
) -> tuple[NDArray[np.int16], NDArray[np.int64], tuple[int, int]]:
    """Write out the split that the compiled search found: branches, class counts, the gap."""
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
