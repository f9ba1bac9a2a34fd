"""Treatments: what a plan can do to an attribute."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.channel.band import Band
from privet.channel.gamma_diagonal import GammaDiagonal
from privet.channel.matrix import WrittenMatrix
from privet.coding import code_type
from privet.disguise.kinds import known_in
from privet.disguise.wish import gamma_of
from privet.errors import PlanError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.channel.gamma_diagonal import Gamma
    from privet.coding import Coding, Value
    from privet.schema import Attribute

__all__ = ["TREATMENTS", "Exact", "Substitution", "Treatment", "ValueClass", "Withheld"]

TREATMENTS: dict[str, type[Treatment]] = {}  # by the word for them in plan files
treatment = known_in(TREATMENTS)


class Treatment(ABC):
    """What happens to an attribute: how it is released, and through which channel."""

    method: ClassVar[str]

    @abstractmethod
    def released(self, attribute: Attribute) -> Attribute | None:
        """Return the attribute as released, or None if it is not; check the treatment fits."""

    def coding(self, attribute: Attribute) -> Coding | None:
        """Return how the released column is coded; None if it holds exact numbers.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.Substitution(gamma=3).coding(wind).size
        2
        """
        released = self.released(attribute)
        return None if released is None else released.coding()

    def channel(self, attribute: Attribute) -> Channel | None:  # noqa: ARG002
        """Return the channel the codes go through, if any.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.Exact().channel(wind) is None
        True
        """
        return None

    def encode(self, attribute: Attribute, coding: Coding | None, column: Any) -> NDArray[Any]:
        """Check a raw column against the attribute's domain and code it.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> import pyarrow as pa
        >>> pv.Exact().encode(wind, wind.coding(), pa.array(["strong"])).tolist()
        [1]
        """
        return attribute.numbers(column) if coding is None else attribute.encode(column, coding)


@treatment
@dataclass(frozen=True)
class Exact(Treatment):
    """Release the attribute as it is. It protects nothing.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> plan = pv.Plan({"Wind": pv.Substitution(gamma=3)}, default=pv.Exact())
    >>> plan.disguise(table, schema).treatments["Outlook"]
    'exact'
    """

    method: ClassVar[str] = "exact"

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute itself.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.Exact().released(wind) == wind
        True
        """
        return attribute

    def coding(self, attribute: Attribute) -> Coding | None:
        """Return the categories; numbers are kept as they are.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.Exact().coding(wind).values
        ('weak', 'strong')
        """
        return attribute.coding() if attribute.is_categorical else None


@treatment
@dataclass(frozen=True)
class Withheld(Treatment):
    """Do not release the attribute at all.

    >>> import privet as pv
    >>> plan = pv.Plan({"Wind": pv.Withheld()}, default=pv.Exact())
    >>> "Wind" in plan.recipe(pv.datasets.schema("weather")).schema
    False
    """

    method: ClassVar[str] = "withheld"

    def released(self, attribute: Attribute) -> None:  # noqa: ARG002
        """Return nothing.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.Withheld().released(wind) is None
        True
        """
        return


@treatment
@dataclass(frozen=True)
class ValueClass(Treatment):
    """Release only which class of values the attribute lies in (AS's value-class membership).

    Numbers: ``bins`` cells of equal width, cells between ``edges``, as many cells as are at least
    ``width`` wide, or as give a privacy ``level``: at ``confidence`` c a class of width W hides a
    number in c·W, so that a level of p of the range asks for W = p·range/c (AS, table 1).
    Categories: ``groups``, a name and its values each.

    >>> from privet.schema import Attribute
    >>> age = Attribute.numeric("age", low=10, high=90)
    >>> ValueClass(width=20).released(age).coding().size
    4
    >>> round(ValueClass(level=0.25).width_at(age, 0.95), 2)  # at least 20: a quarter of the range
    25.33
    >>> sky = Attribute.categorical("sky", ["Sunny", "Overcast", "Rain"])
    >>> ValueClass(groups={"dry": ["Sunny"], "grey": ["Overcast", "Rain"]}).released(sky).values
    ('dry', 'grey')
    """

    method: ClassVar[str] = "value-class"

    bins: int | None = None
    groups: Mapping[str, Sequence[Value]] | None = None
    edges: Sequence[float] | None = None
    width: float | None = None
    level: float | None = None
    confidence: float = 0.95

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute with its coarser domain.

        >>> import privet as pv
        >>> age = pv.Attribute.numeric("age", low=10, high=90)
        >>> pv.ValueClass(bins=4).released(age).coding().size
        4
        """
        where = f"Attribute {attribute.name!r}"
        if not attribute.is_categorical:
            if self.groups is not None:
                raise PlanError(f"{where} is numeric: its value classes are bins, not groups.")
            return cut(attribute, bins=self._bins(attribute, where), edges=self.edges)
        if any(setting is not None for setting in (self.bins, self.edges, self.width, self.level)):
            raise PlanError(f"{where} is categorical: its value classes are groups, not cells.")
        listing = isinstance(self.groups, Mapping) and all(
            isinstance(group, list | tuple) for group in self.groups.values()
        )
        if not self.groups or not listing:
            hint = 'groups = { dry = ["Sunny"], grey = ["Overcast", "Rain"] }'
            message = f"{where}: a value class of categories needs groups, names with their values."
            raise PlanError(message, hint=hint)
        listed = [value for group in self.groups.values() for value in group]
        if sorted(map(repr, listed)) != sorted(map(repr, attribute.values or ())):
            raise PlanError(f"{where}: groups must hold every value of the domain just once.")
        return attribute.merged(self.groups, attribute.missing)

    def _bins(self, attribute: Attribute, where: str) -> int | None:
        """Return how many cells are asked for; each is at least as wide as asked."""
        if self.width is None and self.level is None:
            return self.bins
        asked = [
            setting
            for setting in (self.bins, self.edges, self.width, self.level)
            if setting is not None
        ]
        if len(asked) > 1:
            message = f"{where}: a value class takes one of bins, edges, width and level."
            raise PlanError(message)
        if not 0 < self.confidence <= 1:
            raise PlanError(f"{where}: confidence must be a number above 0, and at most 1.")
        word = "width" if self.level is None else "level"
        value = self.width if self.level is None else self.level
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise PlanError(f"{where}: the {word} of a value class must be a number above 0.")
        low, high = attribute.range
        whole = high - low + attribute.integer
        wide = float(value) if self.level is None else float(value) * whole / self.confidence
        if attribute.integer:
            wide = math.ceil(wide - 1e-9)  # cells hold whole numbers of values
        cells = int(whole / wide + 1e-9)
        if cells < 2:
            message = f"{where}: classes so wide leave a single one, which says nothing."
            hint = f"less than half of the range; or withhold {attribute.name!r}."
            raise PlanError(message, hint=hint)
        return cells

    def width_at(self, attribute: Attribute, confidence: float) -> float:
        """Return AS's privacy of numbers: c times the width of the narrowest class.

        >>> import privet as pv
        >>> age = pv.Attribute.numeric("age", low=10, high=90)
        >>> pv.ValueClass(bins=4).width_at(age, 0.95)
        19.0
        """
        coding = self.released(attribute).coding()
        if coding.lower is None or coding.upper is None:
            raise PlanError(f"Attribute {attribute.name!r} is categorical: it has no width.")
        return confidence * float((coding.upper - coding.lower + attribute.integer).min())

    def encode(self, attribute: Attribute, coding: Coding | None, column: Any) -> NDArray[Any]:
        """Code by cells, or by values and then by their groups.

        >>> import privet as pv
        >>> age = pv.Attribute.numeric("age", low=10, high=90)
        >>> treatment = pv.ValueClass(bins=4)
        >>> treatment.encode(age, treatment.coding(age), np.array([10.0, 90.0])).tolist()
        [0, 3]
        """
        if not attribute.is_categorical or self.groups is None:
            return super().encode(attribute, coding, column)
        place = {value: code for code, group in enumerate(self.groups.values()) for value in group}
        groups = [place[value] for value in attribute.values or ()]
        table = np.array([*groups, len(self.groups)], code_type(len(self.groups) + 1))
        return table[attribute.encode(column)]


@treatment
@dataclass(frozen=True)
class Substitution(Treatment):
    """Put a random value in the place of the attribute's own, which is γ times as likely to stay.

    Protects the attribute by ε = ln γ; γ may be wished for by ``epsilon``, or by ``rho`` =
    (ρ1, ρ2), and is 8 by default. Numbers are cut to cells first, by ``bins``, ``edges``, ``scale``
    and ``prior`` as an attribute is (else as the attribute says, else as many as suit the number of
    records), and go through a band, which moves them to near cells rather than far ones;
    ``kind="gamma-diagonal"`` treats all other cells alike. ``matrix`` writes all probabilities out
    instead, one row per released value (in the order of the domain) and one column per true value:
    any that can be inverted.

    >>> from privet.schema import Attribute
    >>> age = Attribute.numeric("age", low=20, high=80)
    >>> Substitution(gamma=8, bins=6).channel(age).size
    6
    """

    method: ClassVar[str] = "substitution"

    gamma: Gamma | None = None
    bins: int | None = None
    epsilon: float | None = None
    rho: Sequence[float] | None = None
    kind: str | None = None
    matrix: Sequence[Sequence[float]] | None = None
    edges: Sequence[float] | None = None
    scale: str | None = None
    prior: Mapping[str, Any] | None = None

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute with the cells its numbers are cut to.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.Substitution(gamma=3).released(wind).values
        ('weak', 'strong')
        """
        if self.matrix is None:
            self._gamma(attribute)
        elif any(setting is not None for setting in (self.gamma, self.epsilon, self.rho)):
            message = f"Attribute {attribute.name!r}: a matrix says all; "
            raise PlanError(f"{message}gamma, epsilon and rho must not be given beside it.")
        cells = {"edges": self.edges, "scale": self.scale, "prior": self.prior}
        if not attribute.is_categorical:
            return cut(attribute, bins=self.bins, **cells)
        for word in [word for word, value in cells.items() if value is not None]:
            raise PlanError(f"Attribute {attribute.name!r} is categorical: it has no {word}.")
        return attribute

    def channel(self, attribute: Attribute) -> GammaDiagonal | Band | WrittenMatrix:
        """Return the channel over the attribute's codes.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.Substitution(gamma=3).channel(wind).amplification()
        Fraction(3, 1)
        """
        size = self.released(attribute).coding().size
        if self.matrix is not None:
            written = WrittenMatrix.of(attribute.name, self.matrix)
            if written.size != size:
                message = f"Attribute {attribute.name!r} has {size} values, its matrix "
                raise PlanError(f"{message}{written.size}: one row and one column per value.")
            return written
        gamma = self._gamma(attribute)
        if self.kind_for(attribute) == "gamma-diagonal":
            return GammaDiagonal(attribute.name, size, gamma)
        return Band(attribute.name, size, gamma)

    def kind_for(self, attribute: Attribute) -> str:
        """Return the kind of the attribute's channel: by default a band, if it is a number.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.Substitution(gamma=3).kind_for(wind)
        'gamma-diagonal'
        """
        where = f"Attribute {attribute.name!r}"
        if self.kind is None:
            return "gamma-diagonal" if attribute.is_categorical else "band"
        if self.kind not in ("gamma-diagonal", "band"):
            raise PlanError(f"{where}: the kind of channel must be 'gamma-diagonal' or 'band'.")
        if self.kind == "band" and attribute.is_categorical:
            message = f"{where} is categorical: its values have no order that a band could keep."
            raise PlanError(message, hint='kind = "gamma-diagonal".')
        return self.kind

    def _gamma(self, attribute: Attribute) -> Gamma:
        where = f"Attribute {attribute.name!r}"
        return gamma_of(where, self.gamma, self.epsilon, self.rho)


def cut(attribute: Attribute, bins: int | None = None, **cells: Any) -> Attribute:
    """Return a numeric attribute with the cells asked for, or its own, written out."""
    try:
        return attribute.with_cells(bins, **cells).with_fixed_cells()
    except SchemaError as error:
        raise PlanError(str(error), hint=error.hint) from None
