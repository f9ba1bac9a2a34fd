"""Which of two trees is right more often about the originals, told by disguised records.

Both trees are judged by the same records, which neither grew on: a record adds the difference of
what it weighs for either tree, so what the trees have in common adds nothing to the
error. Cells are taken whole, on the side of their centres.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.errors import MethodError
from privet.estimate.measured import at_thresholds
from privet.estimate.merged import aligned
from privet.estimate.weigher import Weigher

if TYPE_CHECKING:
    from privet.release import Release
    from privet.tree.tree import Tree

__all__ = ["APART", "Lead", "lead_of"]

# Of the records: how far trees of two methods are apart, as a standard deviation. Where at γ = 3 a
# lead of 217 ± 59 points was believed, a tree that is right about 97 % gave way to one of 81 %.
APART = 0.1
ROUNDING = 1e-9  # of the records: trees that say the same of all differ by less


class Lead(NamedTuple):
    """By how much one tree is right more often than another, and its standard error."""

    value: float
    error: float

    def surely(self, more: float = 0.0) -> float:
        """Return by how many standard errors the lead is above ``more``; what has no error is sure.

        Leads are expected to be about ``APART``: how sure one is that was measured with a larger
        error hangs on that, however large it came out.

        >>> [round(lead.surely(0.01), 2) for lead in (Lead(0.05, 0.02), Lead(2.0, 0.6))]
        [1.96, 0.55]
        """
        over = self.value - more
        if self.error > 0:
            return over / self.error * APART / math.hypot(APART, self.error)
        return math.copysign(math.inf, over) if abs(over) > ROUNDING else 0.0

    def __str__(self) -> str:
        return f"{abs(100 * self.value):.1f} ± {100 * self.error:.1f} points"


def lead_of(tree: Tree, other: Tree, release: Release) -> Lead:
    """Return by how much a tree leads another on a release that neither grew from.

    >>> import privet as pv
    >>> schema, disguise = pv.datasets.schema("as-f1", bins=6), pv.RandomSubstitution(20, bins=6)
    >>> table = pv.datasets.load("as-f1", rows=9_000, seed=1)
    >>> grown, tested = disguise.disguise(table, schema, seed=2).split(0.5)
    >>> tree = pv.TreeClassifier(method="direct", max_depth=2).fit(grown).tree_
    >>> lead = lead_of(tree, tree.take([0]), tested)
    >>> lead.value > 4 * lead.error
    True
    """
    parts = aligned(release).parts if release.drawn else release.parts
    mean = squares = rows = 0.0
    trees = [at_thresholds(grown, release, (tree, other)) for grown in (tree, other)]
    boxes = [tree.boxes[leaf] for tree in trees for leaf in tree.leaves]
    labels = np.concatenate([tree.label[tree.leaves] for tree in trees])
    signs = np.repeat([1.0, -1.0], [len(tree.leaves) for tree in trees])
    coefficients = np.eye(len(tree.classes))[labels] * signs[:, None]
    for part in parts:
        weigher = Weigher(part, trees[0].codings, tree.target, len(tree.classes))
        if not all(weigher.readable.issuperset(box.masks) for box in boxes):
            raise MethodError("Some channels of the release cannot be inverted.")
        mean += part.sign * float(
            (weigher.sums(boxes).first @ weigher.labels.T * coefficients).sum()
        )
        squares += float(weigher.squares(boxes, coefficients[None])[0])
        rows += part.sign * part.table.rows
    # What a record is expected to add is 1, -1 or 0; at least as many add something as the lead is.
    error = math.sqrt(max(0.0, squares - abs(mean))) / rows
    return Lead(mean / rows, error)
