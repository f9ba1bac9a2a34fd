"""A small table of numbers and categories, and its schema, for tests of the classifiers."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from privet.disguise import Exact, Plan
from privet.release import Release
from privet.schema import Attribute, Schema

SECRET = "secret-4711"  # noqa: S105 - no password, but what no error may show
ROWS = 240


def mixed(rows: int = ROWS, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Numbers and categories that say a good deal about the class."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows).astype(np.float64),
            "sky": rng.choice(["sunny", "rain", "overcast"], rows),
            "wet": rng.choice([True, False], rows),
            "size": rng.uniform(0, 1, rows).round(3),
        }
    )
    noise = rng.random(rows) < 0.1
    old = (frame["age"] > 45) ^ (frame["sky"] == "rain") ^ noise
    return frame, np.where(old, "yes", np.where(frame["size"] > 0.8, "so", "no"))


SCHEMA = Schema(
    [
        Attribute.numeric("age", low=18, high=80, bins=6),
        Attribute.categorical("sky", ["overcast", "rain", "sunny"]),
        Attribute.categorical("wet", [False, True]),
        Attribute.numeric("size", low=0, high=1, bins=4),
        Attribute.categorical("answer", ["no", "so", "yes"]),
    ],
    target="answer",
)


def labelled(rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    frame, y = mixed(rows, seed)
    return frame.assign(answer=y)


@cache
def exact() -> Release:
    return Plan({}, default=Exact()).disguise(labelled(), SCHEMA, seed=1)
