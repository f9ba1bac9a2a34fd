"""The unrelated question: randomized response that also works at θ = 0.5 (ZCM §4.2.2).

With probability θ a person answers the question asked, otherwise another that has nothing to do
with it and whose answers are known to be spread as ``answers`` (Greenberg and others, 1969): the
half of the year one was born in, say. What is released is y with

    P*(y) = θ·P(y) + (1−θ)·a(y),    so    P(y) = (P*(y) − (1−θ)·a(y)) / θ,

whose variance over people is P*(1−P*)/(n·θ²). Unlike Warner's opposite question it can be inverted
at every θ above 0, and its ε is that of the largest ratio, ln(1 + θ/((1−θ)·min a)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.channel.matrix import WrittenMatrix
from privet.disguise.treatment import Treatment, cut, treatment
from privet.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats
    from privet.schema import Attribute

__all__ = ["UnrelatedQuestion"]


@treatment
@dataclass(frozen=True)
class UnrelatedQuestion(Treatment):
    """Answer truly with probability θ, else another question whose answers are known.

    Protects the attribute by ε = ln(1 + θ/((1−θ)·min a)), a being the shares of the other
    question's answers. ``privet.shares`` estimates the true shares with their errors, trees and
    naive Bayes learn from it as from any channel.

    Parameters
    ----------
    theta
        The probability of the question asked; above 0 and below 1, 0.5 included.
    answers
        The shares of the other question's answers, in the order of the attribute's values; by
        default all alike.
    bins
        Into how many cells numbers are cut; by default as the attribute says.

    Examples
    --------
    >>> import privet as pv
    >>> smoker = pv.Attribute.categorical("smoker", ["no", "yes"])
    >>> schema = pv.Schema([smoker, pv.Attribute.categorical("ill", [0, 1])], target="ill")
    >>> plan = pv.Plan({"smoker": pv.UnrelatedQuestion(0.5, [0.5, 0.5]), "ill": pv.Exact()})
    >>> plan.claim(schema)["smoker"].gamma
    Fraction(3, 1)
    """

    method: ClassVar[str] = "unrelated-question"

    theta: float = 0.5
    answers: Sequence[float] | None = None
    bins: int | None = None

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute with the cells its numbers are cut to.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.UnrelatedQuestion(0.5).released(wind).name
        'wind'
        """
        if not attribute.is_categorical:
            attribute = cut(attribute, bins=self.bins)
        elif self.bins is not None:
            raise PlanError(f"Attribute {attribute.name!r} is categorical: it has no bins.")
        self._shares(attribute)
        return attribute

    def channel(self, attribute: Attribute) -> WrittenMatrix:
        """Return θ·I + (1−θ)·a·1ᵀ over the attribute's codes.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.UnrelatedQuestion(0.5).channel(wind).inputs
        (2,)
        """
        shares = self._shares(self.released(attribute))
        matrix = self.theta * np.eye(len(shares)) + (1 - self.theta) * shares[:, None]
        return WrittenMatrix.of(attribute.name, matrix.tolist())

    def _shares(self, attribute: Attribute) -> Floats:
        where = f"Attribute {attribute.name!r}"
        theta = self.theta
        if isinstance(theta, bool) or not isinstance(theta, int | float) or not 0 < theta < 1:
            message = f"{where}: theta of an unrelated question must be above 0 and below 1."
            raise PlanError(message, hint="0.5 asks either question as often.")
        size = attribute.coding().size
        if size < 2:
            raise PlanError(f"{where} has a single value: there is nothing to hide.")
        if self.answers is None:
            return np.full(size, 1 / size)
        try:
            shares = np.array(self.answers, np.float64)
        except (TypeError, ValueError):
            shares = np.empty(0)
        if shares.shape != (size,):
            message = f"{where}: answers must have {size} shares, one for each value."
            raise PlanError(message, hint="answers = [0.5, 0.5].")
        if not (np.isfinite(shares).all() and (shares > 0).all() and abs(shares.sum() - 1) < 1e-9):
            message = f"{where}: the shares of answers must be above 0 and sum to 1."
            hint = "an answer that the other question never has would give true ones away."
            raise PlanError(message, hint=hint)
        return np.asarray(shares, np.float64)
