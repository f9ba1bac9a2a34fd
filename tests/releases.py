"""A release of every kind, of the same few hundred people, the same each time."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import privet as pv
from privet.release import Release

JOBS, FLAGS, CLASSES = ["smith", "baker", "clerk", "nurse"], ["no", "yes"], ["low", "mid", "high"]
AGE = pv.Attribute.numeric("age", low=18, high=80, integer=True, bins=5)
PAY = pv.Attribute.numeric("pay", low=0, high=100_000, bins=6)
GRADE = pv.Attribute.categorical("grade", CLASSES)
SCHEMA = pv.Schema(
    [
        AGE,
        PAY,
        pv.Attribute.categorical("job", JOBS),
        pv.Attribute.categorical("flag", FLAGS),
        GRADE,
    ],
    target="grade",
)
GAPS = pv.Schema(
    [
        pv.Attribute.numeric("age", low=18, high=80, bins=5, missing="category"),
        PAY,
        pv.Attribute.categorical("job", JOBS, missing="category"),
        pv.Attribute.categorical("flag", FLAGS),
        GRADE,
    ],
    target="grade",
)
NUMBERS = pv.Schema([AGE, PAY, GRADE], target="grade")
ROWS = 700


def people(rows: int = ROWS, seed: int = 3) -> dict[str, Any]:
    """Return records whose pay goes with age, job with flag, and the grade with all of it."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 81, rows)
    flag = rng.integers(0, 2, rows)
    job = np.where(rng.random(rows) < 0.7, flag, rng.integers(0, 4, rows))
    grade = np.where(rng.random(rows) < 0.9, (age > 50) + flag, rng.integers(0, 3, rows))
    return {
        "age": age,
        "pay": np.round(1000 * age + rng.uniform(0, 19_000, rows), 2),
        "job": np.array(JOBS)[job],
        "flag": np.array(FLAGS)[flag],
        "grade": np.array(CLASSES)[grade],
    }


def gapped(records: dict[str, Any]) -> dict[str, Any]:
    """Return records some of whose ages and jobs are missing."""
    places = np.arange(len(records["age"]))
    age = np.where(places % 7 == 0, np.nan, records["age"].astype(np.float64))
    job = np.where(places % 5 == 0, None, records["job"].astype(object))
    return {**records, "age": age, "job": job}


Maker = Callable[[], Any]
MAKERS: dict[str, Maker] = {
    "exact": lambda: pv.Plan({}, default=pv.Exact()),
    "substitution": lambda: pv.RandomSubstitution(gamma=9),
    "band": lambda: pv.RandomSubstitution(gamma=9, kind="band"),
    "subsets": lambda: pv.RandomSubsets(epsilon=6, attributes=2),
    "flip groups": lambda: pv.RandomizedResponse(
        [["age", "pay"], ["job", "flag"]], theta=0.85, cuts={"job": ["smith", "baker"]}
    ),
    "joint groups": lambda: pv.RandomizedResponse(
        [["age", "pay"], ["job", "flag"]], gamma=20, bins=3
    ),
    "complement": pv.Complement,
    "dummies": lambda: pv.Complement(pick="dummy"),
    "k-anonymity": lambda: pv.KAnonymity(k=6, suppress=0.05),
    "noise": lambda: pv.AdditiveNoise(alpha=20.0),
    "gaussian": lambda: pv.AdditiveNoise("gaussian", sigma=12.0),
    "forest framework": pv.ForestFramework,
    "framework": pv.Framework,
    "random noise": pv.RandomNoise,
    "gadp": pv.GADP,
    "egadp": pv.EGADP,
    "cgadp": pv.CGADP,
    "gaps": lambda: pv.RandomSubstitution(gamma=9),
    "open gaps": lambda: pv.Plan({}, default=pv.Exact()),
    "plan": lambda: pv.Plan(
        {
            "age": pv.Substitution(6),
            "pay": pv.ValueClass(3),
            "job": pv.Substitution(5),
            "flag": pv.Exact(),
            "grade": pv.Substitution(12),
        }
    ),
}
COMPLEMENTED = ("complement", "dummies")
GAPPED = ("gaps", "open gaps")
NUMERIC = ("band", "noise", "gaussian")
UNBOUNDED = ("forest framework", "framework", "random noise", "gadp", "egadp", "cgadp")


def schema_of(kind: str) -> pv.Schema:
    """Return the schema that a kind takes."""
    return NUMBERS if kind in NUMERIC else GAPS if kind in GAPPED else SCHEMA


@cache
def release(kind: str, rows: int = ROWS, seed: int = 11) -> Release:
    """Return a release of a kind."""
    schema = schema_of(kind)
    records = gapped(people(rows)) if kind in GAPPED else people(rows)
    made: Release = MAKERS[kind]().disguise(
        {name: records[name] for name in schema.names}, schema, seed=seed
    )
    return made


def monotone(folder: Path) -> Release:
    """Return a release that keeps the order of numbers; its key goes to a folder."""
    records = people()
    made: Release = pv.Monotone(key=folder / "secret.key").disguise(
        {name: records[name] for name in NUMBERS.names}, NUMBERS, seed=11
    )
    return made
