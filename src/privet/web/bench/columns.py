"""The owner's columns as she has them: roles and domains, and the schema they make."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.errors import InputError, SchemaError
from privet.schema import Attribute, Schema
from privet.web.bench.forms import text_of, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ROLES", "Column", "comments_of", "read_columns", "schema_of"]

ROLES = {"withheld": "Withhold", "class": "Class", "disguise": "Disguise", "plain": "Leave plain"}


@dataclass
class Column:
    """A column of the table: what was read off it, and what the owner decided.

    ``public`` says that its domain is known without the data, so that naming it tells nothing.
    """

    name: str
    kind: str
    role: str
    why: str
    question: str
    classes: list[Any] | None
    different: int | None
    missing: int
    bars: list[tuple[str, int]]
    values: list[Any] | None = None
    low: float | None = None
    high: float | None = None
    integer: bool = False
    unit: str | None = None
    public: bool = False

    @property
    def as_class(self) -> bool:
        """Whether it is, or is as, a list of categories."""
        return self.role == "class" or self.kind == "categories"

    @property
    def listed(self) -> list[Any] | None:
        """The categories it is declared with."""
        return self.classes if self.role == "class" and self.kind == "numbers" else self.values

    @property
    def able(self) -> dict[str, str]:
        """The roles it can have; the others, and why not."""
        why_not = {}
        if self.classes is None:
            why_not["class"] = "a class has 2 to 50 different values, and none missing"
        if self.kind == "categories" and self.values is None:
            many = f"{self.different:,} different values cannot be listed"
            why_not |= {"disguise": many, "plain": many}
        if self.kind == "numbers" and self.low is None:
            why_not |= {"disguise": "it holds no number", "plain": "it holds no number"}
        return why_not

    def change(self, form: dict[str, Any]) -> None:
        """Take what the owner entered; nothing changes if something of it is wrong."""
        role = text_of(form, "role", self.role)
        if role not in ROLES or role in self.able:
            reason = self.able.get(role, "there is no such role")
            raise InputError(f"{self.name!r} cannot be that: {reason}.")
        before = dict(vars(self))
        try:
            self.role = role
            if self.role != "withheld":
                self._declare(form)
                self.attribute()
        except (ValueError, SchemaError) as error:
            vars(self).update(before)
            message = error.message if isinstance(error, SchemaError) else str(error)
            raise InputError(message, hint="the earlier entry is kept.") from None

    def _declare(self, form: dict[str, Any]) -> None:
        if self.as_class and "values" in form:
            listed = [line.strip() for line in str(form["values"]).splitlines() if line.strip()]
            known = {visible(str(value)).strip(): value for value in self.listed or ()}
            if listed != list(known):
                fresh = self.listed or ()
                self._list([known[s] if s in known else _like(s, fresh) for s in listed])
        if not self.as_class and {"low", "high"} <= set(form):
            integer = bool(form.get("integer", False))
            low = _number(form["low"], f"the lowest value of {self.name!r}", integer=integer)
            high = _number(form["high"], f"the highest value of {self.name!r}", integer=integer)
            self.low, self.high, self.integer = low, high, integer
        self.public = bool(form.get("public", self.public))

    def _list(self, values: list[Any]) -> None:
        if self.role == "class" and self.kind == "numbers":
            self.classes = values
        else:
            self.values = values
            if self.classes is not None:
                self.classes = values

    def attribute(self) -> Attribute:
        """Return the declaration."""
        missing: Any = "category" if self.missing and self.role != "class" else "error"
        if self.as_class:
            return Attribute.categorical(self.name, self.listed or (), missing=missing)
        made: Any = {"low": self.low, "high": self.high, "integer": self.integer}
        return Attribute(self.name, missing=missing, unit=self.unit, **made)


def _number(text: object, what: str, *, integer: bool) -> float:
    try:
        number = float(str(text))
    except ValueError:
        raise ValueError(f"A number is needed for {what}.") from None
    if not math.isfinite(number):
        raise ValueError(f"A finite number is needed for {what}.")
    return int(number) if integer and number == math.floor(number) else number


def _like(text: str, others: Sequence[Any]) -> Any:
    """Return an entered category as the type the others have."""
    kinds = {type(value) for value in others}
    if str in kinds or not kinds:
        return text
    try:
        value = json.loads(text.lower())
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) else text


def read_columns(form: Sequence[dict[str, Any]]) -> list[Column]:
    """Return the columns of a look at a table."""
    made = []
    for entry in form:
        known = {name: value for name, value in entry.items() if name in Column.__annotations__}
        known["bars"] = [(str(label), int(count)) for label, count in entry["bars"]]
        made.append(Column(**known))
    return made


def schema_of(columns: Sequence[Column]) -> Schema:
    """Return the schema the columns make."""
    target = next((column.name for column in columns if column.role == "class"), None)
    used = [column for column in columns if column.role != "withheld"]
    if target is None:
        raise InputError("No column is the class.", hint="choose what a tree shall tell apart.")
    if len(used) < 2:
        raise InputError("Every column but the class is withheld.", hint="disguise some of them.")
    return Schema(
        [column.attribute() for column in used],
        target=target,
        learned=not all(column.public for column in used),
        withheld=[column.name for column in columns if column.role == "withheld"],
    )


def comments_of(columns: Sequence[Column]) -> dict[str, str]:
    """Return what a schema's file says of each attribute: what was read off the data."""
    said = {}
    for column in columns:
        if not column.public:
            what = "these values were" if column.as_class else "this range was"
            said[column.name] = f"{what} read off the data".capitalize()
        if column.question:
            said[column.name] = "\n".join(
                filter(None, [said.get(column.name, ""), column.question])
            )
    return said
