"""Random substitution of a whole table (DXZ): every attribute through a γ-diagonal channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privet.channel.gamma_diagonal import check_gamma
from privet.disguise.base import Disguise, method
from privet.disguise.plan import Plan
from privet.disguise.treatment import Exact, Substitution
from privet.errors import PlanError

if TYPE_CHECKING:
    from privet.channel.gamma_diagonal import Gamma
    from privet.disguise.treatment import Treatment
    from privet.schema import Schema

__all__ = ["RandomSubstitution"]


@method
@dataclass(frozen=True)
class RandomSubstitution(Disguise):
    """Substitute every attribute but the class at random, with one γ for all.

    Protects each attribute by ε = ln γ, and a record's attributes together by the sum. The class
    is released plainly unless ``target`` says otherwise: ``"substitution"`` disguises it with the
    same γ, a number with that γ.

    Parameters
    ----------
    gamma
        How many times likelier a value is to stay than to become a given other one; above 1.
    bins
        Into how many cells numbers are cut; by default as the schema says.
    target
        None, ``"substitution"`` or a γ for the class.

    >>> from privet.schema import Attribute, Schema
    >>> schema = Schema(
    ...     [
    ...         Attribute.categorical("wind", ["Weak", "Strong"]),
    ...         Attribute.categorical("play", ["Yes", "No"]),
    ...     ],
    ...     target="play",
    ... )
    >>> release = RandomSubstitution(gamma=3).disguise(
    ...     {"wind": ["Weak", "Strong"], "play": ["Yes", "No"]}, schema
    ... )
    >>> release.claim.disclosed
    ('play',)
    """

    method: ClassVar[str] = "random-substitution"

    gamma: Gamma = 8
    bins: int | None = None
    target: str | Gamma | None = None

    def plan(self, schema: Schema) -> Plan:
        """Return the plan: substitution for each attribute, and what ``target`` says."""
        check_gamma(self.gamma, "RandomSubstitution")
        every = Substitution(self.gamma, self.bins)
        return Plan({schema.target: self._class_treatment()}, default=every)

    def _class_treatment(self) -> Treatment:
        if self.target is None:
            return Exact()
        if isinstance(self.target, str):
            if self.target == "exact":
                return Exact()
            if self.target == "substitution":
                return Substitution(self.gamma)
            message = "RandomSubstitution: target must be 'exact', 'substitution' or a gamma."
            raise PlanError(message)
        check_gamma(self.target, "RandomSubstitution: target")
        return Substitution(self.target)
