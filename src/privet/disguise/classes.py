"""A class for tables that have none: a number cut into a few categories (FI §3, step 1)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import Coding
from privet.errors import PlanError, SchemaError
from privet.frames import columns
from privet.schema import Attribute, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["cut_class"]


def cut_class(
    records: Any,
    attributes: Iterable[Attribute] | Schema,
    name: str,
    *,
    classes: int = 3,
    edges: Sequence[float] | None = None,
) -> tuple[dict[str, Any], Schema]:
    """Cut a number into categories that can be the class; return the records and their schema.

    For methods that keep the rules of a class where a table has none: a forest is then grown for
    that number. Its categories depend on its public range only, and take the number's place.

    Parameters
    ----------
    records
        A frame or a dictionary of columns.
    attributes
        All attributes, the number among them; or a schema, whose class, if any, becomes an input.
    name
        The number to cut; it must never be missing.
    classes
        How many categories of equal width; two at least.
    edges
        Borders between categories, instead; each belongs to the category below it.

    >>> import privet as pv
    >>> people = {"age": [20, 40, 70], "pay": [10.0, 30, 60]}
    >>> age = pv.Attribute.numeric("age", low=0, high=90)
    >>> pay = pv.Attribute.numeric("pay", low=0, high=90)
    >>> table, schema = pv.cut_class(people, [age, pay], "pay")
    >>> table["pay"].tolist(), schema.target
    (['0 to 30', '0 to 30', '30 to 60'], 'pay')
    """
    declared = list(attributes)
    number = next((attribute for attribute in declared if attribute.name == name), None)
    if number is None or number.is_categorical or number.missing != "error":
        message = f"{name!r} must be one of the attributes, a number that is never missing."
        raise SchemaError(message, hint="a category can be the class as it is.")
    low, high = number.range
    borders = [low, *(edges if edges is not None else np.linspace(low, high, classes + 1)[1:-1])]
    borders = [float(border) for border in (*borders, high)]
    if len(borders) < 3 or any(low >= high for low, high in pairwise(borders)):
        message = f"{name!r} must be cut into two categories at least, at borders that rise inside "
        raise PlanError(message + f"its range from {low:g} to {high:g}.")
    coding = Coding.cells(name, borders[:-1], borders[1:])
    labels = [coding.label(code) for code in range(coding.size)]
    raw: dict[str, Any] = dict(columns(records, [attribute.name for attribute in declared]))
    raw[name] = np.array(labels)[number.encode(raw[name], coding)]
    made = [
        Attribute.categorical(name, labels) if attribute is number else attribute
        for attribute in declared
    ]
    learned = isinstance(attributes, Schema) and attributes.learned
    return raw, Schema(made, target=name, learned=learned)
