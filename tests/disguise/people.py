"""A small table that the tests of the owner's side share."""

from typing import Any

import numpy as np

from privet.schema import Attribute, Schema

SCHEMA = Schema(
    [
        Attribute.numeric("age", low=20, high=80, bins=6),
        Attribute.numeric("kids", low=0, high=9, integer=True),
        Attribute.categorical("car", ["vw", "fiat", "tesla"]),
        Attribute.numeric("rent", low=0, high=5000),
        Attribute.categorical("risk", ["low", "high"]),
    ],
    target="risk",
)


def people(rows: int, seed: int = 1) -> dict[str, Any]:
    """Return records of the schema."""
    rng = np.random.default_rng(seed)
    return {
        "age": rng.uniform(20, 80, rows),
        "kids": rng.integers(0, 10, rows),
        "car": np.array(["vw", "fiat", "tesla"])[rng.integers(0, 3, rows)],
        "rent": rng.uniform(0, 5000, rows),
        "risk": np.array(["low", "high"])[rng.integers(0, 2, rows)],
    }
