"""How many errors a split has to save, by what half of the records say of trees from the other.

A tree that is grown from one table fits chance as well. The other half of the records has the same
truth and another chance: of the trees that remain where each split must save more and more errors,
the tree with the fewest errors by the other half's table is as large as the records allow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.tree.prune import worth_their_cost

if TYPE_CHECKING:
    from collections.abc import Callable

    from privet.coding import Floats, Mask
    from privet.estimate.base import Evidence
    from privet.estimate.fitted import FittedEvidence
    from privet.tree import Tree

__all__ = ["errors_by_cost"]


def errors_by_cost(
    halves: tuple[FittedEvidence, FittedEvidence],
    grown: Callable[[Evidence], Tree],
    rows: int,
) -> dict[float, float]:
    """Return how often trees from either half err by the other, for each cost of a split."""
    costs = 2.0 ** np.arange(0, np.log2(max(rows, 2)), 0.5)
    errors = np.zeros(len(costs))
    for own, other in (halves, halves[::-1]):
        tree = grown(own)
        leaves = tree.leaves.tolist()
        counts = np.zeros((tree.nodes, len(tree.classes)))
        counts[leaves] = other.tables([tree.boxes[leaf] for leaf in leaves]).totals
        for node in np.flatnonzero(tree.child >= 0)[::-1].tolist():
            counts[node] = counts[tree.children(node)].sum(0)
        wrong = counts.sum(1) - counts[np.arange(tree.nodes), tree.label]
        errors += _errors(tree, worth_their_cost(tree, costs), wrong)
    return dict(zip(costs.tolist(), errors.tolist(), strict=True))


def _errors(tree: Tree, stays: Mask, wrong: Floats) -> Floats:
    """Return the errors of trees in each of which only some tests stay, nodes × trees."""
    errors = np.add.outer(wrong, np.zeros(stays.shape[1:]))
    for node in np.flatnonzero(tree.child >= 0)[::-1].tolist():
        errors[node] = np.where(stays[node], errors[tree.children(node)].sum(0), errors[node])
    left: Floats = errors[0]
    return left
