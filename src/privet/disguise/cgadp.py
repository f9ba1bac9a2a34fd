"""CGADP: GADP on normal scores, for numbers that are not normal (Sarathy and others, 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.disguise.base import method
from privet.disguise.gadp import GADP, REGRESSION_SAID, confidential_columns
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
    guarantee: besides what GADP discloses, the smallest and the largest number of a column are
    released. Parameters as for ``GADP``; the domains are always kept.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    >>> released = pv.CGADP(["age"]).disguise(table, schema, seed=1).to_frame()
    >>> abs(float(np.median(table["age"]) - np.median(released["age"]))) < 1
    True
    """

    method: ClassVar[str] = "cgadp"
    said = (
        (
            "Confidential numbers are drawn anew by a normal copula with all else, with "
            "proximity {proximity}, from the originals' own distributions, the smallest and the"
            " largest number included; all other attributes are plain."
        ),
        REGRESSION_SAID,
    )

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute: quantiles of the originals never leave its range.

        >>> import privet as pv
        >>> pv.CGADP().released(pv.Attribute.numeric("age", low=20, high=80)).range
        (20.0, 80.0)
        """
        return attribute

    def perturb(self, table: MemoryTable, schema: Schema, source: Randomness) -> MemoryTable:
        """Return the records with confidential numbers drawn anew.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
        >>> released = pv.CGADP(["age"]).disguise(table, schema).to_frame()
        >>> bool(min(released["age"].to_pylist()) >= min(table["age"].to_pylist()))
        True
        """
        names = self.changed(schema)
        true = confidential_columns(self._who, table, names)
        sides = side_columns(table, schema, names)
        sides = sides[:, np.ptp(sides, axis=0) > 0] if sides.shape[1] else sides
        width = true.shape[1]
        ranks = scores(np.column_stack([true, sides]))
        ranks[:, width:] /= ranks[:, width:].std(axis=0)  # tied scores vary less than by 1
        correlation = copula(ranks, width)
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
            values = _quantiles(true[:, place], drawn[:, place])
            columns[name] = np.rint(values) if schema[name].integer else values
        return type(table)(columns)


def scores(columns: Floats) -> Floats:
    """Return normal scores of columns: Φ⁻¹((rank − ½) / n), equal numbers with their mean rank.

    >>> scores(np.array([[3.0], [1.0], [2.0]])).round(3).ravel().tolist()
    [0.967, -0.967, 0.0]
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    ranks = rankdata(columns, axis=0)
    normal: Floats = ndtri((ranks - 0.5) / len(columns))
    return normal


def copula(ranked: Floats, drawn: int) -> Floats:
    """Return the correlations of a normal law behind scores, made into a valid set.

    Without ties they are 2 sin(π r / 6) of the rank correlations r. A column with ties has r of
    another scale, and its own correlation c of scores is taken instead. The first ``drawn`` columns
    are drawn anew without ties and come back with them, which shrinks c by the correlation of the
    scores with and without ties; so c is divided by it. Single correlations may not fit together;
    negative directions are then cut off, and the diagonal brought back to 1.
    """
    from scipy.stats import rankdata

    rows, width = ranked.shape
    spearman = np.atleast_2d(np.corrcoef(rankdata(ranked, axis=0), rowvar=False))
    tied = np.array([len(np.unique(column)) < rows for column in ranked.T])
    untied = scores(np.arange(float(rows))[:, None]).ravel()
    shrunk = np.ones(width)
    shrunk[:drawn] = [np.corrcoef(np.sort(column), untied)[0, 1] for column in ranked.T[:drawn]]
    of_scores = np.atleast_2d(np.corrcoef(ranked, rowvar=False)) / np.outer(shrunk, shrunk)
    correlation = np.where(tied | tied[:, None], of_scores, 2.0 * np.sin(np.pi * spearman / 6.0))
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    if values[0] < 0:
        correlation = (vectors * np.maximum(values, 0.0)) @ vectors.T
        scale = np.sqrt(np.diag(correlation))
        correlation = correlation / np.outer(scale, scale)
    result: Floats = correlation
    return result


def _quantiles(true: Floats, drawn: Floats) -> Floats:
    """Return the originals' quantiles at the probabilities of drawn scores, between neighbours."""
    from scipy.special import ndtr

    rows = len(true)
    places = (np.arange(rows) + 0.5) / rows
    quantiles: Floats = np.interp(ndtr(drawn), places, np.sort(true))
    return quantiles
