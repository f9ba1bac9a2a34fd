"""Tables with known dependences that the tests of the audit share."""

from typing import Any

import numpy as np

from privet.schema import Attribute, Schema

SIZE = 10
SCHEMA = Schema(
    [
        Attribute.numeric("age", low=0, high=100, bins=SIZE),
        Attribute.categorical("car", ["vw", "fiat", "tesla", "none"]),
        Attribute.categorical("town", ["a", "b", "c"]),
        Attribute.categorical("risk", ["low", "high"]),
    ],
    target="risk",
)


def people(rows: int = 4000, seed: int = 1) -> dict[str, Any]:
    """Return records: towns skewed, cars that go with towns, a risk that goes with age."""
    rng = np.random.default_rng(seed)
    halves = rng.integers(0, 200, (2, rows)).min(axis=0)  # skewed, as ages are
    age = halves / 2  # few enough values for codes of a byte
    town = rng.choice(3, rows, p=[0.6, 0.3, 0.1])
    car = np.where(rng.random(rows) < 0.8, town, rng.integers(0, 4, rows))
    risk = (age > 40) ^ (rng.random(rows) < 0.1)
    return {
        "age": age,
        "car": np.array(["vw", "fiat", "tesla", "none"])[car],
        "town": np.array(["a", "b", "c"])[town],
        "risk": np.array(["low", "high"])[risk.astype(int)],
    }
