"""Groups: attributes that go through one channel together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from privet.channel.flip import Flip, check_theta
from privet.channel.gamma_diagonal import check_gamma
from privet.channel.joint_gamma import JointGammaDiagonal, check_group
from privet.disguise.binary import Binary
from privet.disguise.kinds import known_in
from privet.disguise.treatment import Substitution
from privet.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.channel import Channel
    from privet.channel.flip import Theta
    from privet.channel.gamma_diagonal import Gamma
    from privet.disguise.treatment import Treatment
    from privet.schema import Schema

__all__ = ["GROUPS", "FlipGroup", "Group", "JointGroup"]

GROUPS: dict[str, type[Group]] = {}  # by the word for them in plan files
group = known_in(GROUPS)


class Group(ABC):
    """What happens to some attributes together: how each is coded, and their one channel."""

    method: ClassVar[str]
    attributes: Sequence[str]

    @abstractmethod
    def treatment(self, name: str) -> Treatment:
        """Return how one of the attributes is coded; its own channel is not used."""

    @abstractmethod
    def channel(self, sizes: Sequence[int]) -> Channel:
        """Return the channel over attributes of so many codes each."""

    @property
    def where(self) -> str:
        """The group's name in messages.

        >>> import privet as pv
        >>> pv.JointGroup(("Outlook", "Wind"), 4).where
        "The group 'Outlook' × 'Wind'"
        """
        return f"The group {' × '.join(map(repr, self.attributes))}"

    def check(self, schema: Schema) -> None:
        """Check that the group names attributes of the schema, and not the class.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> pv.JointGroup(("Outlook", "Wind"), 4).check(schema)
        """
        for name in check_group(self.attributes, "A group of the plan"):
            if name not in schema:
                message = f"{self.where} names {name!r}, which the schema does not have; "
                raise PlanError(message + f"it has {', '.join(schema.names)}.")
            if name == schema.goal:
                message = f"{self.where} names the class {name!r}, which is not disguised in a "
                raise PlanError(message + "group.", hint="give the class a treatment of its own.")


@group
@dataclass(frozen=True)
class FlipGroup(Group):
    """Turn a group of attributes, each cut in two, round together with probability 1 − θ.

    A single attribute is protected by ε = |ln(θ/(1−θ))|; two or more have no finite ε.
    ``cuts`` says where an attribute of more than two values is cut, if not in the middle.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> plan = pv.Plan({}, groups=[pv.FlipGroup(["Wind"], theta=0.75)], default=pv.Exact())
    >>> plan.disguise(table, schema).treatments["Wind"]
    'flip'
    """

    method: ClassVar[str] = "flip"

    attributes: Sequence[str]
    theta: Theta = 0.8
    cuts: Mapping[str, Any] = field(default_factory=dict)

    def treatment(self, name: str) -> Binary:
        """Return the attribute's cut.

        >>> import privet as pv
        >>> type(pv.FlipGroup(("smoker", "drinks"), 0.8).treatment("smoker")).__name__
        'Binary'
        """
        check_theta(self.theta, self.where)
        if not isinstance(self.cuts, Mapping):
            raise PlanError(f"{self.where}: cuts is a table of attributes and their cuts.")
        unknown = sorted(set(self.cuts) - set(self.attributes))
        if unknown:
            raise PlanError(f"{self.where}: the cut of {unknown[0]!r} is of no use in it.")
        return Binary(self.cuts.get(name))

    def channel(self, sizes: Sequence[int]) -> Flip:
        """Return the flip channel.

        >>> import privet as pv
        >>> pv.FlipGroup(("smoker", "drinks"), 0.8).channel([2, 2]).attributes
        ('smoker', 'drinks')
        """
        del sizes
        return Flip(tuple(self.attributes), self.theta)


@group
@dataclass(frozen=True)
class JointGroup(Group):
    """Put a random tuple in the place of a group's own, which is γ times as likely to stay.

    Protects the whole group by ε = ln γ. Numbers are cut to ``bins`` cells of equal width first.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> plan = pv.Plan(
    ...     {}, groups=[pv.JointGroup(["Wind", "Humidity"], gamma=3)], default=pv.Exact()
    ... )
    >>> plan.disguise(table, schema).rows
    14
    """

    method: ClassVar[str] = "joint-substitution"

    attributes: Sequence[str]
    gamma: Gamma = 8
    bins: int | None = None

    def treatment(self, name: str) -> Substitution:
        """Return how numbers are cut to cells.

        >>> import privet as pv
        >>> type(pv.JointGroup(("sky", "wind"), 4).treatment("sky")).__name__
        'Substitution'
        """
        del name
        check_gamma(self.gamma, self.where)
        return Substitution(self.gamma, self.bins)

    def channel(self, sizes: Sequence[int]) -> JointGammaDiagonal:
        """Return the joint γ-diagonal channel.

        >>> import privet as pv
        >>> pv.JointGroup(("sky", "wind"), 4).channel([3, 2]).input_size
        6
        """
        return JointGammaDiagonal(tuple(self.attributes), tuple(sizes), self.gamma)
