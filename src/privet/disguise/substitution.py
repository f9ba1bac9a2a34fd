"""Random substitution of a whole table: every attribute through a channel of one γ (DXZ)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privet.channel.gamma_diagonal import check_gamma
from privet.disguise.base import Planned, method
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
class RandomSubstitution(Planned):
    """Substitute every attribute but the class at random, with one γ for all.

    Protects each attribute by ε = ln γ, and a record's attributes together by the sum. The class
    is released plainly unless ``target`` says otherwise: ``"substitution"`` disguises it with the
    same γ, a number with that γ.

    Parameters
    ----------
    gamma
        How many times likelier a value is to stay, or a number to stay near, than to become a given
        other; above 1, and 8 if nothing is said.
    bins
        Into how many cells numbers are cut; by default as the schema says, else as many as suit the
        number of records.
    edges
        The borders between the cells of some attributes, by name, instead of the schema's.
    wave
        The share of records that are released first, to draw the cells of the others from.
        ``"auto"`` takes about a thousand records, if that is at most a quarter of them and some
        numbers go through a band over cells that are not given; 0 means a single wave.
    target
        None, ``"substitution"`` or a γ for the class.
    epsilon
        Instead of γ, its logarithm: each attribute is ε-locally differentially private.
    rho
        Instead of γ, (ρ1, ρ2): what was believed of an attribute with at most ρ1 is believed
        with at most ρ2 after seeing its released value.
    kind
        Of the channels of numbers: by default ``"band"``, which moves them to near cells rather
        than to far ones at the same γ; ``"gamma-diagonal"`` is the paper's, which treats all other
        cells alike.

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

    method: ClassVar[str] = "substitution"

    gamma: Gamma | None = None
    bins: int | None = None
    target: str | Gamma | None = None
    epsilon: float | None = None
    rho: Sequence[float] | None = None
    kind: str | None = None
    edges: Mapping[str, Sequence[float]] | None = None
    wave: float | str | None = "auto"

    def plan(self, schema: Schema) -> Plan:
        """Return the plan: substitution for each attribute, and what ``target`` says.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> method = pv.RandomSubstitution(gamma=3)
        >>> method.plan(schema).treatment("Wind", schema).gamma
        3
        """
        gamma = gamma_of("RandomSubstitution", self.gamma, self.epsilon, self.rho)
        treatments: dict[str, Treatment] = {}
        if schema.goal is not None:
            treatments[schema.goal] = self._class_treatment(gamma)
        edges = self._edges(schema)
        for attribute in schema.inputs:
            if attribute.is_categorical:
                treatments[attribute.name] = Substitution(gamma)
            else:
                borders = edges.get(attribute.name)
                bins = self.bins if borders is None else None
                treatments[attribute.name] = Substitution(
                    gamma, bins, kind=self.kind, edges=borders
                )
        return Plan(treatments, wave=self.wave)

    def _edges(self, schema: Schema) -> Mapping[str, Sequence[float]]:
        edges = {} if self.edges is None else self.edges
        if not isinstance(edges, Mapping):
            message = "RandomSubstitution: edges is a table of attributes and their borders."
            raise PlanError(message, hint="edges={'age': [18, 30, 65]}.")
        numeric = [attribute.name for attribute in schema.inputs if not attribute.is_categorical]
        for name in edges:
            if name not in numeric:
                message = (
                    f"RandomSubstitution: edges name {name!r}, which is no numeric attribute; "
                )
                raise PlanError(f"{message}those are {', '.join(numeric) or 'none'}.")
        return edges

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
