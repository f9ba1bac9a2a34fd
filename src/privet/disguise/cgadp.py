"""CGADP: GADP on normal scores, for numbers that are not normal (Sarathy and others, 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from privet.disguise.base import method
from privet.disguise.gadp import GADP, confidential_columns
from privet.disguise.noised import normals
from privet.disguise.regression import root, side_columns, warn_singular

if TYPE_CHECKING:
    from privet.coding import Floats
    from privet.randomness import Randomness
    from privet.schema import Attribute, Schema
    from privet.table import MemoryTable

__all__ = ["CGADP", "copula", "scores"]


@method
@dataclass(frozen=True)
class CGADP(GADP):
    """GADP by a normal copula: ranks go through it, and come back by the originals' quantiles.

    Each column keeps its distribution, and rank correlations stay, on average. No formal
    guarantee: besides what GADP gives away, the smallest and the largest number of a column are
    released. Parameters as for ``GADP``; the domains are always kept.
    """

    method: ClassVar[str] = "cgadp"

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute: quantiles of the originals never leave its range."""
        return attribute

    def perturb(self, table: MemoryTable, schema: Schema, source: Randomness) -> MemoryTable:
        """Return the records with confidential numbers drawn anew."""
        names = self.changed(schema)
        true = confidential_columns(self._who, table, names)
        sides = side_columns(table, schema, names)
        sides = sides[:, np.ptp(sides, axis=0) > 0] if sides.shape[1] else sides
        width = true.shape[1]
        ranks = scores(np.column_stack([true, sides]))
        correlation = copula(ranks)
        own, cross = correlation[:width, :width], correlation[:width, width:]
        rank = np.linalg.matrix_rank(correlation[width:, width:], hermitian=True)
        warn_singular(len(correlation) - width - int(rank), 0)
        slopes = cross @ np.linalg.pinv(correlation[width:, width:], hermitian=True)
        mean = ranks[:, width:] @ slopes.T
        spread = root((1.0 - self.proximity**2) * (own - slopes @ cross.T))
        noise = np.column_stack([normals(source, place, len(true)) for place in range(width)])
        drawn = mean + self.proximity * (ranks[:, :width] - mean) + noise @ spread.T
        columns = dict(table.columns)
        for place, name in enumerate(names):
            held = _quantiles(true[:, place], drawn[:, place])
            columns[name] = np.rint(held) if schema[name].integer else held
        return type(table)(columns)


def scores(columns: Floats) -> Floats:
    """Return normal scores of columns: Φ⁻¹((rank − ½) / n), equal numbers with their mean rank.

    >>> scores(np.array([[3.0], [1.0], [2.0]])).round(3).ravel().tolist()
    [0.967, -0.967, 0.0]
    """
    ranks = rankdata(columns, axis=0)
    held: Floats = ndtri((ranks - 0.5) / len(columns))
    return held


def copula(ranked: Floats) -> Floats:
    """Return the normal correlations 2 sin(π r / 6) of rank correlations r, made into a valid set.

    Single correlations may not fit together; negative directions are then cut off, and the
    diagonal brought back to one.
    """
    ranks = rankdata(ranked, axis=0)
    spearman = np.atleast_2d(np.corrcoef(ranks, rowvar=False))
    correlation = 2.0 * np.sin(np.pi * spearman / 6.0)
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    if values[0] < 0:
        correlation = (vectors * np.maximum(values, 0.0)) @ vectors.T
        scale = np.sqrt(np.diag(correlation))
        correlation = correlation / np.outer(scale, scale)
    held: Floats = correlation
    return held


def _quantiles(true: Floats, drawn: Floats) -> Floats:
    """Return the originals' quantiles at the probabilities of drawn scores, between neighbours."""
    rows = len(true)
    places = (np.arange(rows) + 0.5) / rows
    held: Floats = np.interp(ndtr(drawn), places, np.sort(true))
    return held
