"""Randomized response of a whole table (ZCM): groups of attributes that lie together, or not."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from privet.channel.flip import check_theta
from privet.channel.gamma_diagonal import check_gamma
from privet.channel.joint_gamma import check_group
from privet.disguise.base import Planned, method
from privet.disguise.group import FlipGroup, Group, JointGroup
from privet.disguise.plan import Plan
from privet.disguise.treatment import Exact, Withheld
from privet.errors import PlanError, PrivetWarning
from privet.frames import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.channel.flip import Theta
    from privet.channel.gamma_diagonal import Gamma
    from privet.disguise.treatment import Treatment
    from privet.release import Release
    from privet.schema import Schema

__all__ = ["RandomizedResponse"]

_REST: dict[str, Treatment] = {"exact": Exact(), "withheld": Withheld()}


@method
@dataclass(frozen=True)
class RandomizedResponse(Planned):
    """Tell the truth about a group of attributes with probability θ, else the opposite of it all.

    A group of one attribute is protected by ε = |ln(θ/(1−θ))|. A group of two or more has no finite
    ε, and the claim says what it reveals; with ``gamma`` instead of ``theta`` the groups go through
    joint γ-diagonal channels, whose ε is ln γ. The class is released plainly.

    Parameters
    ----------
    groups
        Lists of names; by default every attribute is a group of its own.
    theta
        The probability of the truth, for all groups or a list with one each; not 0.5.
    gamma
        Instead of θ: attributes keep their values, and their tuple is kept γ times as often as
        it becomes any other; for all groups or a list with one each.
    cuts
        Where attributes of more than two values are cut in two: a number, or the values of one
        side. By default in the middle of the range, or of the list of categories.
    rest
        ``"exact"`` or ``"withheld"``, for attributes in no group; by default there may be none.
    bins
        With γ: into how many cells numbers are cut.

    >>> from privet.schema import Attribute, Schema
    >>> bits = [Attribute.categorical(name, [0, 1]) for name in ("smoker", "cough", "ill")]
    >>> schema = Schema(bits, target="ill")
    >>> RandomizedResponse([["smoker"], ["cough"]], theta=0.75).claim(schema)["cough"].gamma
    Fraction(3, 1)
    """

    method: ClassVar[str] = "randomized-response"

    groups: Sequence[Sequence[str]] | None = None
    theta: Theta | Sequence[Theta] | None = None
    gamma: Gamma | Sequence[Gamma] | None = None
    cuts: Mapping[str, Any] = field(default_factory=dict)
    rest: str | None = None
    bins: int | None = None

    def plan(self, schema: Schema) -> Plan:
        """Return the plan: a flip or joint group for each list of names.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> len(pv.RandomizedResponse(gamma=3).plan(schema).groups)
        3
        """
        names = self._names(schema)
        covered = {name for group in names for name in group}
        left = [attribute.name for attribute in schema.inputs if attribute.name not in covered]
        if self.rest is None and left:
            message = f"RandomizedResponse: attribute {left[0]!r} is in no group."
            hint = "put it in one, or use rest='withheld' or rest='exact' for all that are in none."
            raise PlanError(message, hint=hint)
        if self.rest is not None and self.rest not in list(_REST):
            raise PlanError("RandomizedResponse: rest must be 'exact' or 'withheld'.")
        treatments = {} if schema.goal is None else {schema.goal: Exact()}
        default = None if self.rest is None else _REST[self.rest]
        return Plan(treatments, default, self._groups(names))

    def _names(self, schema: Schema) -> list[tuple[str, ...]]:
        if self.groups is None:
            return [(attribute.name,) for attribute in schema.inputs]
        if isinstance(self.groups, str) or not isinstance(self.groups, list | tuple):
            message = "RandomizedResponse: groups must be a list of lists of names."
            raise PlanError(message, hint='groups=[["smoker", "cough"], ["asthma"]].')
        return [check_group(group, "RandomizedResponse") for group in self.groups]

    def _groups(self, names: list[tuple[str, ...]]) -> list[Group]:
        if not isinstance(self.cuts, Mapping):
            raise PlanError("RandomizedResponse: cuts is a table of attributes and their cuts.")
        if (self.theta is None) == (self.gamma is None):
            message = "RandomizedResponse takes either theta or gamma."
            hint = "theta=0.8 turns groups round; gamma=8 substitutes whole tuples, with an ε."
            raise PlanError(message, hint=hint)
        if self.theta is not None:
            thetas = _each(self.theta, len(names), "theta")
            for theta in thetas:
                check_theta(theta, "RandomizedResponse")
            return [
                FlipGroup(group, theta, {n: c for n, c in self.cuts.items() if n in group})
                for group, theta in zip(names, thetas, strict=True)
            ]
        if self.cuts:
            message = "RandomizedResponse: cuts are for groups that are flipped; "
            raise PlanError(message + "with gamma use bins.")
        gammas = _each(self.gamma, len(names), "gamma")
        for gamma in gammas:
            check_gamma(gamma, "RandomizedResponse")
        return [JointGroup(g, gamma, self.bins) for g, gamma in zip(names, gammas, strict=True)]

    def warnings(self, schema: Schema) -> list[str]:
        """Say which cuts nobody chose, and which groups have no ε, with a channel that has one.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> len(pv.RandomizedResponse(theta=0.8).warnings(schema)) > 0
        True
        """
        groups = self.plan(schema).groups
        return [*_cut_warnings(groups, schema), *group_warnings(groups)]

    def disguise(self, records: Any, schema: Schema, **settings: Any) -> Release:
        """Disguise records and return the release; see ``Disguise.disguise``.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> pv.RandomizedResponse(gamma=3).disguise(table, schema).rows
        14
        """
        release = super().disguise(records, schema, **settings)
        for message in _cut_warnings(self.plan(schema).groups, schema):
            warnings.warn(message, PrivetWarning, stacklevel=2)
        return release

    def cut(self, records: Any, schema: Schema) -> Any:
        """Return plain records as the release shows them, cut but not disguised: an Arrow table.

        Trees mined from the release take plain records too: the card says what was merged.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> pv.RandomizedResponse(theta=0.8).cut(table, schema).num_rows
        14
        """
        import pyarrow as pa

        recipe = self.plan(schema).recipe(schema)
        raw = columns(records, [step.name for step in recipe.steps])
        shown = {}
        for step in recipe.steps:
            codes = step.treatment.encode(step.attribute, step.coding, raw[step.name])
            values = codes if step.coding is None else step.coding.decode(codes)
            shown[step.name] = pa.array(values, from_pandas=True)
        return pa.table(shown)


def _cut_warnings(groups: Sequence[Group], schema: Schema) -> list[str]:
    """Say which categories are halved by the order of their list alone."""
    halved = [
        name
        for group in groups
        if isinstance(group, FlipGroup)
        for name in group.attributes
        if name not in group.cuts and len(schema[name].values or ()) > 2
    ]
    message = (
        f"Nobody chose where to cut {', '.join(halved)} in two: categories are halved in the order "
        "of the schema's list. Choose by cuts, or use gamma, which keeps all values."
    )
    return [message] if halved else []


def group_warnings(groups: Sequence[Group]) -> list[str]:
    """Say which flip groups have no finite ε, with a joint channel to put in their place."""
    said = []
    for group in groups:
        if not isinstance(group, FlipGroup) or len(group.attributes) < 2:
            continue
        channel = group.channel(())
        if channel.is_certain:
            said.append(f"{group.where} is released as it is: theta is {group.theta}.")
            continue
        odds = max(channel.keep, channel.turn) / min(channel.keep, channel.turn)
        said.append(
            f"{group.where} is flipped together, which has no finite ε: one known value "
            f"discloses the others. A joint channel with gamma = {odds:.4g} has, for the whole "
            f"group, the ε of a single bit at theta = {float(group.theta):g}."
        )
    return said


def _each(asked: Any, count: int, what: str) -> list[Any]:
    """Return one value per group."""
    if not isinstance(asked, list | tuple):
        return [asked] * count
    if len(asked) != count:
        message = f"RandomizedResponse: {what} lists {len(asked)} numbers for {count} groups."
        raise PlanError(message, hint="give one number for all, or one per group.")
    return list(asked)
