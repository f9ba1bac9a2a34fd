"""Framework: noise that keeps the rules of one tree (Islam and Brankovic; FI §2).

Numbers get noise inside their leaf's sub-domain, and the class is dealt anew within the leaf, as in
Forest Framework with one tree. Categories are changed to *similar* ones: values are similar if they
share leaves of a tree that is grown to predict them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.disguise.base import method
from privet.disguise.forest_framework import check_noise, dealt, shaken
from privet.disguise.noised import Noised, uniforms
from privet.disguise.rules import SAID, Rules, check_share, matrix
from privet.table import MemoryTable
from privet.tree.domains import intersect

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats, Mask
    from privet.randomness import Randomness
    from privet.schema import Schema

__all__ = ["Framework"]

_MORE = 1 << 20  # streams of words for categories lie behind those for numbers and the class


_CHANGED = (
    "Numbers have noise, categories are changed to similar ones with probability {change}, the "
    "class is dealt anew among records of the same leaf of one tree."
)


@method
@dataclass(frozen=True)
class Framework(Noised):
    """Noise under which every record stays in its leaf of one tree.

    No formal guarantee: whoever grows the same tree knows for certain the interval that a true
    number lies in, and a category that the tree tests on the record's path is plain.

    Parameters
    ----------
    noise
        The standard deviation of the noise, as a share of each attribute's range.
    mean
        The mean of the noise, likewise; 0 by default.
    change
        The probability that a category becomes a similar one; what is tested on the record's
        path never does.
    min_leaf
        The least records in a leaf; by default 4 % of the records, two at least.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    >>> pv.Framework(noise=0.1).disguise(table, schema).claim
    <Claim: no formal guarantee>
    """

    method: ClassVar[str] = "framework"
    said = _CHANGED, SAID

    noise: float = 0.1
    change: float = 0.2
    min_leaf: int | None = None
    mean: float = 0.0

    @property
    def rules(self) -> Rules:
        """How the tree is grown.

        >>> Framework(min_leaf=20).rules.n_trees
        1
        """
        return Rules(1, self.min_leaf)

    def check(self, schema: Schema) -> None:
        """Validate settings, and refuse numbers without room for noise.

        >>> from privet import datasets
        >>> Framework(change=0.1).check(datasets.schema("as-f1"))
        """
        self.rules.check("Framework")
        check_noise("Framework", self.noise, schema, self.mean)
        check_share("Framework", "change", self.change)

    def perturb(self, table: MemoryTable, schema: Schema, source: Randomness) -> MemoryTable:
        """Return the records with noise, each in its leaf of the tree.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
        >>> pv.Framework(noise=0.1).disguise(table, schema).rows
        300
        """
        leaves = intersect(self.rules.grown(table, schema), matrix(table, schema))
        made = shaken(leaves, table, schema, source, self.noise, self.mean)
        columns: dict[str, NDArray[Any]] = dict(made)
        columns |= dealt(leaves.member, table, [schema.target], schema, source)
        for place, attribute in enumerate(schema.inputs):
            if attribute.is_categorical:
                free = ~leaves.limits.tested[:, place][leaves.member]
                drawn = uniforms(source, _MORE + place, 2 * table.rows)
                columns[attribute.name] = self._similar(attribute.name, table, schema, drawn, free)
        return MemoryTable({name: columns[name] for name in schema.names})

    def _similar(
        self, name: str, table: MemoryTable, schema: Schema, drawn: Floats, free: Mask
    ) -> NDArray[Any]:
        """Return a column in which some codes became another one of the same leaf.

        The leaf is that of a tree grown to predict the attribute from all others; which other
        code, is drawn by how often it is there. A leaf of one code changes nothing.
        """
        codes = table.columns[name]
        size = schema[name].coding().size
        if self.change == 0 or size < 2 or (codes == codes[0]).all():
            return codes
        (tree,) = self.rules.grow(table, schema, name)
        leaf = tree.apply(matrix(table, schema, name))
        counts = np.zeros((tree.nodes, size))
        np.add.at(counts, (leaf, codes), 1)
        made = codes.copy()
        for code in np.unique(codes):
            rows = np.flatnonzero((codes == code) & free & (drawn[::2] < self.change))
            others = counts[leaf[rows]]
            others[:, code] = 0
            heaped = np.cumsum(others, axis=1)
            rows, heaped = rows[heaped[:, -1] > 0], heaped[heaped[:, -1] > 0]
            wanted = drawn[2 * rows + 1] * heaped[:, -1]
            made[rows] = (heaped <= wanted[:, None]).sum(axis=1)
        return made
