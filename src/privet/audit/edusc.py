"""EDUSC: are splits worth the same in the originals and in the release? (FI §5, eq. 4-5).

The released records are forced through the trees of the originals, and at every node and leaf what
each attribute would gain is compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privet.audit.beside import original_table, released_table
from privet.audit.kernels import best_cut
from privet.disguise.rules import Rules, matrix
from privet.errors import InputError
from privet.split.criterion import criterion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats, Mask
    from privet.schema import Schema
    from privet.table import MemoryTable
    from privet.tree.tree import Tree

__all__ = ["CRITERIA", "FORMS", "edusc", "split_similarity"]

CRITERIA = ("gain-ratio", "gain", "gini")
FORMS = ("printed", "by-records")
LEAST = 0.01  # of a gain ratio that counts, as in C4.5
Criterion = Literal["gain-ratio", "gain", "gini"]
Form = Literal["printed", "by-records"]


def edusc(
    original: Any,
    released: Any,
    schema: Schema,
    *,
    criterion: Criterion = "gain-ratio",
    form: Form = "printed",
    n_trees: int = 3,
    min_leaf: int | None = None,
    goodness: float = 0.5,
    separation: float = 0.3,
) -> float:
    """Return how alike the gains of splits are in the trees of the originals (1: the same table).

    Parameters
    ----------
    criterion
        ``gain-ratio``; ``gain``, by log2 of the number of classes; or ``gini``, by its largest
        possible value: all from 0 to 1.
    form
        ``printed`` divides the sum over nodes by their number and by all records (eq. 4), so that
        it tends to 1 as trees grow, whatever the release; ``by-records`` divides by the records
        of all nodes together, so that trees of any size can be compared.
    n_trees, min_leaf, goodness, separation
        Of the forest grown from the originals; as for ``ForestFramework``.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    >>> pv.edusc(table, table, schema)
    1.0
    """
    rules = Rules(n_trees, min_leaf, goodness, separation)
    rules.check("edusc")
    true, shown = original_table(original, schema), released_table(released, schema)
    if form not in FORMS:
        raise InputError(f"There is no form {form!r}; there are {', '.join(FORMS)}.")
    similarities = split_similarity(rules.grown(true, schema), true, shown, schema, criterion)
    return similarities[form]


def split_similarity(
    trees: Sequence[Tree],
    original: MemoryTable,
    released: MemoryTable,
    schema: Schema,
    criterion: Criterion = "gain-ratio",
) -> dict[Form, float]:
    """Return EDUSC in both forms for given trees of the originals.

    An attribute counts at a node if one of its two gains is at least 0.01; a node where none does
    has no difference. Each table's best threshold is its own.
    """
    if criterion not in CRITERIA:
        raise InputError(f"There is no criterion {criterion!r}; there are {', '.join(CRITERIA)}.")
    sides = [_Sorted(table, schema, criterion) for table in (original, released)]
    similarities: dict[Form, list[float]] = {"printed": [], "by-records": []}
    for tree in trees:
        leaves = [tree.apply(side.values) for side in sides]
        away, weight = 0.0, 0.0
        for below in _below(tree):
            inside = [below[leaf] for leaf in leaves]
            gains, other_gains = (
                side.gains(rows) for side, rows in zip(sides, inside, strict=True)
            )
            counted = np.maximum(gains, other_gains) >= LEAST
            rows = float(inside[0].sum())
            weight += rows
            if counted.any():
                away += rows * float(np.abs(gains - other_gains)[counted].mean())
        similarities["printed"].append(1.0 - away / (original.rows * tree.nodes))
        similarities["by-records"].append(1.0 - away / weight)
    return {form: float(np.mean(values)) for form, values in similarities.items()}


def _below(tree: Tree) -> Mask:
    """Return which leaves hang below each node, or are it: nodes × nodes."""
    below = np.zeros((tree.nodes, tree.nodes), np.bool_)
    for node in range(tree.nodes - 1, -1, -1):
        if tree.child[node] < 0:
            below[node, node] = True
        for kid in tree.children(node):
            below[node] |= below[kid]
    return below


class _Sorted:
    """A table whose numeric columns are sorted once; a node's records then are in order too."""

    def __init__(self, table: MemoryTable, schema: Schema, criterion: Criterion) -> None:
        self.values = matrix(table, schema)
        self.labels = table.columns[schema.target].astype(np.int64)
        self.classes = len(schema.classes)
        self.criterion = criterion
        self.sizes = [
            attribute.coding().size if attribute.is_categorical else 0
            for attribute in schema.inputs
        ]
        self.orders = [
            np.empty(0, np.int64)
            if size
            # What is missing is never "at most" anything: it comes last, behind all numbers.
            else np.argsort(self.values[:, place], kind="stable")
            for place, size in enumerate(self.sizes)
        ]

    def gains(self, inside: Mask) -> Floats:
        """Return what each attribute gains among some records, 0 to 1."""
        gains = np.zeros(len(self.sizes))
        if not inside.any():
            return gains
        for place, size in enumerate(self.sizes):
            if size:
                gain, bits = self._branches(inside, place, size)
            else:
                rows = self.orders[place][inside[self.orders[place]]]
                numbers = np.nan_to_num(self.values[rows, place], nan=np.inf)
                gain, bits = best_cut(
                    numbers, self.labels[rows], self.classes, self.criterion == "gini"
                )
            gains[place] = self._normalised(gain, bits)
        return gains

    def _branches(self, inside: Mask, place: int, size: int) -> tuple[float, float]:
        """Return the gain of one branch per category, and the entropy of the branches' sizes."""
        counts = np.zeros((size, self.classes))
        np.add.at(counts, (self.values[inside, place].astype(np.int64), self.labels[inside]), 1)
        kind: Literal["gini", "entropy"] = "gini" if self.criterion == "gini" else "entropy"
        rows = counts.sum()
        gain = float(
            criterion(kind).impurity(counts.sum(axis=0)) - criterion(kind).impurity(counts).sum()
        )
        return gain / rows, float(criterion("entropy").impurity(counts.sum(axis=1))) / rows

    def _normalised(self, gain: float, bits: float) -> float:
        if self.criterion == "gain-ratio":
            return min(1.0, gain / bits) if bits > 0 else 0.0
        if self.classes < 2:
            return 0.0
        largest = 1.0 - 1.0 / self.classes if self.criterion == "gini" else np.log2(self.classes)
        return float(gain / largest)
