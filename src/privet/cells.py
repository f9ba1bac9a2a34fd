"""Cells: where the range of a number is cut, by what is public and never by the records.

A cell holds its upper border: the borders ``edges`` cut a range into the cells [low, e1], (e1, e2],
…, (ek, high]. A border may be ``low`` itself: the first cell then holds that one value, which
suits numbers that are often just zero.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import SchemaError

if TYPE_CHECKING:
    from privet.coding import Floats


__all__ = ["LARGEST", "SCALES", "Prior", "check_edges", "edges_of", "equal_width", "sides"]

SCALES = ("linear", "log")
LARGEST = sys.float_info.max  # a whole number beyond it cannot even be asked whether it is finite
SHAPES: dict[str, tuple[str, ...]] = {
    "normal": ("mean", "sd"),
    "lognormal": ("median", "sigma"),
    "exponential": ("mean",),
}
_KNOTS = 256  # quantiles that a public sample is kept as; more cells than that are never of use
_ROUNDING = 0.05  # of a cell's width: how far a border may move to be a shorter number
_MASS = 0.5  # of a prior that must lie in the range, or it is about something else


@dataclass(frozen=True)
class Prior:
    """How a number is distributed, by public knowledge: a named shape, or quantiles.

    ``parameters`` are those of the shape; of ``"quantiles"`` the values that part the people
    into groups of equal size (nine deciles, three quartiles).

    >>> Prior.of({"quantiles": [12, 20, 35]}, "income").edges(0, 400, 4)
    array([12., 20., 35.])
    """

    shape: str
    parameters: tuple[float, ...]

    @classmethod
    def of(cls, form: object, where: str) -> Prior:
        """Return the prior that a mapping asks for: a shape, quantiles or a public sample."""
        if isinstance(form, Prior):
            return form
        if not isinstance(form, Mapping) or len({"shape", "quantiles", "sample"} & set(form)) != 1:
            message = f"{where}: prior must say one of shape, quantiles or sample."
            raise SchemaError(message, hint='{ shape = "lognormal", median = 30, sigma = 0.5 }.')
        words = {key: value for key, value in form.items() if key != "shape"}
        if "shape" not in form:
            ((word, values),) = words.items() if len(words) == 1 else (("", None),)
            return cls("quantiles", _quantiles(word, values, where))
        names = SHAPES.get(form["shape"]) if isinstance(form["shape"], str) else None
        if names is None:
            message = f"{where}: the shape of a prior must be one of {', '.join(SHAPES)}."
            raise SchemaError(message)
        if set(words) != set(names) or not all(map(_is_number, words.values())):
            message = (
                f"{where}: the shape {form['shape']!r} takes the numbers {' and '.join(names)}."
            )
            raise SchemaError(message)
        parameters = tuple(words[name] for name in names)
        if any(name != "mean" or len(names) == 1 for name in names if words[name] <= 0):
            raise SchemaError(f"{where}: the {names[-1]} of a prior must be above 0.")
        return cls(form["shape"], parameters)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``of`` reads."""
        if self.shape == "quantiles":
            return {"quantiles": list(self.parameters)}
        return {"shape": self.shape, **dict(zip(SHAPES[self.shape], self.parameters, strict=True))}

    def check(self, low: float, high: float, where: str) -> None:
        """Refuse a prior that does not cover the range."""
        hint = "correct the prior, or the declared range."
        if self.shape == "quantiles":
            if not low <= self.parameters[0] or not self.parameters[-1] <= high:
                message = f"{where}: the prior has values outside the range {low:g} to {high:g}."
                raise SchemaError(message, hint=hint)
            return
        if self.shape != "normal" and low < 0:
            message = f"{where}: the prior does not cover the range: {self.shape} has no values "
            raise SchemaError(f"{message}below 0, and the range begins at {low:g}.", hint=hint)
        mass = self._below(high) - self._below(low)
        if mass < _MASS:
            message = f"{where}: the prior does not cover the range: only {100 * mass:.2g} % of it "
            raise SchemaError(f"{message}lies from {low:g} to {high:g}.", hint=hint)

    def edges(self, low: float, high: float, cells: int) -> Floats:
        """Return the borders of cells that hold equal shares of the prior inside the range."""
        shares = np.arange(1, cells) / cells
        if self.shape == "quantiles":
            knots = [low, *self.parameters, high]
            return np.asarray(np.interp(shares, np.linspace(0, 1, len(knots)), knots), np.float64)
        first, last = self._below(low), self._below(high)
        return np.array([self._value(first + share * (last - first)) for share in shares])

    def _below(self, value: float) -> float:
        if self.shape == "normal":
            return NormalDist(*self.parameters).cdf(value)
        if value <= 0:
            return 0.0
        if self.shape == "lognormal":
            median, sigma = self.parameters
            return NormalDist(math.log(median), sigma).cdf(math.log(value))
        return -math.expm1(-value / self.parameters[0])

    def _value(self, share: float) -> float:
        if self.shape == "normal":
            return NormalDist(*self.parameters).inv_cdf(share)
        if self.shape == "lognormal":
            median, sigma = self.parameters
            return math.exp(NormalDist(math.log(median), sigma).inv_cdf(share))
        return -self.parameters[0] * math.log1p(-share)


def _quantiles(word: str, values: Any, where: str) -> tuple[float, ...]:
    """Return given quantiles, or those of a public sample."""
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if word not in ("quantiles", "sample") or numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise SchemaError(f"{where}: the {word or 'prior'} of a prior must be a list of numbers.")
    if word == "sample":
        if len(np.unique(numbers)) < 2:
            raise SchemaError(f"{where}: a public sample needs two different numbers at least.")
        groups = min(len(numbers), _KNOTS)
        shares = np.arange(1, groups) / groups
        numbers = np.quantile(numbers, shares, method="inverted_cdf")
    if not len(numbers) or (np.diff(numbers) < 0).any():
        raise SchemaError(f"{where}: the quantiles of a prior must rise.")
    return tuple(numbers.tolist())


def check_edges(edges: Any, low: float, high: float, where: str) -> tuple[float, ...]:
    """Return given borders; they must rise and lie inside the range."""
    listed = list(edges) if isinstance(edges, list | tuple | np.ndarray) else [math.nan]
    numbers: list[Any] = [
        number.item() if isinstance(number, np.generic) else number for number in listed
    ]
    if not all(map(_is_number, numbers)):
        message = f"{where}: edges must be a list of numbers, the borders between cells."
        raise SchemaError(message, hint="edges = [18, 30, 65].")
    if any(after <= before for before, after in pairwise(numbers)):
        raise SchemaError(f"{where}: edges must rise: each above the one before it.")
    if numbers and not (low <= numbers[0] and numbers[-1] < high):
        message = f"{where}: edges must lie from {low:g} to below {high:g}, the ends of the range."
        raise SchemaError(message, hint="list the borders between cells, without the ends.")
    return tuple(numbers)


def edges_of(
    low: float,
    high: float,
    cells: int,
    *,
    integer: bool,
    scale: str | None = None,
    prior: Prior | None = None,
) -> Floats:
    """Return the borders of at most ``cells`` cells by a prior or a scale, as short numbers.

    >>> edges_of(1, 1000, 3, integer=False, scale="log")
    array([ 10., 100.])
    """
    if prior is not None:
        edges = prior.edges(low, high, cells)
    elif scale == "log":
        shift = 1.0 if low == 0 else 0.0  # of whole numbers only: log(1 + x)
        edges = np.geomspace(low + shift, high + shift, cells + 1)[1:-1] - shift
    else:
        edges = np.linspace(low, high, cells + 1)[1:-1]
    edges = np.unique(np.floor(edges) if integer else _short(edges, low, high))
    inside: Floats = edges[(edges >= low) & (edges < high)]
    return inside


def _short(edges: Floats, low: float, high: float) -> Floats:
    """Return borders rounded to as few digits as move them by little of a cell's width."""
    widths = np.diff(np.unique(np.concatenate([[low], edges, [high]])))
    widths = widths[widths > 0]
    if not len(widths):
        return edges
    places = np.searchsorted(np.unique(np.concatenate([[low], edges])), edges)
    near = np.minimum(
        widths[np.maximum(places - 1, 0)], widths[np.minimum(places, len(widths) - 1)]
    )
    digits = np.ceil(-np.log10(_ROUNDING * near)).astype(np.int64)
    return np.array([round(e, d) for e, d in zip(edges.tolist(), digits.tolist(), strict=True)])


def equal_width(low: float, high: float, cells: int, *, integer: bool) -> tuple[Floats, Floats]:
    """Return the smallest and largest values of cells of equal width."""
    if integer:
        count = int(high - low) + 1
        cells = min(cells, count)
        first = np.ceil(np.arange(cells + 1) * (count / cells) - 1e-9)
        return low + first[:-1], low + first[1:] - 1
    borders = np.linspace(low, high, cells + 1)
    return borders[:-1], borders[1:]


def sides(low: float, high: float, edges: Any, *, integer: bool) -> tuple[Floats, Floats]:
    """Return the smallest and largest values of the cells that borders make.

    >>> sides(0, 9, [3, 6], integer=True)
    (array([0., 4., 7.]), array([3., 6., 9.]))
    """
    inner = np.asarray(edges, np.float64)
    inner = np.floor(inner) if integer else inner
    return np.append(low, inner + 1 if integer else inner), np.append(inner, high)


def _is_number(value: object) -> bool:
    fine = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return fine and abs(value) <= LARGEST  # type: ignore[arg-type]
