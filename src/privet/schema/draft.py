"""Drafts: a schema read off a table, with what a person has to decide about it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError
from privet.files.format import THOUSANDS, WITHOUT_SIGNS, WITHOUT_THOUSANDS, without_sign
from privet.frames import DAYS, columns, counted, is_date, readable
from privet.schema.attribute import Attribute, Missing
from privet.schema.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privet.coding import Value
    from privet.files.format import Format
    from privet.frames import Column

__all__ = ["Draft"]

_FEW = 5  # records below which "all values differ" says nothing
_MANY = 20  # categories below which a column is no identifier, unless each record has its own
_MOST = 1000  # categories that nobody goes through by hand
_RARE = 20  # times rarer than a spelling that differs little: asked about
_ODD = "its values are neither text nor numbers, or of several types"
_EMPTY = "it has no value"
_SINGLE = "it has a single value, which tells no records apart"
_UNUSABLE = {_ODD, _EMPTY, _SINGLE}
_ALMOST = "it looks like a number except for one repeated text; if that means missing, use "
_ALMOST += "--missing TEXT"
_SEPARATED = "thousands separators"
_SIGNED = "currency signs or %"
_NUMBER = re.compile(r"\s*[+-]?\d+(?:[.,]\d+)?\s*")
_NAMES = re.compile(
    r"(^|[\W_])(id|ids|uuid|guid|name|surname|e-?mail|phone|mobile|ssn|iban|passport|address|"
    r"street|login|no|nr|number)([\W_]|$)"
)


@dataclass(frozen=True)
class Draft:
    """A schema learned from a table, why columns are withheld, and questions about others.

    ``questions`` quote categories, as the schema does; ``notes`` quote none.
    """

    schema: Schema
    withheld: Mapping[str, str]
    questions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, frame: Any, target: str, bins: int | None = None, written: Format | None = None
    ) -> Draft:
        """Draft the schema of a table; ``written`` is what was said of its files."""
        raw, withheld = _readable(frame, target)
        dates = [name for name in raw if is_date(frame, name)]
        attributes, questions = [], {}
        notes: list[str] = []
        unread = {name: how for name, column in raw.items() if (how := _unread(column))}
        advice = WITHOUT_SIGNS if _SIGNED in unread.values() else WITHOUT_THOUSANDS
        if unread:
            notes.append(f"{', '.join(map(repr, unread))}: {advice} and draft again.")
        for name, column in raw.items():
            counts = None if _is_measure(column) else counted(column)
            if name in unread:
                reason = f"its numbers have {unread[name]}, which are not read"
            else:
                reason = _reason(name, column, counts, dated=name in dates)
            if reason and name != target:
                withheld[name] = reason
                continue
            attribute = _attribute(name, column, bins, categorical=name == target)
            attributes.append(replace(attribute, unit=DAYS) if name in dates else attribute)
            if counts is None and attribute.is_categorical:
                counts = counted(column)
            question, more = _asked(attribute, counts or {})
            notes += more + ([f"{name!r}: {_ALMOST}."] if _is_almost_number(counts) else [])
            if question:
                questions[name] = question
        if withheld and len(attributes) < 2:
            raise _nothing_left(target, withheld, unread, advice)
        schema = Schema(attributes, target=target, learned=True, withheld=withheld, format=written)
        if len(schema.classes) == 1:
            notes.append(f"The class {target!r} has a single value: nothing can be learned of it.")
        days = [f"{name!r} is read as numbers, in {DAYS}." for name in dates if name in schema]
        return cls(schema, withheld, questions, (*days, *notes))

    def remarks(self) -> list[str]:
        """Say which columns are withheld and why, and what else there is to know."""
        said = []
        for name, reason in self.withheld.items():
            more = "" if reason in _UNUSABLE else " To release it, declare it among the attributes."
            said.append(f"{name!r} is withheld: {reason}.{more}")
        return [*said, *self.notes]

    def to_toml(self) -> str:
        """Return the schema as TOML, with the questions beside what they are about."""
        return self.schema.to_toml(self.questions)


def _is_measure(column: Column) -> bool:
    """Whether a column holds numbers that are not whole: no identifier does."""
    if not isinstance(column, np.ndarray):
        return False
    known = column[np.isfinite(column)]
    return bool((known != np.floor(known)).any())


def _readable(frame: Any, target: str) -> tuple[dict[str, Column], dict[str, str]]:
    """Return the columns that can be declared, and why the others are withheld."""
    columns(frame, [target])  # a class that cannot be read is an error
    raw, others = readable(frame)
    if not len(raw[target]):
        raise DataError("The table has no rows.")
    if not _has_values(raw[target]):
        message = f"The class {target!r} has no value in any record."
        raise DataError(message, hint="choose another column as the class.", column=target)
    withheld = dict.fromkeys(others, _ODD)
    empty = [name for name, column in raw.items() if name != target and not _has_values(column)]
    withheld |= dict.fromkeys(empty, _EMPTY)
    return {name: column for name, column in raw.items() if name not in empty}, withheld


def _has_values(column: Column) -> bool:
    if isinstance(column, np.ndarray):
        return column.dtype.kind in "iu" or not bool(np.isnan(column).all())
    return bool(column.null_count < len(column))


def _is_single(column: Column, counts: dict[Any, int] | None) -> bool:
    """Whether all records have the same value, and none lacks it."""
    if counts is None:
        return bool((column == column[0]).all())
    return len(counts) == 1 and None not in counts


def _nothing_left(
    target: str, withheld: Mapping[str, str], unread: Mapping[str, str], advice: str
) -> DataError:
    """Say why no column is left beside the class, and what to do about it."""
    message = f"Every column but the class {target!r} looks like a name or an identifier."
    hint = "declare the schema by hand if one of them is not."
    if set(withheld.values()) & _UNUSABLE:
        why = "; ".join(f"{name!r}: {reason}" for name, reason in withheld.items())
        message = f"No column can be used beside the class {target!r}: {why}."
        hint = "give more records or other columns, or declare the schema by hand."
    if unread:
        named, how = ", ".join(map(repr, unread)), next(iter(unread.values()))
        message += f" {how.capitalize()}, as in {named}, are not read."
        hint = f"{advice}, and draft again."
    return DataError(message, hint=hint)


def _unread(column: Column) -> str:
    """Say what keeps text from being numbers, if that is what it is."""
    if isinstance(column, np.ndarray):
        return ""
    values = [value for value in counted(column) if value is not None]
    if not all(isinstance(value, str) for value in values):
        return ""
    bare = [without_sign(value) for value in values]
    if not all(_NUMBER.fullmatch(value) or THOUSANDS.fullmatch(value) for value in bare):
        return ""
    if any(text != value.strip() for text, value in zip(bare, values, strict=True)):
        return _SIGNED
    return _SEPARATED if any(THOUSANDS.fullmatch(value) for value in bare) else ""


def _reason(name: str, column: Column, counts: dict[Any, int] | None, *, dated: bool) -> str:
    """Say why a column is withheld, if it is: it tells no records apart, or too well."""
    if _is_single(column, counts):
        return _SINGLE
    reason = "" if dated else _identifying(name, column, counts)
    return _ALMOST if reason and _is_almost_number(counts) else reason


def _is_almost_number(counts: dict[Any, int] | None) -> bool:
    """Whether all text but one value, which is repeated, is numbers, and most records have one.

    Codes with leading zeros are no numbers.
    """
    known = {value: count for value, count in (counts or {}).items() if value is not None}
    if len(known) <= _FEW or not all(isinstance(value, str) for value in known):
        return False
    others = [v for v in known if not _NUMBER.fullmatch(v) or re.match(r"\s*0\d", v)]
    return len(others) == 1 and 1 < known[others[0]] <= sum(known.values()) / 2


def _identifying(name: str, column: Column, counts: dict[Any, int] | None) -> str:
    """Say why a column looks like a name or an identifier, if it does."""
    if counts is None:
        return ""
    known = {value: count for value, count in counts.items() if value is not None}
    rows, different = sum(known.values()), len(known)
    unique = different == rows >= _FEW
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    named = _NAMES.search(words) is not None and (unique or different > max(_MANY, rows / 2))
    if isinstance(column, np.ndarray):
        return "it numbers the records" if named or (unique and _is_counting(column)) else ""
    if not all(isinstance(value, str) for value in known):
        return ""
    if unique:
        return "no two records have the same value"
    if named or different > min(_MOST, max(_MANY, rows / 10)):
        return f"it has {different:,} values in {rows:,} records"
    return ""


def _asked(attribute: Attribute, counts: dict[Any, int]) -> tuple[str, list[str]]:
    """Return what to ask the owner about an attribute, if anything, and notes about it."""
    name = attribute.name
    if not attribute.is_categorical:
        if attribute.integer and _own(counts):
            question = "Each record has a value of its own: is it an identifier?"
            return question, [f"{name!r}: each record has its own value. The draft asks."]
        return "", []
    rare = _rare(counts)
    notes = []
    if rare:
        how_many = f"{len(rare)} rare spelling{'s' * (len(rare) > 1)}"
        notes.append(f"{name!r}: {how_many} of another category? The draft asks.")
    if _is_code(attribute):
        notes.append(f"{name!r} is read as text: its numbers have leading zeros.")
    return "\n".join(rare), notes


def _own(counts: dict[Any, int]) -> bool:
    """Whether each of enough records has a value that no other has."""
    known = [count for value, count in counts.items() if value is not None]
    return len(known) >= _MANY and max(known) == 1


def _is_counting(column: NDArray[Any]) -> bool:
    """Whether whole numbers follow each other without a gap, in whatever order."""
    return column.dtype.kind in "iu" and bool((np.diff(np.sort(column)) == 1).all())


def _attribute(name: str, column: Column, bins: int | None, *, categorical: bool) -> Attribute:
    if isinstance(column, np.ndarray) and not categorical:
        if np.isinf(column).any():
            message = f"Column {name!r} has an infinite value."
            raise DataError(message, hint="a range must be finite; correct or drop those records.")
        known = column[~np.isnan(column)]
        integer = bool((known == np.floor(known)).all())
        return Attribute.numeric(
            name,
            low=float(known.min()) if not integer else int(known.min()),
            high=float(known.max()) if not integer else int(known.max()),
            bins=bins,
            integer=integer,
            missing="error" if len(known) == len(column) else "category",
        )
    values = list(counted(column))
    missing: Missing = "error" if None not in values else "category"
    return Attribute.categorical(
        name, sorted((v for v in values if v is not None), key=_order), missing=missing
    )


def _order(value: Value) -> tuple[str, Value]:
    return ("number" if isinstance(value, int | float) else "text", value)


def _is_code(attribute: Attribute) -> bool:
    """Whether categories are numbers written with leading zeros."""
    values = [value for value in attribute.values or () if isinstance(value, str)]
    digits = bool(values) and all(value.isdecimal() for value in values)
    return digits and any(len(value) > 1 and value[0] == "0" for value in values)


def _rare(counts: dict[Any, int]) -> list[str]:
    """Ask about categories that are spelt almost like a much more frequent category."""
    texts = {value: count for value, count in counts.items() if isinstance(value, str)}
    total = sum(counts.values())
    asked = []
    for rare, count in sorted(texts.items(), key=lambda pair: pair[1]):
        for common, often in texts.items():
            alike = rare != common and _plain(rare) == _plain(common) and count <= often
            if alike or (often >= _RARE * count and _misspelt(rare, common)):
                said = f"{count:,} of {total:,} records; {common!r} in {often:,}"
                asked.append(f"Is {rare!r} a misspelling? It is in {said}.")
                break
    return asked


def _plain(text: str) -> str:
    return re.sub(r"[^\w<>+]|_", "", text.casefold())  # "<=50K" is no other spelling of ">50K"


def _misspelt(rare: str, common: str) -> bool:
    """Whether two words differ by a slip of a letter, or by two if they are long; not by digits."""
    slips = 1 if len(common) < 6 else 2
    if len(common) < 4 or abs(len(rare) - len(common)) > slips:
        return False
    if re.findall(r"[\d<>+]", rare) != re.findall(r"[\d<>+]", common):
        return False
    return _distance(rare.casefold(), common.casefold()) <= slips


def _distance(left: str, right: str) -> int:
    """Return how many slips part two words: a letter too many, too few, wrong, or two swapped.

    >>> _distance("privte", "private"), _distance("shpo", "shop")
    (1, 1)
    """
    rows = [list(range(len(right) + 1))]
    for place, sign in enumerate(left, 1):
        above = rows[-1]
        row = [place]
        for other, compared in enumerate(right, 1):
            slips = [above[other] + 1, row[-1] + 1, above[other - 1] + (sign != compared)]
            if place > 1 and other > 1 and sign == right[other - 2] and left[place - 2] == compared:
                slips.append(rows[-2][other - 2] + 1)
            row.append(min(slips))
        rows.append(row)
    return rows[-1][-1]
