"""Random substitution of a whole table (DXZ): every attribute through a γ-diagonal channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privet.channel.gamma_diagonal import check_gamma
from privet.disguise.base import Disguise, method
from privet.disguise.plan import Plan
from privet.disguise.treatment import Exact, Substitution
from privet.disguise.wish import gamma_of
from privet.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    epsilon
        Instead of γ, its logarithm: each attribute is ε-locally differentially private.
    rho
        Instead of γ, (ρ1, ρ2): what was believed of an attribute with at most ρ1 is believed
        with at most ρ2 after seeing its released value.
    kind
        ``"gamma-diagonal"``, or ``"band"``: numbers then move to near cells rather than to
        far ones, at the same γ.

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

    gamma: Gamma | None = None
    bins: int | None = None
    target: str | Gamma | None = None
    epsilon: float | None = None
    rho: Sequence[float] | None = None
    kind: str = "gamma-diagonal"

    def plan(self, schema: Schema) -> Plan:
        """Return the plan: substitution for each attribute, and what ``target`` says."""
        gamma = gamma_of("RandomSubstitution", self.gamma, self.epsilon, self.rho)
        treatments: dict[str, Treatment] = {schema.target: self._class_treatment(gamma)}
        every = Substitution(gamma, self.bins)
        if self.kind != "gamma-diagonal":
            moved = Substitution(gamma, self.bins, kind=self.kind)
            names = [one.name for one in schema.inputs if not one.is_categorical]
            treatments |= dict.fromkeys(names, moved)
        return Plan(treatments, default=every)

    def _class_treatment(self, gamma: Gamma) -> Treatment:
        if self.target is None:
            return Exact()
        if isinstance(self.target, str):
            if self.target == "exact":
                return Exact()
            if self.target == "substitution":
                return Substitution(gamma)
            message = "RandomSubstitution: target must be 'exact', 'substitution' or a gamma."
            raise PlanError(message)
        check_gamma(self.target, "RandomSubstitution: target")
        return Substitution(self.target)
