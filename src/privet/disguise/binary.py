"""Binary cuts: an attribute of any kind as two values, by a rule known to all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.coding import Coding
from privet.disguise.treatment import Treatment, treatment
from privet.errors import PlanError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.schema import Attribute

__all__ = ["Binary"]

MISSING = "missing"  # how a cut names a missing value


@treatment
@dataclass(frozen=True)
class Binary(Treatment):
    """Release only on which side of a public cut the attribute lies.

    Numbers are cut at ``cut``, by default in the middle of their range (ZCM §6.1); categories into
    the list ``cut`` and the rest, by default the first half of the domain and the second, a
    missing value being the last. An attribute of two values stays as it is. The cut protects
    nothing by itself: it makes the attribute fit for a flip group.

    >>> from privet.schema import Attribute
    >>> age = Attribute.numeric("age", low=20, high=80)
    >>> Binary().coding(age).edges
    array([50.])
    >>> sky = Attribute.categorical("sky", ["Sunny", "Overcast", "Rain"])
    >>> Binary().released(sky).values
    ('Sunny|Overcast', 'Rain')
    """

    method: ClassVar[str] = "binary"

    cut: Any = None

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute with two values, or two cells.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> len(pv.Binary().released(wind).values)
        2
        """
        if attribute.values is None:
            self._cells(attribute)
            return replace(attribute, bins=2, edges=None, scale=None, prior=None)
        if self._is_binary(attribute):
            return attribute
        halves: tuple[list[Any], list[Any]] = [], []
        for value, side in zip(_values(attribute), self._sides(attribute), strict=True):
            halves[side].append(value)
        missing = attribute.missing == "category"
        groups = {
            "|".join(map(str, half)): [None if missing and v == MISSING else v for v in half]
            for half in halves
        }
        return attribute.merged(groups)

    def coding(self, attribute: Attribute) -> Coding:
        """Return two codes.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> pv.Binary().coding(wind).size
        2
        """
        if attribute.values is None:
            return self._cells(attribute)
        return self.released(attribute).coding()

    def encode(self, attribute: Attribute, coding: Coding | None, column: Any) -> NDArray[Any]:
        """Check a raw column against the attribute's domain and return each value's side.

        >>> import privet as pv
        >>> wind = pv.Attribute.categorical("wind", ["weak", "strong"])
        >>> import pyarrow as pa
        >>> binary = pv.Binary()
        >>> binary.encode(wind, binary.coding(wind), pa.array(["strong"])).tolist()
        [1]
        """
        if attribute.values is None or self._is_binary(attribute):
            return super().encode(attribute, coding, column)
        return self._sides(attribute)[attribute.encode(column)]

    def _is_binary(self, attribute: Attribute) -> bool:
        return self.cut is None and len(_values(attribute)) == 2

    def _sides(self, attribute: Attribute) -> NDArray[np.uint8]:
        """Return the side of each code, that of missing included."""
        values = _values(attribute)
        where = f"Attribute {attribute.name!r}"
        if len(values) < 2:
            raise PlanError(f"{where} has a single value: it cannot be cut in two.")
        if self.cut is None:
            return (2 * np.arange(len(values)) > len(values) - 1).astype(np.uint8)
        listed = self.cut
        if isinstance(listed, str) or not isinstance(listed, list | tuple):
            message = f"{where} is categorical: its cut is a list of values."
            raise PlanError(message, hint='cuts = { sky = ["Sunny", "Overcast"] }.')
        inside = [value in listed for value in values]
        strange = any(value not in values for value in listed)
        if strange or not 0 < sum(inside) < len(values):
            message = f"{where}: a cut lists some values of the domain, and not all of them."
            raise PlanError(message)
        return 1 - np.array(inside, np.uint8)

    def _cells(self, attribute: Attribute) -> Coding:
        """Return the two cells of a numeric attribute."""
        where = f"Attribute {attribute.name!r}"
        low, high = attribute.range
        if attribute.missing == "category":
            message = f"{where} may be missing, which is a third value beside two cells of numbers."
            raise PlanError(message, hint="fill or drop missing values, and declare it without.")
        if low == high:
            raise PlanError(f"{where} has a single value: it cannot be cut in two.")
        if self.cut is None:
            return attribute.coding(2)
        number = isinstance(self.cut, int | float) and not isinstance(self.cut, bool)
        if not number or not low <= self.cut < high:
            message = f"{where}: the cut must be a number of at least {low:g} and below {high:g}."
            raise PlanError(message, hint="values up to the cut are on one side of it.")
        below = float(np.floor(self.cut)) if attribute.integer else float(self.cut)
        above = below + 1 if attribute.integer else below
        return Coding.cells(attribute.name, [low, above], [below, high])


def _values(attribute: Attribute) -> tuple[Any, ...]:
    """Return the values of a categorical attribute, missing last."""
    return (*(attribute.values or ()), *((MISSING,) if attribute.missing == "category" else ()))
