"""Tables of every kind of attribute that the tests of noise without a bound share."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from privet.disguise.noised import coded
from privet.frames import columns
from privet.schema import Attribute, Missing, Schema
from privet.table import MemoryTable

SCHEMA = Schema(
    [
        Attribute.numeric("age", low=0, high=90, integer=True),
        Attribute.numeric("pay", low=-50, high=150),
        Attribute.categorical("town", ["a", "b", "c"]),
        Attribute.numeric("hours", low=0, high=100, missing="category"),
        Attribute.categorical("risk", ["low", "high"]),
    ],
    target="risk",
)


def people(rows: int = 600, seed: int = 1, *, missing: float = 0.1) -> dict[str, Any]:
    """Return records whose risk goes with age, pay and town, some hours missing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 91, rows)
    town = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    pay = np.clip(np.round(age + 20 * town + rng.normal(0, 20, rows), 1), -50, 150)
    hours = np.where(rng.random(rows) < missing, np.nan, rng.integers(0, 101, rows))
    risk = ((age > 45) & (pay > 40) | (town == 2)) ^ (rng.random(rows) < 0.1)
    return {
        "age": age,
        "pay": pay,
        "town": np.array(["a", "b", "c"])[town],
        "hours": hours,
        "risk": np.array(["low", "high"])[risk.astype(int)],
    }


def table_of(records: dict[str, Any], schema: Schema = SCHEMA) -> MemoryTable:
    """Return coded records."""
    return coded(columns(records, schema.names), schema)


@st.composite
def mixed(draw: st.DrawFn) -> tuple[Schema, MemoryTable]:
    """A schema of a few attributes of any kind, and coded records, now and then very odd ones."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(8, 120))
    attributes = []
    columns: dict[str, Any] = {}
    for place in range(draw(st.integers(1, 4))):
        name = f"x{place}"
        kind = draw(st.sampled_from(["whole", "real", "category", "gaps", "far"]))
        if kind == "category":
            size = draw(st.integers(1, 4))
            attributes.append(Attribute.categorical(name, [f"v{code}" for code in range(size)]))
            columns[name] = rng.integers(0, size, rows).astype(np.uint8)
            continue
        low, high = {"far": (1e9, 1e9 + 1)}.get(kind, (-3.0, draw(st.integers(-2, 40))))
        whole = kind == "whole"
        missing: Missing = "category" if kind == "gaps" else "error"
        attributes.append(
            Attribute.numeric(name, low=low, high=high, integer=whole, missing=missing)
        )
        numbers = rng.uniform(low, high, rows)
        numbers = np.rint(numbers) if whole or rng.random() < 0.3 else numbers
        numbers[rng.random(rows) < 0.1] = low  # the ends themselves
        numbers[rng.random(rows) < 0.1] = high
        if kind == "gaps":
            numbers[rng.random(rows) < 0.2] = np.nan
        columns[name] = np.clip(numbers, low, high)
    classes = draw(st.integers(2, 3))
    attributes.append(Attribute.categorical("label", [f"c{code}" for code in range(classes)]))
    first = columns["x0"]
    lean = np.nan_to_num(first) > np.nanmedian(first) if not np.isnan(first).all() else first > 0
    label = np.where(rng.random(rows) < 0.7, lean, rng.integers(0, classes, rows))
    label[:2] = [0, 1]
    columns["label"] = label.astype(np.uint8)
    return Schema(attributes, target="label"), MemoryTable(columns)
