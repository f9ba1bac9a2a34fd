"""A first look at an owner's table: what each column may be, its domain, how its values lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.errors import DataError
from privet.frames import columns, counted
from privet.schema import Format
from privet.schema.draft import Draft
from privet.table.csv import described, sniffed
from privet.table.looks import read_table
from privet.table.source import files_of, is_parquet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privet.frames import Column
    from privet.schema import Files

__all__ = ["look_at"]

BARS = 24  # of a histogram of numbers
SHOWN = 12  # categories of a histogram, the commonest
MOST_CLASSES = 50  # values of a class that a tree is grown for


def look_at(files: Files) -> dict[str, Any]:
    """Return what a table holds: aggregates only, and the categories of its columns."""
    table = read_table(files)
    raw = columns(table)
    counts = {name: _counts(column) for name, column in raw.items()}
    target = _likely_class(raw, counts)
    draft = Draft.of(table, target)
    first = files_of(files.path)[0]
    written = Format() if is_parquet(first) else sniffed(first, Format())
    return {
        "rows": int(table.num_rows),
        "target": target,
        "written": "" if is_parquet(first) else described(written),
        "format": {
            "sep": written.delimiter,
            "decimal": written.decimal,
            "encoding": written.encoding,
        },
        "notes": list(draft.notes),
        "columns": [_column(name, column, counts[name], draft) for name, column in raw.items()],
    }


class Counts(NamedTuple):
    """How often each value occurs, where there are few, and how many different ones there are."""

    by_value: Mapping[Any, int] | None
    different: int | None


def _counts(column: Column) -> Counts:
    if isinstance(column, np.ndarray):
        known = column[np.isfinite(column)]
        if (known != np.floor(known)).any():
            return Counts(None, None)
        values, times = np.unique(known, return_counts=True)
        if len(values) > MOST_CLASSES:
            return Counts(None, len(values))
        by_value = dict(zip(values.astype(np.int64).tolist(), times.tolist(), strict=True))
        missing = int(np.isnan(column).sum())
        return Counts(by_value | ({None: missing} if missing else {}), len(values))
    counts = counted(column)
    return Counts(counts, len(counts) - (None in counts))


def _classes(counts: Mapping[Any, int] | None) -> list[Any] | None:
    """Return the values a column has as a class; None if it cannot be a class."""
    if counts is None or None in counts or not 2 <= len(counts) <= MOST_CLASSES:
        return None
    return sorted(counts, key=lambda value: (isinstance(value, str), value))


def _likely_class(raw: Mapping[str, Column], counts: Mapping[str, Counts]) -> str:
    """Return the last column of few categories, else the last of few numbers."""
    able = [name for name in raw if _classes(counts[name].by_value) is not None]
    text = [name for name in able if not isinstance(raw[name], np.ndarray)]
    last = list(raw)[-1]
    if not able:
        message = "No column has between 2 and 50 different values and none missing: "
        hint = "a tree needs a class; cut a number into a few groups, or fill its gaps."
        raise DataError(message + "none can be the class.", hint=hint)
    return last if last in able else (text or able)[-1]


def _column(name: str, column: Column, counts: Counts, draft: Draft) -> dict[str, Any]:
    numbers = isinstance(column, np.ndarray)
    form: dict[str, Any] = {
        "name": name,
        "kind": "numbers" if numbers else "categories",
        "why": draft.withheld.get(name, ""),
        "question": draft.questions.get(name, ""),
        "classes": _classes(counts.by_value),
        "different": counts.different,
        "missing": _missing(column, counts.by_value),
    }
    role = "withheld" if form["why"] else "class" if name == draft.schema.target else "disguise"
    attribute = next((attribute for attribute in draft.schema if attribute.name == name), None)
    form |= {"role": role, "unit": None if attribute is None else attribute.unit}
    return form | (_numbers(column) if numbers else _categories(counts.by_value or {}))


def _missing(column: Column, counts: Mapping[Any, int] | None) -> int:
    if isinstance(column, np.ndarray):
        return int(np.isnan(column).sum()) if column.dtype.kind == "f" else 0
    return int((counts or {}).get(None, 0))


def _numbers(column: Column) -> dict[str, Any]:
    known = column[np.isfinite(column)]
    if not len(known):
        return {"low": None, "high": None, "integer": False, "bars": []}
    low, high = float(known.min()), float(known.max())
    integer = bool((known == np.floor(known)).all())
    bars = int(min(BARS, high - low + 1)) if integer else BARS
    heights, edges = np.histogram(known, bars, (low, high + 1 if integer else high))
    pairs = zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True)
    return {
        "low": int(low) if integer else low,
        "high": int(high) if integer else high,
        "integer": integer,
        "bars": [[f"{left:.4g} to {right:.4g}", height] for left, right, height in pairs],
    }


def _categories(counts: Mapping[Any, int]) -> dict[str, Any]:
    known = {value: count for value, count in counts.items() if value is not None}
    ordered = sorted(known.items(), key=lambda pair: -pair[1])
    bars = [[str(value), count] for value, count in ordered[:SHOWN]]
    rest = sum(count for _, count in ordered[SHOWN:])
    if rest:
        bars.append([f"{len(ordered) - SHOWN} more", rest])
    listed = sorted(known, key=lambda value: (isinstance(value, str), value))
    return {"values": listed if len(listed) <= 1000 else None, "bars": bars}
