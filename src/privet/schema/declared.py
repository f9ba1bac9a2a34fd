"""What a declaration of an attribute must keep to."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from privet.cells import LARGEST, SCALES, Prior, check_edges, sides
from privet.coding import MAX_CODES
from privet.errors import SchemaError
from privet.frames import DAYS

if TYPE_CHECKING:
    from privet.coding import Members
    from privet.schema.attribute import Attribute

__all__ = ["CELLS", "check", "dated"]

CELLS = ("bins", "edges", "scale", "prior")


def dated(attribute: Attribute) -> dict[str, Any]:
    """Return the ends and borders that are dates as days since 1970, and the unit they then have.

    TOML has dates, and columns of dates are read as days.
    """
    edges: Any = attribute.edges if isinstance(attribute.edges, list | tuple) else ()
    given: dict[str, Any] = {"low": attribute.low, "high": attribute.high}
    dates = {word: value for word, value in given.items() if isinstance(value, date)}
    for edge in edges:
        if isinstance(edge, date):
            dates.setdefault("edges", edge)
    if not dates:
        return {}
    word, value = next(iter(dates.items()))
    if attribute.unit not in (None, DAYS):
        message = f"Attribute {attribute.name!r}: {word} is a date, but its unit is "
        message += f"{attribute.unit!r}."
        hint = f"write a number of that unit; in {DAYS}, the unit of dates, {value} is "
        raise SchemaError(message, hint=f"{hint}{_days(value):.10g}.")
    converted = {word: _days(given[word]) for word in dates if word != "edges"}
    if "edges" in dates:
        converted["edges"] = tuple(map(_days, edges))
    return {**converted, "unit": DAYS}


def _days(value: Any) -> Any:
    """Return a date or time as days since 1970, whole if it is; anything else as it is."""
    if not isinstance(value, date):
        return value
    if not isinstance(value, datetime):
        return value.toordinal() - date(1970, 1, 1).toordinal()
    moment = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    days = (moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1)
    return int(days) if days.is_integer() else days


def check(attribute: Attribute) -> dict[str, Any]:
    """Check a declaration; return what it says of cells, as it is kept."""
    where = f"Attribute {attribute.name!r}"
    if not isinstance(attribute.name, str) or not attribute.name:
        message = "An attribute's name must be text that is not empty."
        raise SchemaError(message)
    if attribute.missing not in ("error", "category"):
        message = f"{where}: missing must be 'error' or 'category'."
        raise SchemaError(message)
    if not isinstance(attribute.integer, bool):
        message = f"{where}: integer must be true or false."
        raise SchemaError(message)
    if attribute.values is None:
        return _check_range(attribute, where)
    _check_values(attribute, where)
    return {}


def _check_values(attribute: Attribute, where: str) -> None:
    values = attribute.values or ()
    if attribute.integer or any(
        getattr(attribute, word) is not None for word in ("low", "high", "unit", *CELLS)
    ):
        message = f"{where} has values: it cannot have low, high, integer or cells as well."
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
    if len(values) + (attribute.missing == "category") > MAX_CODES:
        message = f"{where} has {len(values):,} values; at most {MAX_CODES:,} are possible."
        raise SchemaError(message, hint="merge rare categories, or leave the attribute out.")
    if not values:
        message = f"{where}: the list of values is empty."
        raise SchemaError(message, hint="list every category that may occur.")
    if attribute.members is not None:
        _check_members(attribute, where, attribute.members)


def _check_members(attribute: Attribute, where: str, members: Members) -> None:
    listed = [value for group in members for value in group]
    kinds = str | int | float | None
    if len(members) != len(attribute.values or ()) or not all(members):
        raise SchemaError(f"{where}: members must list original values for each of values.")
    if not all(isinstance(value, kinds) for value in listed) or len(set(listed)) < len(listed):
        raise SchemaError(f"{where}: members must be values of the original, each just once.")
    if None in listed and attribute.missing == "category":
        raise SchemaError(f"{where}: a missing value is among the members and a category too.")
    for name, own in zip(attribute.values or (), members, strict=True):
        if name in listed and name not in own:
            message = f"{where}: one of values is named like an original of another one."
            raise SchemaError(message, hint="name it otherwise.")


def _check_range(attribute: Attribute, where: str) -> dict[str, Any]:
    low, high = attribute.low, attribute.high
    if low is None or high is None:
        message = f"{where} needs either values (categorical) or low and high (numeric)."
        raise SchemaError(message)
    if not (_is_number(low) and _is_number(high)):
        message = f"{where}: low and high must be numbers."
        raise SchemaError(message)
    if not all(abs(number) <= LARGEST for number in (low, high, high - low)):
        message = f"{where}: low and high must be finite."
        raise SchemaError(message)
    if low > high:
        message = f"{where}: low is above high."
        raise SchemaError(message)
    if attribute.integer and (low != math.floor(low) or high != math.floor(high)):
        message = f"{where}: low and high of an integer attribute must be whole numbers."
        raise SchemaError(message)
    whole = isinstance(attribute.bins, int) and not isinstance(attribute.bins, bool)
    if attribute.bins is not None and not (whole and 1 <= attribute.bins <= MAX_CODES):
        message = f"{where}: bins must be a whole number from 1 to {MAX_CODES}."
        raise SchemaError(message)
    if attribute.unit is not None and not isinstance(attribute.unit, str):
        raise SchemaError(f"{where}: unit must be text.")
    return _check_cells(attribute, where)


def _check_cells(attribute: Attribute, where: str) -> dict[str, Any]:
    low, high = attribute.range
    kept: dict[str, Any] = {}
    if attribute.scale is not None and attribute.scale not in SCALES:
        raise SchemaError(f"{where}: scale must be 'linear' or 'log'.")
    given = [word for word in CELLS[1:] if getattr(attribute, word) not in (None, "linear")]
    if len(given) > 1 or (attribute.edges is not None and attribute.bins is not None):
        message = f"{where}: edges say all of the cells; without them a scale or a prior does."
        raise SchemaError(message, hint="give edges, or bins with scale or prior.")
    if attribute.edges is not None:
        edges = kept["edges"] = check_edges(attribute.edges, low, high, where)
        below, above = sides(low, high, edges, integer=attribute.integer)
        if (above < below).any():
            message = f"{where}: between two of its edges there is no whole number."
            raise SchemaError(message, hint="leave out borders, or declare integer = false.")
    if attribute.prior is not None:
        prior = kept["prior"] = Prior.of(attribute.prior, where)
        prior.check(low, high, where)
    if attribute.scale == "log" and not (low > 0 or (low == 0 and attribute.integer)):
        message = f"{where}: a range that begins at {low:g} has no logarithm."
        hint = "declare low above 0, or give edges or a prior; whole numbers may begin at 0."
        raise SchemaError(message, hint=hint)
    return kept


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
