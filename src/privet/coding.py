"""Codings: how raw values become small whole numbers and back; boxes of coded values.

Everything that is counted is coded first: a category by its place in the domain, a number by the
cell it falls in. Cells are closed on the right, ``(edge, next edge]``, so "code <= j" and
"value <= edge j" are the same test, in the data and in a tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from privet.compiled import kernel
from privet.errors import DataError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Codes: TypeAlias = NDArray[np.integer[Any]]  # uint8 or uint16 where a table holds them
    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]
    Mask: TypeAlias = NDArray[np.bool_]

__all__ = ["Box", "Coding", "Members", "Value", "code_type", "code_values", "of_class"]

Value: TypeAlias = str | int | float | bool
Members: TypeAlias = tuple[tuple[Value | None, ...], ...]

_BUCKETS = 4096  # of the table that says where to look for a number's cell
_BLOCK = 1024  # values whose buckets are looked up before their cells
MAX_CODES = 1 << 16


def code_type(size: int) -> type[np.uint8 | np.uint16]:
    """Return the narrowest code type that holds ``size`` values."""
    if size > MAX_CODES:
        message = f"A coded attribute has {size} values; at most {MAX_CODES} are possible."
        raise SchemaError(message, hint="use fewer bins, or merge categories.")
    return np.uint8 if size <= 256 else np.uint16


@kernel
def find_cells(
    values: Floats,
    edges: Floats,
    begin: NDArray[np.uint16],
    end: NDArray[np.uint16],
    scale: float,
    out: Codes,
) -> int:
    """Write the cell of each value; return the row of the first NaN, or -1.

    ``edges`` ends with infinity. A value's bucket says between which edges to look, mostly two.
    Buckets of a block come first, in a loop without a jump, so that several are looked up at once.
    """
    last = len(edges) - 1
    low = edges[0] if last else 0.0
    top = np.float64(len(begin) - 1)
    nan = -1
    buckets = np.empty(_BLOCK, np.int32)
    for start in range(0, len(values), _BLOCK):
        part, to = values[start : start + _BLOCK], out[start : start + _BLOCK]
        rows = np.uint64(len(part))
        strange = False
        for i in range(rows):
            place = (part[i] - low) * scale
            place = place if place > 0.0 else 0.0  # noqa: FURB136 - NaN becomes zero too
            buckets[i] = np.int32(min(place, top))
            strange |= part[i] != part[i]
        for i in range(rows):
            x = part[i]
            bucket = np.uint32(buckets[i])
            left = np.uint64(begin[bucket])
            right = np.uint64(end[bucket])
            if right > left + np.uint64(1):
                while left < right:
                    middle = (left + right) >> np.uint64(1)
                    if edges[middle] < x:
                        left = middle + np.uint64(1)
                    else:
                        right = middle
                to[i] = left
            else:
                to[i] = left + np.uint64(edges[left] < x)
        if strange:
            for i in range(rows):
                if np.isnan(part[i]):
                    nan = start + int(i) if nan < 0 else nan
                    to[i] = last
    return nan


@dataclass(frozen=True, eq=False)
class Coding:
    """How one column is coded: ``size`` codes, each a category or a cell of numbers.

    ``values`` lists the categories; or ``lower`` and ``upper`` give the smallest and the largest
    value of each cell. With ``missing`` the last code stands for a missing value: after all
    numbers, so that a missing value is never "at most" anything. Where categories were merged,
    ``members`` lists the original values of each; None among them is a missing value.

    >>> Coding.cells("age", [20, 40, 60], [40, 60, 80]).edges
    array([40., 60.])
    """

    name: str
    values: tuple[Value, ...] | None = None
    lower: Floats | None = None
    upper: Floats | None = None
    missing: bool = False
    members: Members | None = None
    _tables: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def categories(
        cls,
        name: str,
        values: Iterable[Value],
        *,
        missing: bool = False,
        members: Members | None = None,
    ) -> Coding:
        """Code categories in the given order."""
        return cls(name, values=tuple(values), missing=missing, members=members)

    @classmethod
    def cells(
        cls,
        name: str,
        lower: Sequence[float] | Floats,
        upper: Sequence[float] | Floats,
        *,
        missing: bool = False,
    ) -> Coding:
        """Code numbers by cells given by their smallest and largest values."""
        low, high = np.asarray(lower, np.float64), np.asarray(upper, np.float64)
        return cls(name, lower=low, upper=high, missing=missing)

    @property
    def ordered(self) -> bool:
        """Whether codes follow the order of numbers."""
        return self.values is None

    @property
    def known(self) -> int:
        """The number of codes, missing left out."""
        cells = self.lower if self.values is None else self.values
        return 0 if cells is None else len(cells)

    @property
    def size(self) -> int:
        """The number of codes."""
        return self.known + self.missing

    @property
    def places(self) -> Mapping[Value | None, int]:
        """The code of each category, and of None if missing has a code.

        Where categories were merged, a value has its code by either name: its own, and
        the name it was released under.
        """
        if "places" not in self._tables:
            places: dict[Value | None, int] = {v: code for code, v in enumerate(self.values or ())}
            for code, members in enumerate(self.members or ()):
                places |= dict.fromkeys(members, code)
            if self.missing:
                places[None] = self.known
            self._tables["places"] = places
        known: Mapping[Value | None, int] = self._tables["places"]
        return known

    @property
    def plain(self) -> Coding:
        """The coding of the original values behind merged categories; itself if none were."""
        if self.members is None:
            return self
        values = [value for group in self.members for value in group]
        known = [value for value in values if value is not None]
        return Coding.categories(self.name, known, missing=self.missing or None in values)

    def codes_of(self, other: Coding) -> NDArray[np.int64] | None:
        """Return which code each code of another coding of the same categories has here.

        None if one has none, or stands for values of several.
        """
        groups = other.members or tuple((value,) for value in other.values or ())
        members = [*groups, *([(None,)] * other.missing)]
        codes = [{self.places.get(value, -1) for value in group} for group in members]
        if any(len(targets) > 1 or -1 in targets for targets in codes):
            return None
        return np.array([targets.pop() for targets in codes], np.int64)

    @property
    def edges(self) -> Floats:
        """Cut points between neighbouring cells; missing values lie behind infinity."""
        if "edges" not in self._tables:
            lower, upper = self._bounds()
            pairs = zip(upper[:-1].tolist(), lower[1:].tolist(), strict=True)
            inner = np.array([_between(below, above) for below, above in pairs])
            self._tables["edges"] = np.append(inner, np.inf) if self.missing else inner
        edges: Floats = self._tables["edges"]
        return edges

    def _bounds(self) -> tuple[Floats, Floats]:
        if self.lower is None or self.upper is None:
            message = f"Column {self.name!r} is categorical: it has no cells."
            raise SchemaError(message)
        return self.lower, self.upper

    def cut(self, left: int, right: int) -> tuple[int, float]:
        """Return where to cut between two codes that occur: the last left code and the threshold.

        The threshold lies midway between the values that occur, moved to a border if it would
        cut through a cell between them, so that codes and values always take the same side.
        """
        lower, upper = self._bounds()
        if right >= len(lower):
            return len(lower) - 1, np.inf
        middle = _between(float(upper[left]), float(lower[right]))
        last = int(np.searchsorted(upper, middle, side="right")) - 1
        last = min(max(last, left), right - 1)
        if lower[last + 1] <= middle:
            middle = _between(float(upper[last]), float(lower[last + 1]))
        return last, middle

    def around(self, left: int, right: int) -> tuple[float, float]:
        """Return the largest value of one cell and the smallest of another."""
        lower, upper = self._bounds()
        return float(upper[left]), float(lower[right]) if right < len(lower) else np.inf

    def encode(self, column: Any, out: Codes | None = None) -> Codes:
        """Return the codes of a column; the caller has checked its domain.

        A category that is not in the domain is an error; a number outside all cells falls into
        the nearest.
        """
        if self.values is not None:
            codes = code_values(column, self.places, self.name)
            if out is None:
                return codes
            out[:] = codes
            return out
        numbers = np.asarray(column, dtype=np.float64)
        if out is None:
            out = np.empty(len(numbers), code_type(self.size))
        nan = find_cells(numbers, *self._buckets(), out)
        if nan >= 0 and not self.missing:
            raise _missing(self.name, nan)
        return out

    def _buckets(self) -> tuple[Floats, NDArray[np.uint16], NDArray[np.uint16], float]:
        """Return the edges, and for each bucket of the number line where to look among them.

        Buckets are of equal width, each taken a little wider than it is, so that the rounding
        of a value's bucket can do no harm, and the outer two reach to infinity.
        """
        if "buckets" not in self._tables:
            edges = self.edges[np.isfinite(self.edges)]
            width = (edges[-1] / _BUCKETS - edges[0] / _BUCKETS) if len(edges) else 0.0
            if 0 < width < 1e300 and np.isfinite(1.0 / width):
                borders = edges[0] + np.arange(1, _BUCKETS) * width
                begin = np.searchsorted(self.edges, borders - 0.01 * width, side="left")
                end = np.searchsorted(self.edges, borders + 0.01 * width, side="left")
                scale = 1.0 / width
            else:
                begin = end = np.empty(0, np.int64)
                scale = 0.0
            self._tables["buckets"] = (
                np.append(self.edges, np.inf),
                np.concatenate([[0], begin]).astype(np.uint16),  # two bytes: they stay in cache
                np.concatenate([end, [len(self.edges)]]).astype(np.uint16),
                float(scale),
            )
        buckets: tuple[Floats, NDArray[np.uint16], NDArray[np.uint16], float] = self._tables[
            "buckets"
        ]
        return buckets

    def decode(self, codes: Codes) -> NDArray[Any]:
        """Return categories, or the centres of cells; missing becomes None or NaN."""
        if self.values is not None:
            names = np.array([*self.values, *([None] * self.missing)], dtype=object)
            return names[codes]
        lower, upper = self._bounds()
        centres = lower + (upper - lower) / 2
        return np.append(centres, [np.nan] * self.missing)[codes]

    def label(self, code: int) -> str:
        """Name one code for people."""
        if self.missing and code == self.known:
            return "missing"
        if self.values is not None:
            return str(self.values[code])
        lower, upper = self._bounds()
        low, high = lower[code], upper[code]
        return f"{low:g}" if low == high else f"{low:g} to {high:g}"

    def to_dict(self) -> dict[str, Any]:
        """Return a plain form; ``from_dict`` reads it back."""
        form: dict[str, Any] = {"name": self.name}
        if self.values is not None:
            form["values"] = list(self.values)
            if self.members is not None:
                form["members"] = [list(group) for group in self.members]
        else:
            lower, upper = self._bounds()
            form["lower"], form["upper"] = lower.tolist(), upper.tolist()
        if self.missing:
            form["missing"] = True
        return form

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Coding:
        """Read what ``to_dict`` wrote."""
        missing = bool(form.get("missing", False))
        if "values" in form:
            members = form.get("members")
            return cls.categories(form["name"], form["values"], missing=missing, members=members)
        if any(type(end) not in (int, float) for end in (*form["lower"], *form["upper"])):
            raise TypeError
        return cls.cells(form["name"], form["lower"], form["upper"], missing=missing)


@kernel
def all_inside(numbers: Floats, low: float, high: float, whole: bool, missing: bool) -> bool:  # noqa: FBT001 - numba takes no keywords
    """Whether all numbers lie in a range, are whole if asked, or missing if that is allowed."""
    fine = 0
    for number in numbers:
        inside = low <= number <= high and (not whole or number == np.floor(number))
        fine += inside or (missing and np.isnan(number))
    return fine == len(numbers)


def _between(below: float, above: float) -> float:
    """Return the middle of two numbers, never the upper: two floats may have none between."""
    middle = below / 2 + above / 2
    return below if middle >= above or middle < below else middle


def code_values(
    column: Any, places: Mapping[Value | None, int], name: str, *, unknown: int | None = None
) -> Codes:
    """Code a column of categories by dictionary: each distinct value is looked up once.

    ``places`` has the code of each value, and of None if a missing value has a code. ``unknown`` is
    the code of any other; without it such a value is an error.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        array = pa.array(column, from_pandas=True) if isinstance(column, np.ndarray) else column
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
    except (pa.ArrowException, TypeError):
        message = f"Column {name!r} mixes types that cannot stand side by side."
        raise DataError(message, hint="use one type, text for example.") from None
    codes = [places.get(value, -1) for value in array.dictionary.to_pylist()]
    table = np.array([*codes, places.get(None, -1)], dtype=np.int64)
    indices = array.indices
    if indices.null_count:  # a narrow index may have no room for one code more
        indices = pc.fill_null(indices.cast(pa.int64()), len(codes))
    indices = np.from_dlpack(indices)  # not by way of pandas
    coded = table[indices]
    if coded.min(initial=0) < 0:
        if unknown is None:
            _complain(array, coded, places, name)
        coded = np.where(coded < 0, unknown, coded)
    largest = max(unknown or 0, *places.values()) if places else 0
    narrow: Codes = coded.astype(code_type(largest + 1))
    return narrow


def _complain(
    array: Any, coded: NDArray[np.int64], places: Mapping[Value | None, int], name: str
) -> None:
    values = [value for value in places if value is not None]
    row = int(np.argmax(coded < 0))
    if not array.indices[row].is_valid:
        raise _missing(name, row)
    kinds = {type(value).__name__ for value in array.dictionary.to_pylist() if value is not None}
    asked = {type(value).__name__ for value in values}
    allowed = ", ".join(repr(value) for value in values[:8]) + (", ..." if len(values) > 8 else "")
    message = f"Column {name!r} has a value outside its domain; allowed are {allowed}."
    hint = "declare every category in the schema, or correct the table if it is misspelt, or map "
    hint += "rare ones to one that is declared."
    if not kinds & asked:
        hint = f"the column holds {'/'.join(sorted(kinds))}, the schema {'/'.join(sorted(asked))}."
    raise DataError(message, hint=hint, column=name, row=row)


_FILL = "fill or drop it, or declare missing = 'category'."


def _missing(name: str, row: int) -> DataError:
    return DataError(f"Column {name!r} has a missing value.", hint=_FILL, column=name, row=row)


def of_class(error: DataError, target: str | None) -> DataError:
    """Return a mistake in other words if it is a missing class, which no schema can allow.

    >>> of_class(_missing("play", 3), "play").hint
    'drop records without a class, or make it a value.'
    """
    if error.where.column != target or error.hint != _FILL:
        return error
    return error.retold(error.message, hint="drop records without a class, or make it a value.")


@dataclass(frozen=True, eq=False)
class Box:
    """A conjunction of conditions: for some attributes, the set of codes that may stand there.

    A node's path and an event are boxes; an attribute without a mask is free.
    """

    masks: Mapping[str, Mask] = field(default_factory=dict)

    def narrowed(self, name: str, mask: Mask) -> Box:
        """Return the box with one more condition."""
        before = self.masks.get(name)
        return Box({**self.masks, name: mask if before is None else before & mask})

    @property
    def key(self) -> Hashable:
        """What boxes of the same conditions have in common, in whatever order they were made."""
        return tuple(sorted((name, mask.tobytes()) for name, mask in self.masks.items()))

    def mask(self, name: str, size: int) -> Mask:
        """Return the codes allowed for an attribute of ``size`` codes."""
        mask = self.masks.get(name)
        return np.ones(size, np.bool_) if mask is None else mask
