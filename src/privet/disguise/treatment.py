"""Treatments: what a plan can do to one attribute."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from privet.channel.band import Band
from privet.channel.gamma_diagonal import GammaDiagonal
from privet.channel.matrix import WrittenMatrix
from privet.coding import MAX_CODES, code_type
from privet.disguise.wish import gamma_of
from privet.errors import PlanError
from privet.schema import Attribute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.channel.gamma_diagonal import Gamma
    from privet.coding import Coding, Value

__all__ = ["TREATMENTS", "Exact", "Substitution", "Treatment", "ValueClass", "Withheld"]

TREATMENTS: dict[str, type[Treatment]] = {}  # by the word for them in plan files
Kind = TypeVar("Kind", bound="type[Treatment]")


def treatment(kind: Kind) -> Kind:
    """Make a treatment known to plan files."""
    TREATMENTS[kind.method] = kind
    return kind


class Treatment(ABC):
    """What happens to one attribute: how it is released, and through which channel."""

    method: ClassVar[str]

    @abstractmethod
    def released(self, attribute: Attribute) -> Attribute | None:
        """Return the attribute as released, or None if it is not; check the treatment fits."""

    def coding(self, attribute: Attribute) -> Coding | None:
        """Return how the released column is coded; None if it holds exact numbers."""
        released = self.released(attribute)
        return None if released is None else released.coding()

    def channel(self, attribute: Attribute) -> Channel | None:  # noqa: ARG002
        """Return the channel the codes go through, if any."""
        return None

    def encode(self, attribute: Attribute, coding: Coding | None, column: Any) -> NDArray[Any]:
        """Check a raw column against the attribute's domain and code it."""
        return attribute.numbers(column) if coding is None else attribute.encode(column, coding)


@treatment
@dataclass(frozen=True)
class Exact(Treatment):
    """Release the attribute as it is. It protects nothing."""

    method: ClassVar[str] = "exact"

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute itself."""
        return attribute

    def coding(self, attribute: Attribute) -> Coding | None:
        """Return the categories; numbers are kept as they are."""
        return attribute.coding() if attribute.is_categorical else None


@treatment
@dataclass(frozen=True)
class Withheld(Treatment):
    """Do not release the attribute at all."""

    method: ClassVar[str] = "withheld"

    def released(self, attribute: Attribute) -> None:  # noqa: ARG002
        """Return nothing."""
        return


@treatment
@dataclass(frozen=True)
class ValueClass(Treatment):
    """Release only which class of values the attribute lies in (AS's value-class membership).

    Numbers: ``bins`` cells of equal width. Categories: ``groups``, a name and its values each.

    >>> sky = Attribute.categorical("sky", ["Sunny", "Overcast", "Rain"])
    >>> ValueClass(groups={"dry": ["Sunny"], "grey": ["Overcast", "Rain"]}).released(sky).values
    ('dry', 'grey')
    """

    method: ClassVar[str] = "value-class"

    bins: int | None = None
    groups: Mapping[str, Sequence[Value]] | None = None

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute with its coarser domain."""
        where = f"Attribute {attribute.name!r}"
        if not attribute.is_categorical:
            if self.groups is not None:
                raise PlanError(f"{where} is numeric: its value classes are bins, not groups.")
            return binned(attribute, self.bins)
        if self.bins is not None:
            raise PlanError(f"{where} is categorical: its value classes are groups, not bins.")
        if not self.groups:
            hint = 'groups = { dry = ["Sunny"], grey = ["Overcast", "Rain"] }'
            raise PlanError(f"{where}: a value class of categories needs groups.", hint=hint)
        listed = [value for group in self.groups.values() for value in group]
        if sorted(map(repr, listed)) != sorted(map(repr, attribute.values or ())):
            raise PlanError(f"{where}: groups must hold every value of the domain just once.")
        return Attribute.categorical(attribute.name, list(self.groups), missing=attribute.missing)

    def width(self, attribute: Attribute, confidence: float) -> float:
        """Return AS's privacy of numbers: c times the width of the narrowest class."""
        coding = self.released(attribute).coding()
        if coding.lower is None or coding.upper is None:
            raise PlanError(f"Attribute {attribute.name!r} is categorical: it has no width.")
        return confidence * float((coding.upper - coding.lower + attribute.integer).min())

    def encode(self, attribute: Attribute, coding: Coding | None, column: Any) -> NDArray[Any]:
        """Code by cells, or by values and then by their groups."""
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
    (ρ1, ρ2), and is 8 by default. Numbers are cut to ``bins`` cells of equal width first (else the
    attribute's own bins, else the schema's default); through a ``band`` they move to near cells.
    ``matrix`` writes all probabilities out instead, one row a released value (in the order of the
    domain) and one column a true one: any that can be inverted.

    >>> age = Attribute.numeric("age", low=20, high=80)
    >>> Substitution(gamma=8, bins=6).channel(age).size
    6
    """

    method: ClassVar[str] = "substitution"

    gamma: Gamma | None = None
    bins: int | None = None
    epsilon: float | None = None
    rho: Sequence[float] | None = None
    kind: str = "gamma-diagonal"
    matrix: Sequence[Sequence[float]] | None = None

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute with the cells its numbers are cut to."""
        if self.matrix is None:
            self._gamma(attribute)
        elif any(one is not None for one in (self.gamma, self.epsilon, self.rho)):
            message = f"Attribute {attribute.name!r}: a matrix says all; "
            raise PlanError(f"{message}gamma, epsilon and rho must not be given beside it.")
        return attribute if attribute.is_categorical else binned(attribute, self.bins)

    def channel(self, attribute: Attribute) -> GammaDiagonal | Band | WrittenMatrix:
        """Return the channel over the attribute's codes."""
        size = self.released(attribute).coding().size
        if self.matrix is not None:
            written = WrittenMatrix.of(attribute.name, self.matrix)
            if written.size != size:
                message = f"Attribute {attribute.name!r} has {size} values, its matrix "
                raise PlanError(f"{message}{written.size}: one row and one column a value.")
            return written
        gamma = self._gamma(attribute)
        if self.kind == "gamma-diagonal":
            return GammaDiagonal(attribute.name, size, gamma)
        where = f"Attribute {attribute.name!r}"
        if self.kind != "band":
            raise PlanError(f"{where}: the kind of channel must be 'gamma-diagonal' or 'band'.")
        if attribute.is_categorical:
            message = f"{where} is categorical: its values have no order that a band could keep."
            raise PlanError(message, hint='kind = "gamma-diagonal".')
        return Band(attribute.name, size, gamma)

    def _gamma(self, attribute: Attribute) -> Gamma:
        where = f"Attribute {attribute.name!r}"
        return gamma_of(where, self.gamma, self.epsilon, self.rho)


def binned(attribute: Attribute, bins: int | None) -> Attribute:
    """Return a numeric attribute whose own bins are ``bins``, or what they are by default."""
    whole = isinstance(bins, int) and not isinstance(bins, bool)
    if bins is not None and not (whole and 1 <= bins <= MAX_CODES):
        where = f"Attribute {attribute.name!r}"
        raise PlanError(f"{where}: bins must be a whole number from 1 to {MAX_CODES}.")
    return replace(attribute, bins=attribute.coding(bins).known)
