"""Attributes: one column and its public domain, and how it is coded."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privet.cells import Prior, edges_of, equal_width, sides
from privet.coding import Coding, Members, Value, all_inside, code_values
from privet.errors import DataError, SchemaError
from privet.frames import DAYS, Days, holds_dates
from privet.schema.declared import CELLS, check, dated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from privet.coding import Codes, Floats, Mask

__all__ = ["DEFAULT_BINS", "Attribute", "Missing", "toml_of"]

DEFAULT_BINS = 10
_NAMED = 6  # categories that are named of a long list
_KEYS = {"values", "members", "missing_in", "low", "high", "integer", "missing", "unit", *CELLS}
Missing = Literal["error", "category"]


@dataclass(frozen=True)
class Attribute:
    """One column and its public domain: categories, or a range of numbers.

    Where it must be coded a range is cut into ``bins`` cells: of equal width, of equal width in
    the logarithm (``scale="log"``), or of equal shares of a public ``prior``, a mapping such as
    ``{"shape": "lognormal", "median": 30, "sigma": 0.5}``, ``{"quantiles": [12, 20, 35]}`` or
    ``{"sample": public_numbers}``; or ``edges`` lists the borders between cells. None of this is
    part of the domain. A missing value is an error unless ``missing`` is ``"category"``. ``unit``
    says what numbers count, for people. Dates as ends or edges are days since 1970-01-01.

    Where categories were merged, ``members`` lists for each of ``values`` the original ones that it
    stands for, None among them being a missing value.

    >>> Attribute.numeric("age", low=20, high=80, bins=3).coding().edges
    array([40., 60.])
    >>> Attribute.numeric("income", low=1, high=1000, bins=3, scale="log").coding().edges
    array([ 10., 100.])
    """

    name: str
    values: tuple[Value, ...] | None = None
    low: float | None = None
    high: float | None = None
    bins: int | None = None
    integer: bool = False
    missing: Missing = "error"
    edges: tuple[float, ...] | None = None
    scale: str | None = None
    prior: Prior | None = None
    unit: str | None = None
    members: Members | None = None

    @classmethod
    def categorical(
        cls,
        name: str,
        values: Iterable[Value],
        *,
        missing: Missing = "error",
        members: Iterable[Iterable[Value | None]] | None = None,
    ) -> Attribute:
        """Declare an attribute by the list of its categories.

        >>> Attribute.categorical("wind", ["weak", "strong"]).values
        ('weak', 'strong')
        """
        merged = None if members is None else tuple(tuple(group) for group in members)
        return cls(name, values=tuple(values), missing=missing, members=merged)

    @classmethod
    def numeric(
        cls,
        name: str,
        *,
        low: float,
        high: float,
        bins: int | None = None,
        integer: bool = False,
        missing: Missing = "error",
        edges: Sequence[float] | None = None,
        scale: str | None = None,
        prior: Prior | Mapping[str, Any] | None = None,
        unit: str | None = None,
    ) -> Attribute:
        """Declare an attribute by its smallest and largest possible value.

        >>> Attribute.numeric("age", low=0, high=120, integer=True).range
        (0.0, 120.0)
        """
        fields: Any = {"edges": edges, "scale": scale, "prior": prior, "unit": unit}  # as given
        return cls(name, low=low, high=high, bins=bins, integer=integer, missing=missing, **fields)

    def __post_init__(self) -> None:
        """Check the declaration as soon as it is made."""
        for checked in (dated, check):
            for name, value in checked(self).items():
                object.__setattr__(self, name, value)

    @property
    def section(self) -> str:
        """Where a schema's file declares the attribute, for hints.

        >>> Attribute.categorical("wind", ["weak", "strong"]).section
        '[attributes."wind"] of the schema'
        """
        return f"[attributes.{toml_of(self.name)}] of the schema"

    @property
    def is_categorical(self) -> bool:
        """Whether the domain is a list of categories.

        >>> Attribute.categorical("wind", ["weak", "strong"]).is_categorical
        True
        """
        return self.values is not None

    @property
    def domain(self) -> str:
        """What values there can be, in words, the first of many.

        >>> Attribute.numeric("age", low=0, high=120, integer=True).domain
        'whole numbers from 0 to 120'
        """
        if self.values is not None:
            named = ", ".join(map(str, self.values[:_NAMED]))
            more = len(self.values) - _NAMED
            return named + (f" and {more} more" if more > 0 else "")
        low, high = self.range
        kind = "whole numbers" if self.integer else "numbers"
        return f"{kind} from {low:,.10g} to {high:,.10g}"

    @property
    def originals(self) -> tuple[Value, ...]:
        """The categories as records have them, whatever was merged.

        >>> sky = Attribute.categorical("sky", ["clear", "cloud", "rain"])
        >>> sky.merged({"dry": ["clear", "cloud"], "wet": ["rain"]}).originals
        ('clear', 'cloud', 'rain')
        """
        if self.members is None:
            return self.values or ()
        return tuple(value for group in self.members for value in group if value is not None)

    def merged(
        self, groups: Mapping[str, Iterable[Value | None]], missing: Missing = "error"
    ) -> Attribute:
        """Return the attribute with groups of its values in their place; None stands for missing.

        >>> sky = Attribute.categorical("sky", ["Sunny", "Overcast", "Rain"])
        >>> sky.merged({"dry": ["Sunny"], "grey": ["Overcast", "Rain"]}).members
        (('Sunny',), ('Overcast', 'Rain'))
        """
        behind: dict[Value | None, tuple[Value | None, ...]] = {None: (None,)}
        behind |= {value: (value,) for value in self.values or ()}
        behind |= dict(zip(self.values or (), self.members or (), strict=False))
        members = [
            [original for value in group for original in behind[value]] for group in groups.values()
        ]
        return Attribute.categorical(self.name, groups, missing=missing, members=members)

    def coding(self, bins: int | None = None) -> Coding:
        """Return the public coding: the categories, or the cells; ``bins`` asks for as many.

        An integer attribute with no more values than bins has one cell per value.

        >>> Attribute.categorical("wind", ["weak", "strong"]).coding().size
        2
        """
        missing = self.missing == "category"
        if self.values is not None:
            return Coding.categories(self.name, self.values, missing=missing, members=self.members)
        low, high = self.range
        cells = bins or self.bins or DEFAULT_BINS
        if low == high:
            return Coding.cells(self.name, [low], [high], missing=missing)
        uneven = self.prior is not None or self.scale == "log"
        if (self.edges is None or bins is not None) and not uneven:
            lower, upper = equal_width(low, high, cells, integer=self.integer)
        else:
            edges: Any = self.edges
            if edges is None or bins is not None:
                how: Any = {"scale": self.scale, "prior": self.prior}
                edges = edges_of(low, high, cells, integer=self.integer, **how)
            lower, upper = sides(low, high, edges, integer=self.integer)
        return Coding.cells(self.name, lower, upper, missing=missing)

    def with_cells(
        self,
        bins: int | None = None,
        edges: Sequence[float] | None = None,
        scale: str | None = None,
        prior: Prior | Mapping[str, Any] | None = None,
    ) -> Attribute:
        """Return the attribute cut in another way; what is not given stays, if it can.

        >>> Attribute.numeric("age", low=0, high=100).with_cells(5).coding().edges
        array([20., 40., 60., 80.])
        """
        fields: dict[str, Any] = {"bins": bins, "edges": edges, "scale": scale, "prior": prior}
        if edges is None and scale is None and prior is None:
            fields |= {"scale": self.scale, "prior": self.prior}
            if bins is None:
                fields |= {"bins": self.bins, "edges": self.edges}
        elif edges is None and bins is None:
            fields["bins"] = self.bins
        return replace(self, **fields)

    def with_fixed_cells(self) -> Attribute:
        """Return the attribute with its cells written out: their number, or their borders.

        >>> Attribute.numeric(
        ...     "income", low=1, high=100, bins=2, scale="log"
        ... ).with_fixed_cells().edges
        (10.0,)
        """
        coding = self.coding()
        if coding.upper is None:
            return self
        plain = self.edges is None and self.prior is None and self.scale != "log"
        if plain:
            return replace(self, bins=coding.known, scale=None)
        edges = tuple(coding.upper[:-1].tolist())
        return replace(self, bins=None, edges=edges, scale=None, prior=None)

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and largest value of a numeric attribute.

        >>> Attribute.numeric("age", low=0, high=120).range
        (0.0, 120.0)
        """
        if self.low is None or self.high is None:
            message = f"Attribute {self.name!r} is categorical: it has no range."
            raise SchemaError(message)
        return float(self.low), float(self.high)

    def numbers(self, column: Any) -> Floats:
        """Return a numeric column as floats after checking it against the domain.

        >>> Attribute.numeric("age", low=0, high=120).numbers([31, 40])
        array([31., 40.])
        """
        low, high = self.range
        array = column if isinstance(column, np.ndarray) else np.asarray(column)
        if array.dtype.kind not in "iuf":
            message = f"Column {self.name!r} does not hold numbers."
            hint = f"the schema declares numbers from {low:g} to {high:g}; convert the column."
            raise self._dated() if holds_dates(column) else DataError(message, hint=hint)
        numbers = np.ascontiguousarray(array, dtype=np.float64)
        if not all_inside(numbers, low, high, self.integer, self.missing == "category"):
            if isinstance(column, Days) and self.unit != DAYS:
                raise self._dated()
            self._complain(numbers, *self._wrong(numbers))
        return numbers

    def _dated(self) -> DataError:
        """Return the mistake of dates where numbers are declared."""
        low, high = self.range
        message = f"Column {self.name!r} holds dates, and the schema declares numbers from "
        hint = "declare low and high as dates, low = 2016-01-01 in TOML, and have the column as "
        hint += "dates; or convert it to numbers."
        return DataError(f"{message}{low:g} to {high:g}.", hint=hint, column=self.name)

    def misfits(self, column: Any) -> Mask:
        """Say which values of a raw column the domain does not have.

        >>> Attribute.numeric("age", low=0, high=120).misfits([31, 140]).tolist()
        [False, True]
        """
        if self.values is None:
            return self._wrong(np.asarray(column, np.float64))[1]
        coding = self.coding()
        codes = code_values(column, coding.places, self.name, unknown=coding.size)
        return np.asarray(codes == coding.size, np.bool_)

    def _wrong(self, numbers: Floats) -> tuple[Mask, Mask]:
        """Say which numbers lie outside the range, and which of all are wrong."""
        low, high = self.range
        with np.errstate(invalid="ignore"):
            outside = ~((numbers >= low) & (numbers <= high))
            if self.missing == "category":
                outside &= ~np.isnan(numbers)
            wrong = outside
            if self.integer:
                wrong = outside | (numbers != np.floor(numbers)) & ~np.isnan(numbers)
        return outside, wrong

    def _complain(self, numbers: Floats, outside: Any, wrong: Any) -> None:
        low, high = self.range
        row = int(np.argmax(wrong))
        if np.isnan(numbers[row]):
            message = f"Column {self.name!r} has a missing value."
            hint = "fill or drop it, or declare missing = 'category'."
        elif outside[row]:
            message = f"Column {self.name!r} has a value outside its range; "
            message += f"allowed is {low:g} to {high:g}."
            hint = "widen the declared range, or clip the column yourself."
        else:
            message = f"Column {self.name!r} has a value that is not whole."
            hint = f"set integer = false in {self.section}, or round the column yourself."
        raise DataError(message, hint=hint, column=self.name, row=row)

    def encode(self, column: Any, coding: Coding | None = None) -> Codes:
        """Check a raw column against the domain and return its codes.

        >>> import pyarrow as pa
        >>> wind = Attribute.categorical("wind", ["weak", "strong"])
        >>> wind.encode(pa.array(["strong", "weak"])).tolist()
        [1, 0]
        """
        coding = coding or self.coding()
        return coding.encode(self.numbers(column) if coding.ordered else column)

    def to_dict(self) -> dict[str, Any]:
        """Return the declaration as it stands in a file, without the name.

        >>> Attribute.categorical("wind", ["weak", "strong"]).to_dict()
        {'values': ['weak', 'strong']}
        """
        if self.values is not None:
            form: dict[str, Any] = {"values": list(self.values), **_write_members(self.members)}
        else:
            form = {"low": self.low, "high": self.high}
            if self.bins is not None:
                form["bins"] = self.bins
            if self.edges is not None:
                form["edges"] = list(self.edges)
            if self.scale is not None:
                form["scale"] = self.scale
            if self.prior is not None:
                form["prior"] = self.prior.to_dict()
            if self.integer:
                form["integer"] = True
            if self.unit is not None:
                form["unit"] = self.unit
        if self.missing != "error":
            form["missing"] = self.missing
        return form

    @classmethod
    def from_dict(cls, name: str, form: Mapping[str, Any]) -> Attribute:
        """Read a declaration, refusing words it does not know.

        >>> Attribute.from_dict("wind", {"values": ["weak", "strong"]}).values
        ('weak', 'strong')
        """
        unknown = sorted(set(form) - _KEYS)
        if unknown:
            message = f"Attribute {name!r}: {unknown[0]!r} is not a known word; "
            message += f"known are {', '.join(sorted(_KEYS))}."
            raise SchemaError(message)
        fields = dict(form)
        if "values" in fields:
            if not isinstance(fields["values"], list | tuple):
                message = f"Attribute {name!r}: values must be a list."
                raise SchemaError(message, hint='values = ["Weak", "Strong"].')
            fields["values"] = tuple(fields["values"])
        if "members" in fields or "missing_in" in fields:
            fields["members"] = _read_members(name, fields)
        return cls(name, **fields)


def _write_members(members: Members | None) -> dict[str, Any]:
    """Return merged categories as a file has them; TOML has no word for a missing value."""
    if members is None:
        return {}
    form: dict[str, Any] = {"members": [[v for v in group if v is not None] for group in members]}
    for place, group in enumerate(members):
        if None in group:
            form["missing_in"] = place
    return form


def _read_members(name: str, fields: dict[str, Any]) -> Members:
    listed: Any = fields.get("members")
    missing = fields.pop("missing_in", None)
    fine = isinstance(listed, list | tuple) and all(
        isinstance(group, list | tuple) for group in listed
    )
    places = range(len(listed)) if fine else range(0)
    if not fine or not (missing is None or (type(missing) is int and missing in places)):
        message = f"Attribute {name!r}: members must be a list of lists, one for each of values."
        raise SchemaError(message, hint='members = [["Sunny"], ["Overcast", "Rain"]].')
    more = {missing: (None,)}
    return tuple((*group, *more.get(place, ())) for place, group in enumerate(listed))


def toml_of(value: object) -> str:
    """Write a value; JSON's form is TOML's, but for tables. Signs that steer are told by number."""
    if isinstance(value, dict):
        pairs = (f"{_key(key)} = {toml_of(inner)}" for key, inner in value.items())
        return f"{{ {', '.join(pairs)} }}"
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else "".join(map(_seen, text))


def _seen(sign: str) -> str:
    """Return a sign as TOML has it inside text; JSON has escaped quotes and the first controls."""
    if sign.isprintable() or unicodedata.category(sign) == "Zs":
        return sign
    number = ord(sign)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else toml_of(key)
