"""Schemas: attributes with public domains, and which of them is the class.

A schema is declared before data is seen. ``Schema.infer`` reads one off a table for convenience,
and then says of itself that it was learned from data.
"""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privet.coding import MAX_CODES, Coding, Value, all_inside
from privet.errors import DataError, SchemaError
from privet.frames import columns, distinct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from privet.coding import Codes, Floats

__all__ = ["DEFAULT_BINS", "Attribute", "Schema"]

DEFAULT_BINS = 10
_KEYS = {"values", "low", "high", "bins", "integer", "missing"}
Missing = Literal["error", "category"]


@dataclass(frozen=True)
class Attribute:
    """One column and its public domain: categories, or a range of numbers.

    ``bins`` is into how many cells of equal width a range is cut where it must be coded; it is
    not part of the domain. A missing value is an error unless ``missing`` is ``"category"``.

    >>> Attribute.numeric("age", low=20, high=80, bins=3).coding().edges
    array([40., 60.])
    """

    name: str
    values: tuple[Value, ...] | None = None
    low: float | None = None
    high: float | None = None
    bins: int | None = None
    integer: bool = False
    missing: Missing = "error"

    @classmethod
    def categorical(
        cls, name: str, values: Iterable[Value], *, missing: Missing = "error"
    ) -> Attribute:
        """Declare an attribute by the list of its categories."""
        return cls(name, values=tuple(values), missing=missing)

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
    ) -> Attribute:
        """Declare an attribute by its smallest and largest possible value."""
        return cls(name, low=low, high=high, bins=bins, integer=integer, missing=missing)

    def __post_init__(self) -> None:
        """Check the declaration as soon as it is made."""
        where = f"Attribute {self.name!r}"
        if not isinstance(self.name, str) or not self.name:
            message = "An attribute's name must be text that is not empty."
            raise SchemaError(message)
        if self.missing not in ("error", "category"):
            message = f"{where}: missing must be 'error' or 'category'."
            raise SchemaError(message)
        if not isinstance(self.integer, bool):
            message = f"{where}: integer must be true or false."
            raise SchemaError(message)
        if self.values is None:
            self._check_range(where)
        else:
            self._check_values(where)

    def _check_values(self, where: str) -> None:
        values = self.values or ()
        if self.integer or not (self.low is None and self.high is None and self.bins is None):
            message = f"{where} has values: it cannot have low, high, bins or integer as well."
            raise SchemaError(message, hint="values are for categories, low and high for numbers.")
        if not all(isinstance(value, str | int | float) for value in values):
            message = f"{where}: values must be text, numbers or true/false."
            raise SchemaError(message)
        if any(isinstance(value, float) and not math.isfinite(value) for value in values):
            message = f"{where}: a value is not a finite number."
            raise SchemaError(message, hint="for missing values, declare missing = 'category'.")
        if len(set(values)) < len(values):
            message = f"{where}: a value is listed twice."
            raise SchemaError(message)
        if not values:
            message = f"{where}: the list of values is empty."
            raise SchemaError(message, hint="list every category that may occur.")

    def _check_range(self, where: str) -> None:
        low, high = self.low, self.high
        if low is None or high is None:
            message = f"{where} needs either values (categorical) or low and high (numeric)."
            raise SchemaError(message)
        if not (_is_number(low) and _is_number(high)):
            message = f"{where}: low and high must be numbers."
            raise SchemaError(message)
        if not (math.isfinite(low) and math.isfinite(high) and math.isfinite(high - low)):
            message = f"{where}: low and high must be finite."
            raise SchemaError(message)
        if low > high:
            message = f"{where}: low is above high."
            raise SchemaError(message)
        if self.integer and (low != math.floor(low) or high != math.floor(high)):
            message = f"{where}: low and high of an integer attribute must be whole numbers."
            raise SchemaError(message)
        whole = isinstance(self.bins, int) and not isinstance(self.bins, bool)
        if self.bins is not None and not (whole and 1 <= self.bins <= MAX_CODES):
            message = f"{where}: bins must be a whole number from 1 to {MAX_CODES}."
            raise SchemaError(message)

    @property
    def is_categorical(self) -> bool:
        """Whether the domain is a list of categories."""
        return self.values is not None

    def coding(self, bins: int | None = None) -> Coding:
        """Return the public coding: the categories, or ``bins`` cells of equal width.

        An integer attribute with no more values than bins has one cell a value.
        """
        missing = self.missing == "category"
        if self.values is not None:
            return Coding.categories(self.name, self.values, missing=missing)
        low, high = self.range
        cells = bins or self.bins or DEFAULT_BINS
        if low == high:
            return Coding.cells(self.name, [low], [high], missing=missing)
        if self.integer:
            count = int(high - low) + 1
            cells = min(cells, count)
            first = np.ceil(np.arange(cells + 1) * (count / cells) - 1e-9)
            lower, upper = low + first[:-1], low + first[1:] - 1
        else:
            borders = np.linspace(low, high, cells + 1)
            lower, upper = borders[:-1], borders[1:]
        return Coding.cells(self.name, lower, upper, missing=missing)

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and largest value of a numeric attribute."""
        if self.low is None or self.high is None:
            message = f"Attribute {self.name!r} is categorical: it has no range."
            raise SchemaError(message)
        return float(self.low), float(self.high)

    def numbers(self, column: Any) -> Floats:
        """Return a numeric column as floats after checking it against the domain."""
        low, high = self.range
        array = column if isinstance(column, np.ndarray) else np.asarray(column)
        if array.dtype.kind not in "iuf":
            message = f"Column {self.name!r} does not hold numbers."
            hint = f"the schema declares numbers from {low:g} to {high:g}; convert the column."
            raise DataError(message, hint=hint)
        numbers = np.ascontiguousarray(array, dtype=np.float64)
        if all_inside(numbers, low, high, self.integer, self.missing == "category"):
            return numbers
        with np.errstate(invalid="ignore"):
            outside = ~((numbers >= low) & (numbers <= high))
            if self.missing == "category":
                outside &= ~np.isnan(numbers)
            wrong = outside
            if self.integer:
                wrong = outside | (numbers != np.floor(numbers)) & ~np.isnan(numbers)
        self._complain(numbers, outside, wrong)
        return numbers

    def _complain(self, numbers: Floats, outside: Any, wrong: Any) -> None:
        low, high = self.range
        row = int(np.argmax(wrong))
        where = f"(first in row {row})"
        if np.isnan(numbers[row]):
            message = f"Column {self.name!r} has a missing value {where}."
            raise DataError(message, hint="fill or drop it, or declare missing = 'category'.")
        if outside[row]:
            message = f"Column {self.name!r} has a value outside its range {where}; "
            message += f"allowed is {low:g} to {high:g}."
            raise DataError(message, hint="widen the declared range, or clip the column yourself.")
        message = f"Column {self.name!r} has a value that is not whole {where}."
        raise DataError(message, hint="declare integer = false, or round the column yourself.")

    def encode(self, column: Any, coding: Coding | None = None) -> Codes:
        """Check a raw column against the domain and return its codes."""
        coding = coding or self.coding()
        return coding.encode(self.numbers(column) if coding.ordered else column)

    def to_dict(self) -> dict[str, Any]:
        """Return the declaration as it stands in a file, without the name."""
        if self.values is not None:
            form: dict[str, Any] = {"values": list(self.values)}
        else:
            form = {"low": self.low, "high": self.high}
            if self.bins is not None:
                form["bins"] = self.bins
            if self.integer:
                form["integer"] = True
        if self.missing != "error":
            form["missing"] = self.missing
        return form

    @classmethod
    def from_dict(cls, name: str, form: Mapping[str, Any]) -> Attribute:
        """Read a declaration, refusing words it does not know."""
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
        return cls(name, **fields)


@dataclass(frozen=True)
class Schema:
    """The attributes of a table in order, and the name of the class among them.

    >>> schema = Schema(
    ...     [
    ...         Attribute.categorical("wind", ["Weak", "Strong"]),
    ...         Attribute.categorical("play", ["Yes", "No"]),
    ...     ],
    ...     target="play",
    ... )
    >>> [attribute.name for attribute in schema.inputs]
    ['wind']
    """

    attributes: tuple[Attribute, ...]
    target: str
    learned: bool = False

    def __init__(
        self, attributes: Iterable[Attribute], *, target: str, learned: bool = False
    ) -> None:
        object.__setattr__(self, "attributes", tuple(attributes))
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "learned", learned)
        names = self.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            message = f"The schema names attribute {twice!r} twice."
            raise SchemaError(message)
        if target not in names:
            message = f"The class {target!r} is not among the attributes: {', '.join(names)}."
            raise SchemaError(message)
        if not self[target].is_categorical:
            message = f"The class {target!r} must be categorical."
            raise SchemaError(message, hint="declare the list of its values.")
        if self[target].missing != "error":
            message = f"The class {target!r} cannot have missing = 'category'."
            raise SchemaError(message, hint="drop records without a class, or make it a value.")
        if len(names) < 2:
            message = "The schema has a class but no attribute to learn it from."
            raise SchemaError(message)

    @property
    def names(self) -> list[str]:
        """All names, in order."""
        return [attribute.name for attribute in self.attributes]

    @property
    def inputs(self) -> list[Attribute]:
        """All attributes but the class."""
        return [attribute for attribute in self.attributes if attribute.name != self.target]

    @property
    def classes(self) -> tuple[Value, ...]:
        """The values of the class."""
        return self[self.target].values or ()

    def __getitem__(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        message = f"The schema has no attribute {name!r}; it has {', '.join(self.names)}."
        raise SchemaError(message)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def with_attributes(self, attributes: Iterable[Attribute]) -> Schema:
        """Return the schema with other attributes, the class and the mark kept."""
        return Schema(attributes, target=self.target, learned=self.learned)

    def with_bins(self, bins: int) -> Schema:
        """Return the schema with ``bins`` for every numeric attribute."""
        return self.with_attributes(
            attribute if attribute.is_categorical else replace(attribute, bins=bins)
            for attribute in self.attributes
        )

    # Files

    def to_dict(self) -> dict[str, Any]:
        """Return a plain form, as in TOML and JSON files."""
        form: dict[str, Any] = {"target": self.target}
        if self.learned:
            form["learned_from_data"] = True
        form["attributes"] = {attribute.name: attribute.to_dict() for attribute in self.attributes}
        return form

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Schema:
        """Read a plain form."""
        unknown = sorted(set(form) - {"target", "attributes", "learned_from_data"})
        if unknown:
            message = f"The schema has the unknown word {unknown[0]!r}; "
            message += "known are target, attributes and learned_from_data."
            raise SchemaError(message)
        if not isinstance(form.get("target"), str) or not isinstance(form.get("attributes"), dict):
            message = "A schema needs a target and a table of attributes."
            raise SchemaError(message, hint='target = "play" and [attributes.wind] in TOML.')
        attributes = []
        for name, fields in form["attributes"].items():
            if not isinstance(fields, dict):
                message = f"Attribute {name!r} must be a table with values, or low and high."
                raise SchemaError(message)
            attributes.append(Attribute.from_dict(name, fields))
        learned = bool(form.get("learned_from_data", False))
        return cls(attributes, target=form["target"], learned=learned)

    def to_json(self) -> str:
        """Return the schema as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def to_toml(self) -> str:
        """Return the schema as TOML text."""
        lines = [f"target = {_toml(self.target)}"]
        if self.learned:
            lines.append("learned_from_data = true")
        for attribute in self.attributes:
            lines.append(f"\n[attributes.{_toml(attribute.name)}]")
            lines += [f"{key} = {_toml(value)}" for key, value in attribute.to_dict().items()]
        return "\n".join(lines) + "\n"

    @classmethod
    def infer(cls, frame: Any, *, target: str, bins: int | None = None) -> Schema:
        """Read a schema off a table: its categories and ranges, which it thereby gives away.

        The schema is marked as learned from data, and so is every release made with it.
        """
        held = columns(frame)
        if target not in held:
            message = f"The table has no column {target!r}; it has {', '.join(held)}."
            raise DataError(message)
        return cls(
            (
                _infer(name, column, bins, categorical=name == target)
                for name, column in held.items()
            ),
            target=target,
            learned=True,
        )

    @classmethod
    def read(cls, path: str | Path) -> Schema:
        """Read a ``.toml`` or ``.json`` file."""
        file = Path(path)
        try:
            text = file.read_text(encoding="utf-8")
            form = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
        except OSError as error:
            message = f"The schema {file} cannot be read: {error.strerror}."
            raise SchemaError(message) from None
        except ValueError as error:
            message = f"The schema {file} is not valid {file.suffix.lstrip('.').upper()}: {error}."
            raise SchemaError(message) from None
        if not isinstance(form, dict):
            message = f"The schema {file} must be a table with target and attributes."
            raise SchemaError(message)
        return cls.from_dict(form)

    def write(self, path: str | Path) -> None:
        """Write a ``.toml`` or ``.json`` file."""
        file = Path(path)
        text = self.to_toml() if file.suffix == ".toml" else self.to_json()
        try:
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            message = f"The schema cannot be written to {file}: {error.strerror}."
            raise SchemaError(message) from None


def _toml(value: object) -> str:
    """Write a scalar or a list of scalars; JSON's form is TOML's, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _infer(name: str, column: Any, bins: int | None, *, categorical: bool) -> Attribute:
    numeric = isinstance(column, np.ndarray)
    if numeric and not categorical:
        if np.isinf(column).any():
            message = f"Column {name!r} has an infinite value."
            raise DataError(message, hint="a range must be finite; correct or drop those records.")
        known = column[~np.isnan(column)]
        if not len(known):
            message = f"Column {name!r} has no value to learn a range from."
            raise DataError(message)
        integer = bool((known == np.floor(known)).all())
        return Attribute.numeric(
            name,
            low=float(known.min()) if not integer else int(known.min()),
            high=float(known.max()) if not integer else int(known.max()),
            bins=bins,
            integer=integer,
            missing="error" if len(known) == len(column) else "category",
        )
    values = distinct(column)
    missing: Missing = "error" if None not in values else "category"
    return Attribute.categorical(
        name, sorted((v for v in values if v is not None), key=_order), missing=missing
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _order(value: Value) -> tuple[str, Value]:
    return ("number" if isinstance(value, int | float) else "text", value)
