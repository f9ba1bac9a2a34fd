"""EDUDS: do forests from the originals and from the release cut out the same sub-domains? (FI §4).

Every *original* record is dropped into both forests, and the two intersections that it falls in
are compared, attribute by attribute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.audit.beside import original_table, ranges, released_table
from privet.disguise.rules import Rules, matrix
from privet.errors import InputError
from privet.tree.domains import Limits, intersect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats, Mask
    from privet.schema import Schema
    from privet.tree.tree import Tree

__all__ = ["DOMAINS", "domain_similarity", "eduds"]

DOMAINS = ("range", "segment")


def eduds(
    original: Any,
    released: Any,
    schema: Schema,
    *,
    n_trees: int = 3,
    min_leaf: int | None = None,
    goodness: float = 0.5,
    separation: float = 0.3,
    domain: str = "range",
) -> float:
    """Return how alike the sub-domains of two forests are, 0 to 1 (1 for the same table).

    The forests are grown from the originals and from the released records by SysFor; the settings
    are those of ``ForestFramework``. ``domain`` is what differences of numbers are measured by: the
    attribute's whole ``range``, as the paper's text has it, or that of the ``segment`` where the
    record falls among the originals, as its table 1 has it.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    >>> pv.eduds(table, table, schema)
    1.0
    """
    if domain not in DOMAINS:
        raise InputError(f"domain must be one of {', '.join(map(repr, DOMAINS))}.")
    rules = Rules(n_trees, min_leaf, goodness, separation)
    rules.check("eduds")
    true, shown = original_table(original, schema), released_table(released, schema)
    forests = rules.grown(true, schema), rules.grown(shown, schema)
    return domain_similarity(*forests, matrix(true, schema), schema, domain)


def domain_similarity(
    originals: Sequence[Tree],
    others: Sequence[Tree],
    values: Floats,
    schema: Schema,
    domain: str = "range",
) -> float:
    """Return EDUDS of two forests, by the original records ``values`` (FI eq. 1-3).

    For numbers the difference is (|ΔL| + |ΔH|) by the range, or by what the original segment has
    of it, at most 1; open ends are closed by the range. For
    categories 1 if exactly one intersection tests the attribute (the *or* of the printed eq. 2 is
    exclusive, else its two cases overlap) and 0 if both do. What neither tests is left out; a
    record for which nothing is tested counts as 1.
    """
    low, high = ranges(schema)
    ours, theirs = intersect(originals, values), intersect(others, values)
    # Records that share both intersections have the same terms.
    joint = ours.member * theirs.number + theirs.member
    kinds, times = np.unique(joint, return_counts=True)
    first = ours.limits.within(low, high).at(kinds // theirs.number)
    second = theirs.limits.within(low, high).at(kinds % theirs.number)
    width = high - low if domain == "range" else first.upper - first.lower
    return float((_similarities(first, second, width, schema) * times).sum() / times.sum())


def _similarities(first: Limits, second: Limits, width: Floats, schema: Schema) -> Floats:
    """Return 1 less the mean difference of each pair of intersections."""
    counted: Mask = first.tested | second.tested
    apart = np.abs(first.lower - second.lower) + np.abs(first.upper - second.upper)
    numbers = apart / np.where(width > 0, width, 1.0)
    categories = (first.tested ^ second.tested).astype(np.float64)
    categorical = np.array([attribute.is_categorical for attribute in schema.inputs])
    differ = np.where(categorical, categories, np.clip(numbers, 0.0, 1.0))
    number = counted.sum(axis=1)
    total = np.where(counted, differ, 0.0).sum(axis=1)
    alike: Floats = 1.0 - np.divide(total, number, out=np.zeros(len(total)), where=number > 0)
    return alike
