"""Randomized response of a whole table (ZCM): groups of attributes that lie together, or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from privet.channel.flip import check_theta
from privet.channel.gamma_diagonal import check_gamma
from privet.channel.joint_gamma import check_group
from privet.disguise.base import Disguise, method
from privet.disguise.group import FlipGroup, Group, JointGroup
from privet.disguise.plan import Plan
from privet.disguise.treatment import Exact, Withheld
from privet.errors import PlanError
from privet.frames import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.channel.flip import Theta
    from privet.channel.gamma_diagonal import Gamma
    from privet.disguise.treatment import Treatment
    from privet.schema import Schema

__all__ = ["RandomizedResponse"]

_REST: dict[str, Treatment] = {"exact": Exact(), "withheld": Withheld()}


@method
@dataclass(frozen=True)
class RandomizedResponse(Disguise):
    """Tell the truth about a group of attributes with probability θ, else the opposite of it all.

    A group of one attribute is protected by ε = |ln(θ/(1−θ))|. A group of two or more has no finite
    ε, and the claim says what it reveals; with ``gamma`` instead of ``theta`` the groups go through
    joint γ-diagonal channels, whose ε is ln γ. The class is released plainly.

    Parameters
    ----------
    groups
        Lists of names; by default all attributes are one group, as in the paper.
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
        """Return the plan: a flip or joint group for each list of names."""
        names = self._names(schema)
        covered = {name for group in names for name in group}
        left = [attribute.name for attribute in schema.inputs if attribute.name not in covered]
        if self.rest is None and left:
            message = f"RandomizedResponse: attribute {left[0]!r} is in no group."
            hint = "put it in one, or say rest='withheld' or rest='exact' for all that are in none."
            raise PlanError(message, hint=hint)
        if self.rest is not None and self.rest not in _REST:
            raise PlanError("RandomizedResponse: rest must be 'exact' or 'withheld'.")
        treatments = {schema.target: Exact()}
        default = None if self.rest is None else _REST[self.rest]
        return Plan(treatments, default, self._groups(names))

    def _names(self, schema: Schema) -> list[tuple[str, ...]]:
        if self.groups is None:
            return [tuple(attribute.name for attribute in schema.inputs)]
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
            message = "RandomizedResponse: cuts are for groups that are turned round; "
            raise PlanError(message + "with gamma say bins.")
        gammas = _each(self.gamma, len(names), "gamma")
        for gamma in gammas:
            check_gamma(gamma, "RandomizedResponse")
        return [JointGroup(g, gamma, self.bins) for g, gamma in zip(names, gammas, strict=True)]

    def warnings(self, schema: Schema) -> list[str]:
        """Say which groups have no ε, and which joint channel would have that of a single bit."""
        return group_warnings(self.plan(schema).groups)

    def cut(self, records: Any, schema: Schema) -> Any:
        """Return plain records as the release shows them, cut but not disguised: an Arrow table.

        Trees mined from the release take their records so.
        """
        import pyarrow as pa

        recipe = self.plan(schema).recipe(schema)
        raw = columns(records, [step.name for step in recipe.steps])
        shown = {}
        for step in recipe.steps:
            codes = step.treatment.encode(step.attribute, step.coding, raw[step.name])
            held = codes if step.coding is None else step.coding.decode(codes)
            shown[step.name] = pa.array(held, from_pandas=True)
        return pa.table(shown)


def group_warnings(groups: Sequence[Group]) -> list[str]:
    """Say which flip groups have no finite ε, with a joint channel to put in their place."""
    said = []
    for group in groups:
        if not isinstance(group, FlipGroup) or len(group.attributes) < 2:
            continue
        theta = Fraction(group.theta)
        if theta in (0, 1):
            said.append(f"{group.where} is released as it is: theta is {group.theta}.")
            continue
        odds = float(max(theta, 1 - theta) / min(theta, 1 - theta))
        said.append(
            f"{group.where} is turned round together, which has no finite ε: one known value "
            f"gives away the others. A joint channel with gamma = {odds:.4g} has, for the whole "
            f"group, the ε of a single bit at theta = {float(theta):g}."
        )
    return said


def _each(asked: Any, count: int, what: str) -> list[Any]:
    """Return one value a group."""
    if not isinstance(asked, list | tuple):
        return [asked] * count
    if len(asked) != count:
        message = f"RandomizedResponse: {what} lists {len(asked)} numbers for {count} groups."
        raise PlanError(message, hint="give one number for all, or one a group.")
    return list(asked)
